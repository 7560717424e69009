import ArgumentParser
import Foundation
import Journal
import LocationKit
import Writing
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Collecting
@testable import Publishing
@testable import rxlocationd

/// The devices of `collect` in a time that the test moves.
@MainActor @Suite(.inTurn) struct FleetTests {
  private let start = Date(timeIntervalSince1970: 1_750_000_000)

  /// The time, and what a fleet has shown.
  private final class Shared: Sendable {
    let time = Mutex(0.0)
    let shown = Mutex<[(device: String, change: Fleet.Change)]>([])
  }

  private final class Stage {
    private let shared = Shared()
    let counts = Fleet.Counts()
    let fleet: Fleet

    @MainActor init(_ start: Date, _ arguments: String...) throws {
      var host = Host.system
      let shared = shared
      host.seconds = { shared.time.withLock { $0 } }
      host.date = { start + shared.time.withLock { $0 } }
      fleet = Fleet(
        try CollectSettings.parse(arguments), host: host, stream: try LocationStream(formatter: nil, mode: .live),
        counts: counts
      ) { changes in shared.shown.withLock { $0 += changes } }
    }

    /// The changes since the last call, as "device change".
    func changes() -> [String] {
      _ = fleet.advance()
      return shared.shown.withLock { shown in
        defer { shown = [] }
        return shown.map { device, change in
          switch change {
          case .location(let location): "\(device) \(location.coordinate.latitude)"
          case .loss: "\(device) lost"
          case .side(let state, let fence): "\(device) \(state) \(fence)"
          case .name(let name): "\(device) is \(name)"
          case .battery(let battery): "\(device) \(battery) %"
          }
        }
      }
    }

    func advance(to seconds: Double) -> [String] {
      shared.time.withLock { $0 = seconds }
      return changes()
    }
  }

  private func location(_ device: String, _ seconds: Double, latitude: Double = 48) -> Location {
    Location(of: device, at: start + seconds, latitude: latitude)
  }

  private func message(
    _ device: String, _ seconds: Double, latitude: Double = 48, battery: Int? = nil, isAhead: Bool = false
  ) -> Collector.Message {
    let location = location(device, seconds, latitude: latitude)
    return Collector.Message(
      device: device, record: DeviceRecord(.location(location), received: start, isAhead: isAhead), battery: battery)
  }

  @Test func lateAndRepeatedLocationsDoNotMoveADeviceBack() throws {
    let stage = try Stage(start)
    stage.fleet.receive([
      message("ann/car", 10, latitude: 48.1), message("ann/car", 5, latitude: 48.2),
      message("ann/car", 10, latitude: 48.1),
      // Another fix of the same second is a fix.
      message("ann/car", 10, latitude: 48.3), message("ben/boat", 1),
    ])
    #expect(stage.changes() == ["ann/car 48.1", "ann/car 48.3", "ben/boat 48.0"])
    #expect(stage.counts.devices == 2 && stage.counts.late == 2)
    // The late one is stored, the repeated one is stored already.
    let seconds = stage.fleet.takeRecords().map { $0.record.time?.timeIntervalSince(start) }
    #expect(seconds == [10, 5, 10, 1])
    #expect(stage.fleet.takeRecords().isEmpty)
  }

  @Test func aLocationAheadIsStoredAndNotShown() throws {
    let stage = try Stage(start)
    stage.fleet.receive([message("ann/car", 1000, battery: 50, isAhead: true)])
    #expect(stage.changes().isEmpty && stage.counts.devices == 0)
    #expect(stage.fleet.takeRecords().map(\.isAhead) == [true])
  }

  @Test func eachDeviceLosesItsFixByItself() throws {
    let stage = try Stage(start, "--stale-after", "60")
    stage.fleet.receive([message("ann/car", 0, battery: 12)])
    #expect(stage.changes() == ["ann/car 48.0", "ann/car 12 %"])
    #expect(stage.advance(to: 40).isEmpty)
    stage.fleet.receive([message("ben/boat", 40)])
    #expect(stage.advance(to: 60.9) == ["ben/boat 48.0"])
    #expect(stage.advance(to: 61) == ["ann/car lost"])
    #expect(stage.advance(to: 100).isEmpty)
    stage.fleet.receive([message("ben/boat", 99, latitude: 49)])
    #expect(stage.advance(to: 110) == ["ben/boat 49.0"])
    // A second loss, of both.
    stage.fleet.receive([message("ann/car", 109)])
    #expect(stage.advance(to: 400) == ["ann/car 48.0", "ben/boat lost", "ann/car lost"])
    #expect(stage.fleet.advance() == .infinity)
  }

  @Test func aFixThatIsOldOnArrivalIsStaleAtOnce() throws {
    let stage = try Stage(start, "--stale-after", "60")
    _ = stage.advance(to: 1000)
    stage.fleet.receive([message("ann/car", 0)])
    #expect(stage.changes() == ["ann/car 48.0", "ann/car lost"])
  }

  @Test func anUnlimitedFixIsNeverLost() throws {
    let stage = try Stage(start)
    stage.fleet.receive([message("ann/car", 0)])
    #expect(stage.fleet.advance() == 601)
  }

  @Test func theDwellOfAFenceIsThatOfTheFixes() throws {
    let stage = try Stage(start, "--fence", "home=48,11,200")
    // All come at once, as after an hour without a network.
    _ = stage.advance(to: 3600)
    for second in stride(from: 0.0, through: 60, by: 5) {
      stage.fleet.receive([
        message("ann/car", second, latitude: second < 20 ? 48 : 48.1), message("ben/boat", second),
      ])
    }
    let crossings = stage.fleet.takeRecords().compactMap { record -> String? in
      guard case .crossing(let crossing) = record.record else { return nil }
      return "\(crossing.location.sourceInformation?.deviceIdentifier ?? "") \(crossing.state)"
    }
    #expect(crossings == ["ann/car outside"])
    #expect(
      stage.changes().filter { $0.contains("home") } == [
        "ann/car inside home", "ben/boat inside home", "ann/car outside home",
      ])
  }

  @Test func aDevicesOwnCrossingIsStoredAndShown() throws {
    let stage = try Stage(start)
    let place = location("ann/phone", 0)
    let own = RegionCrossing(
      Region(center: place.coordinate, radius: 0, identifier: "work"), .inside, at: place, isReported: true)
    let record = DeviceRecord(.crossing(own), received: start)
    stage.fleet.receive([
      Collector.Message(device: "ann/phone", record: record), Collector.Message(device: "ann/phone", name: "Ann"),
    ])
    #expect(stage.changes() == ["ann/phone inside work", "ann/phone is Ann"])
    #expect(stage.fleet.takeRecords() == [record] && stage.counts.devices == 1)
  }
}
