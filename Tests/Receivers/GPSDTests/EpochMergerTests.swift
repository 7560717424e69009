import Foundation
import LocationKit
import Testing

@testable import GPSD

extension GPSDTests {
  struct EpochMergerTests {
    private let time = Date(timeIntervalSince1970: 1_708_760_163)

    private func fix(at seconds: Double = 0, mode: LocationDraft.Mode = .threeDimensional) -> LocationDraft {
      var draft = LocationDraft()
      draft.time = time.addingTimeInterval(seconds)
      draft.mode = mode
      (draft.latitude, draft.longitude) = (51.5, -0.125)
      return draft
    }

    private func untimed() -> LocationDraft {
      var draft = fix()
      draft.time = nil
      return draft
    }

    private func location(_ event: LocationSourceEvent?) -> Location? {
      if case .location(let location) = event { location } else { nil }
    }

    @Test func aFixIsPassedOnAtOnce() throws {
      var merger = EpochMerger()
      var report = fix()
      report.altitudeMSL = 10.1
      report.altitudeHAE = -22.4
      report.epx = 3
      report.epy = 4
      let passedOn = try #require(location(merger.receive(report, isSimulated: true)))
      #expect(
        passedOn
          == Location(
            coordinate: LocationCoordinate2D(latitude: 51.5, longitude: -0.125), altitude: 10.1,
            ellipsoidalAltitude: -22.4, horizontalAccuracy: 5, timestamp: time, mode: .threeDimensional,
            sourceInformation: LocationSourceInformation(device: "/dev/a", isSimulatedBySoftware: true)))
    }

    @Test func anEpochGrows() {
      var merger = EpochMerger()
      var first = fix(mode: .twoDimensional)
      first.speed = 5
      first.track = 45
      #expect(location(merger.receive(first))?.speed == 5)
      var second = fix()
      second.altitudeMSL = 35
      let merged = location(merger.receive(second))
      #expect(merged?.speed == 5 && merged?.course == 45 && merged?.altitude == 35)
      // The next epoch begins with nothing.
      let next = location(merger.receive(fix(at: 1)))
      #expect(next?.speed == nil && next?.altitude == nil)
    }

    @Test func aRepeatedReportIsNotPassedOn() {
      var merger = EpochMerger()
      #expect(merger.receive(fix()) != nil)
      #expect(merger.receive(fix()) == nil)
      merger.receiveSky(of: "/dev/a", seen: 9, used: 7, DilutionOfPrecision())
      #expect(merger.receive(fix()) == nil)
      var moved = fix()
      moved.latitude = 51.6
      #expect(location(merger.receive(moved))?.coordinate.latitude == 51.6)
    }

    @Test func anUntimedReportThatSaysNothingNewIsNotRepeated() {
      var merger = EpochMerger()
      var first = untimed()
      first.speed = 5
      #expect(merger.receive(first, at: 100) != nil)
      #expect(merger.receive(first, at: 100.05) == nil)
      // What is new goes out at once.
      first.track = 45
      #expect(location(merger.receive(first, at: 100.2))?.course == 45)
      var moved = first
      moved.latitude = 51.6
      #expect(location(merger.receive(moved, at: 100.3))?.coordinate.latitude == 51.6)
    }

    @Test func anUntimedReceiverAtRestIsAlive() {
      var merger = EpochMerger()
      for second in 0..<5 {
        #expect(merger.receive(untimed(), at: Double(second)) != nil)
        #expect(merger.receive(untimed(), at: Double(second) + 0.4) == nil)
      }
    }

    @Test func anUntimedFixAfterALossIsNew() {
      var merger = EpochMerger()
      #expect(merger.receive(untimed(), at: 0) != nil)
      var lost = untimed()
      lost.mode = .noFix
      #expect(merger.receive(lost, at: 0.1) == .noFix)
      #expect(merger.receive(untimed(), at: 0.2) != nil)
    }

    /// Not each report says something of jamming and the antenna.
    @Test func aFaultCountsForAWhile() {
      var merger = EpochMerger()
      let source = LocationSourceInformation(device: "/dev/a")
      func signs(_ hasFault: Bool?, at seconds: Double) -> Doubts? {
        var report = fix(at: seconds)
        report.hasFault = hasFault
        return location(merger.receive(report, from: source, at: seconds))?.sourceInformation?.signs
      }
      #expect(
        [signs(nil, at: 1), signs(true, at: 2), signs(nil, at: 3), signs(nil, at: 31)] == [
          [], .receiver, .receiver, .receiver,
        ])
      #expect(signs(nil, at: 33) == [])
      #expect([signs(true, at: 34), signs(false, at: 35), signs(nil, at: 36)] == [.receiver, [], []])
    }

    @Test(arguments: [LocationDraft.Mode.notSeen, .noFix]) func noFixIsSaid(mode: LocationDraft.Mode) {
      var merger = EpochMerger()
      #expect(merger.receive(fix(mode: mode)) == .noFix)
      // And the fix afterwards is new, even in the same epoch.
      #expect(merger.receive(fix()) != nil)
    }

    @Test func aPositionMayComeAfterTheMode() {
      var merger = EpochMerger()
      var velocity = fix()
      velocity.latitude = nil
      velocity.longitude = nil
      velocity.speed = 5
      #expect(merger.receive(velocity) == nil)
      #expect(location(merger.receive(fix()))?.speed == 5)
    }

    @Test func devicesDoNotMix() {
      var merger = EpochMerger()
      var first = fix()
      first.speed = 5
      _ = merger.receive(first)
      merger.receiveSky(of: "/dev/a", seen: 9, used: 7, DilutionOfPrecision())
      let other = location(merger.receive(fix(), device: "/dev/b"))
      #expect(other != nil && other?.speed == nil && other?.satellitesSeen == nil)
      let again = location(merger.receive(fix(at: 1)))
      #expect(again?.satellitesSeen == 9 && again?.satellitesUsed == 7)
      merger.remove("/dev/a")
      #expect(location(merger.receive(fix(at: 2)))?.satellitesSeen == nil)
    }

    /// A report with neither changes nothing.
    @Test(arguments: [(9, nil), (nil, 7), (9, 7)] as [(Int?, Int?)]) func eitherCountIsKept(seen: Int?, used: Int?) {
      var merger = EpochMerger()
      merger.receiveSky(of: "/dev/a", seen: seen, used: used, DilutionOfPrecision())
      merger.receiveSky(of: "/dev/a", seen: nil, used: nil, DilutionOfPrecision())
      let location = location(merger.receive(fix()))
      #expect(location?.satellitesSeen == seen && location?.satellitesUsed == used)
    }

    /// 64 devices are remembered, and one more begins a new list.
    @Test func the65thDeviceBeginsANewList() {
      var merger = EpochMerger()
      for index in 0..<64 { _ = merger.receive(fix(), device: "/dev/\(index)") }
      #expect(merger.deviceCount == 64)
      #expect(merger.receive(fix(), device: "/dev/0") == nil, "it is known, so this is a repetition")
      #expect(merger.deviceCount == 64)
      _ = merger.receive(fix(), device: "/dev/64")
      #expect(merger.deviceCount == 1)
    }
  }
}

extension EpochMerger {
  fileprivate mutating func receive(
    _ report: LocationDraft, device: String = "/dev/a", isSimulated: Bool = false, at now: Double = 0
  ) -> LocationSourceEvent? {
    receive(report, from: LocationSourceInformation(device: device, isSimulatedBySoftware: isSimulated), at: now)
  }
}
