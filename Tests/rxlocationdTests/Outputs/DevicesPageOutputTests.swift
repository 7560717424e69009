import ArgumentParser
import Foundation
import Journal
import LocationKit
import Logging
import TestSupport
import Testing

@testable import rxlocationd

@MainActor @Suite(.inTurn) struct DevicesPageOutputTests {
  private let folder = TestSupport.TemporaryFolder()
  private let start = Date(timeIntervalSince1970: 1_750_000_000)

  private func location(_ device: String, _ seconds: Double) -> Location {
    Location(of: device, at: start + seconds, latitude: 48 + seconds / 100_000)
  }

  /// The trail of a device with locations at these seconds; `nil` for a gap.
  private func trail(
    _ seconds: [Double], since: Double? = nil, until: Double? = nil, limit: Int = 1000,
    while goesOn: () -> Bool = { true }
  ) throws -> [Double?] {
    let path = folder.path("fleet.db")
    let journal = try DeviceJournalFile(path: path, limit: 1 << 24)
    let locations = seconds.map { location("ann/car", $0) } + [location("ben/boat", 5)]
    try journal.commit(locations.map { DeviceRecord(.location($0), message: 1, received: start) })
    return try JournalReader(path: path).trail(
      of: "ann/car", since: since.map { start + $0 }, until: until.map { start + $0 }, limit: limit, while: goesOn
    ).map { $0?.timestamp?.timeIntervalSince(start) }
  }

  /// The gap is found when nothing follows that could show the pace to be a slow one.
  @Test func aTrailHasItsGapsAndItsLastPart() throws {
    let seconds = (0..<20).map(Double.init)
    #expect(try trail(seconds + [10_000, 10_001]) == seconds + [nil, 10_000, 10_001])
  }

  @Test func aTrailIsTheNewestPart() throws {
    let seconds = (0..<45).map(Double.init)
    #expect(try trail(seconds, limit: 10) == (35..<45).map(Double.init))
    #expect(try trail(seconds, since: 40) == (40..<45).map(Double.init))
    #expect(try trail(seconds, since: 40, until: 42) == [40, 41])
  }

  @Test func aTrailEndsWithItsReader() throws {
    var count = 0
    _ = try trail((0..<45).map(Double.init)) {
      count += 1
      return count < 5
    }
    #expect(count == 5)
  }

  /// What the page has of all devices: the name, the state and the latitude of each.
  private func devices(_ port: UInt16) async throws -> [[Any]] {
    let whole = try await PageClient(port: port).object("/devices.json")
    #expect((whole["fences"] as? [[String: Any]])?.map { $0["id"] as? String } == ["home"])
    return try #require(whole["devices"] as? [[Any]])
  }

  /// What the page has after these changes.
  private func shown(
    after changes: [(device: String, change: Fleet.Change)],
    _ show: @escaping @Sendable ([(device: String, change: Fleet.Change)]) -> Void, _ port: UInt16
  ) async throws -> [[Any]] {
    await Task.detached { show(changes) }.value
    // The main queue delivers them before what follows.
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    return try await devices(port)
  }

  @Test func eachDeviceIsShownAndItsLossOfTheFix() async throws {
    let port = LoopbackSocket.unusedPort()
    let options = try CollectSettings.parse([
      "--map", "127.0.0.1:\(port)", "--map-assets", folder.path, "--fence", "home=1,2,30",
    ])
    let outputs = Outputs(
      name: "here", isReplay: false, logger: Logger(label: "") { _ in SwiftLogNoOpLogHandler() }, onEnd: {})
    let output = try #require(try await DevicesPageOutput(options, outputs))
    let show = output.changes
    var found = try await shown(
      after: [
        ("ann/car", .location(location("ann/car", 0))), ("ann/car", .name("Ann")),
        ("ben/boat", .location(location("ben/boat", 50))),
      ], show, port)
    #expect(found.map { $0[0] as? String } == ["ann/car", "ben/boat"])
    #expect(found[0][1] as? String == "Ann" && found[1][1] is NSNull)
    #expect(found.map { $0[2] as? Int } == [1, 1] && found.map { $0[3] as? Double } == [48, 48.0005])
    found = try await shown(after: [("ben/boat", .side(.inside, fence: "home"))], show, port)
    #expect(found[1].last as? [String] == ["home"])
    found = try await shown(after: [("ann/car", .loss)], show, port)
    #expect(found.map { $0[2] as? Int } == [2, 1], "the car is lost")
    await output.close()
    await outputs.close()
  }
}
