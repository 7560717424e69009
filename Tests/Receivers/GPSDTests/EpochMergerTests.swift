import Foundation
import LocationKit
import Testing

@testable import GPSD

extension GPSDTests {
  struct EpochMergerTests {
    private let time = Date(timeIntervalSince1970: 1_708_760_163)

    private var merger = EpochMerger()

    private func fix(
      at seconds: Double? = 0, mode: LocationDraft.Mode = .threeDimensional, latitude: Double? = 51.5,
      speed: Double? = nil
    ) -> LocationDraft {
      var draft = LocationDraft()
      draft.time = seconds.map { time.addingTimeInterval($0) }
      (draft.mode, draft.speed) = (mode, speed)
      (draft.latitude, draft.longitude) = (latitude, latitude.map { _ in -0.125 })
      return draft
    }

    private mutating func event(
      _ report: LocationDraft, device: String = "/dev/a", at now: Double = 0
    ) -> LocationSourceEvent? {
      merger.receive(report, from: LocationSourceInformation(device: device), at: now)
    }

    private mutating func location(
      _ report: LocationDraft, device: String = "/dev/a", at now: Double = 0
    ) -> Location? {
      if case .location(let location) = event(report, device: device, at: now) { location } else { nil }
    }

    private mutating func sky(seen: Int?, used: Int?) {
      merger.receiveSky(of: "/dev/a", seen: seen, used: used, DilutionOfPrecision())
    }

    @Test mutating func anEpochGrows() {
      var first = fix(mode: .twoDimensional, speed: 5)
      first.track = 45
      #expect(location(first)?.speed == 5)
      var second = fix()
      second.altitudeMSL = 35
      let merged = location(second)
      #expect(merged?.speed == 5 && merged?.course == 45 && merged?.altitude == 35)
      // The next epoch begins with nothing.
      let next = location(fix(at: 1))
      #expect(next != nil && next?.speed == nil && next?.altitude == nil)
    }

    @Test mutating func aRepeatedReportIsNotPassedOn() {
      #expect(event(fix()) != nil)
      #expect(event(fix()) == nil)
      sky(seen: 9, used: 7)
      #expect(event(fix()) == nil)
      #expect(location(fix(latitude: 51.6))?.coordinate.latitude == 51.6)
    }

    @Test mutating func anUntimedReportThatSaysNothingNewIsNotRepeated() {
      var report = fix(at: nil, speed: 5)
      #expect(event(report, at: 100) != nil)
      #expect(event(report, at: 100.05) == nil)
      // What is new goes out at once.
      report.track = 45
      #expect(location(report, at: 100.2)?.course == 45)
      report.latitude = 51.6
      #expect(location(report, at: 100.3)?.coordinate.latitude == 51.6)
    }

    @Test mutating func anUntimedReceiverAtRestIsAlive() {
      for second in 0..<5 {
        #expect(event(fix(at: nil), at: Double(second)) != nil)
        #expect(event(fix(at: nil), at: Double(second) + 0.4) == nil)
      }
    }

    @Test mutating func anUntimedFixAfterALossIsNew() {
      #expect(event(fix(at: nil), at: 0) != nil)
      #expect(event(fix(at: nil, mode: .noFix), at: 0.1) == .noFix)
      #expect(event(fix(at: nil), at: 0.2) != nil)
    }

    /// Not each report says something of jamming and the antenna.
    @Test mutating func aFaultCountsForAWhile() {
      for (second, hasFault, signs) in [
        (1, nil, []), (2, true, .receiver), (3, nil, .receiver), (31, nil, .receiver), (33, nil, []),
        (34, true, .receiver), (35, false, []), (36, nil, []),
      ] as [(Double, Bool?, Doubts)] {
        var report = fix(at: second)
        report.hasFault = hasFault
        #expect(location(report, at: second)?.sourceInformation?.signs == signs, "\(second) s")
      }
    }

    @Test(arguments: [LocationDraft.Mode.notSeen, .noFix]) mutating func noFixIsSaid(mode: LocationDraft.Mode) {
      let first = event(fix(mode: mode))
      #expect(first == .noFix)
      // And the fix afterwards is new, even in the same epoch.
      let second = event(fix())
      #expect(second != nil)
    }

    @Test mutating func aPositionMayComeAfterTheMode() {
      #expect(event(fix(latitude: nil, speed: 5)) == nil)
      #expect(location(fix())?.speed == 5)
    }

    @Test mutating func devicesDoNotMix() {
      _ = event(fix(speed: 5))
      sky(seen: 9, used: 7)
      let other = location(fix(), device: "/dev/b")
      #expect(other != nil && other?.speed == nil && other?.satellitesSeen == nil)
      let again = location(fix(at: 1))
      #expect(again?.satellitesSeen == 9 && again?.satellitesUsed == 7)
      merger.remove("/dev/a")
      let anew = location(fix(at: 2))
      #expect(anew != nil && anew?.satellitesSeen == nil)
    }

    /// A report with neither changes nothing.
    @Test(arguments: [(9, nil), (nil, 7), (9, 7)] as [(Int?, Int?)])
    mutating func eitherCountIsKept(seen: Int?, used: Int?) {
      sky(seen: seen, used: used)
      sky(seen: nil, used: nil)
      let location = location(fix())
      #expect(location?.satellitesSeen == seen && location?.satellitesUsed == used)
    }

    /// 64 devices are remembered, and one more begins a new list.
    @Test mutating func the65thDeviceBeginsANewList() {
      for index in 0..<64 { _ = event(fix(), device: "/dev/\(index)") }
      #expect(merger.deviceCount == 64)
      #expect(event(fix(), device: "/dev/0") == nil, "it is known, so this is a repetition")
      #expect(merger.deviceCount == 64)
      _ = event(fix(), device: "/dev/64")
      #expect(merger.deviceCount == 1)
    }
  }
}
