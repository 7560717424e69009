import Foundation
import LocationKit
import Testing

@testable import GPSD

extension GPSDTests {
  struct EpochMergerTests {
    private let time = Date(timeIntervalSince1970: 1_708_760_163)

    private func fix(at seconds: Double = 0, device: String? = "/dev/a", mode: Int = 3) -> GPSDFix {
      GPSDFix(
        device: device, time: time.addingTimeInterval(seconds), mode: mode, latitude: 51.5, longitude: -0.125)
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
      report.isSimulated = true
      let passedOn = try #require(location(merger.take(report)))
      #expect(
        passedOn
          == Location(
            coordinate: LocationCoordinate2D(latitude: 51.5, longitude: -0.125), altitude: 10.1,
            ellipsoidalAltitude: -22.4, horizontalAccuracy: 5, timestamp: time, mode: .threeDimensional,
            sourceInformation: LocationSourceInformation(device: "/dev/a", isSimulatedBySoftware: true)))
    }

    @Test func ephComesBeforeItsParts() throws {
      var merger = EpochMerger()
      var report = fix()
      report.eph = 17.1
      report.epx = 3
      report.epy = 4
      #expect(location(merger.take(report))?.horizontalAccuracy == 17.1)
      report.eph = nil
      report.epy = nil
      report.time = time.addingTimeInterval(1)
      #expect(try #require(location(merger.take(report))).horizontalAccuracy == nil)
    }

    @Test func anEpochGrows() {
      var merger = EpochMerger()
      var first = fix(mode: 2)
      first.speed = 5
      first.track = 45
      #expect(location(merger.take(first))?.speed == 5)
      var second = fix(mode: 3)
      second.altitudeMSL = 35
      let merged = location(merger.take(second))
      #expect(merged?.speed == 5 && merged?.course == 45 && merged?.altitude == 35)
      // The next epoch begins with nothing.
      let next = location(merger.take(fix(at: 1)))
      #expect(next?.speed == nil && next?.altitude == nil)
    }

    @Test func aRepeatedReportIsNotPassedOn() {
      var merger = EpochMerger()
      #expect(merger.take(fix()) != nil)
      #expect(merger.take(fix()) == nil)
      _ = merger.take(skyOf: "/dev/a", seen: 9, used: 7)
      #expect(merger.take(fix()) == nil)
      var moved = fix()
      moved.latitude = 51.6
      #expect(location(merger.take(moved))?.coordinate.latitude == 51.6)
      // Without a time there is no telling.
      var timeless = fix()
      timeless.time = nil
      #expect(merger.take(timeless) != nil)
      #expect(merger.take(timeless) != nil)
    }

    @Test func altitudeNeedsThreeDimensions() {
      var merger = EpochMerger()
      var report = fix(mode: 2)
      report.altitudeMSL = 35
      report.altitudeHAE = 82
      let flat = location(merger.take(report))
      #expect(flat != nil && flat?.altitude == nil && flat?.ellipsoidalAltitude == nil)
      #expect(flat?.mode == .twoDimensional)
    }

    @Test(arguments: [0, 1]) func noFixIsSaid(mode: Int) {
      var merger = EpochMerger()
      #expect(merger.take(fix(mode: mode)) == .noFix)
      // And the fix afterwards is new, even in the same epoch.
      #expect(merger.take(fix()) != nil)
    }

    @Test func aPositionMayComeAfterTheMode() {
      var merger = EpochMerger()
      var velocity = fix()
      velocity.latitude = nil
      velocity.longitude = nil
      velocity.speed = 5
      #expect(merger.take(velocity) == nil)
      #expect(location(merger.take(fix()))?.speed == 5)
    }

    @Test func devicesDoNotMix() {
      var merger = EpochMerger()
      var first = fix()
      first.speed = 5
      _ = merger.take(first)
      _ = merger.take(skyOf: "/dev/a", seen: 9, used: 7)
      let other = location(merger.take(fix(device: "/dev/b")))
      #expect(other != nil && other?.speed == nil && other?.satellitesSeen == nil)
      let again = location(merger.take(fix(at: 1)))
      #expect(again?.satellitesSeen == 9 && again?.satellitesUsed == 7)
      merger.remove("/dev/a")
      #expect(location(merger.take(fix(at: 2)))?.satellitesSeen == nil)
    }

    @Test func namesWithoutEndTakeNoMemoryWithoutEnd() {
      var merger = EpochMerger()
      for index in 0..<10_000 { _ = merger.take(fix(device: "/dev/\(index)")) }
      #expect(location(merger.take(fix(device: "/dev/last"))) != nil)
      #expect(merger.deviceCount <= 64)
    }
  }
}
