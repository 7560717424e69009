import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

/// What a user sees of `collect`, with a real broker.
@Suite(.startsPrograms, .enabled(if: RealBroker.path != nil, "there is no mosquitto on this host"))
struct CollectProcessTests {
  private let folder: TemporaryFolder
  private let broker: RealBroker
  private var journal: String { folder.path("fleet.db") }
  private var address: String { "mqtt://127.0.0.1:\(broker.port)" }

  init() throws {
    folder = try TemporaryFolder()
    broker = try RealBroker()
  }

  private func collect(_ arguments: [String] = []) async throws -> DaemonProcess {
    let process = try DaemonProcess(["collect", "--subscribe", address, "--journal", journal] + arguments)
    try await process.wait(for: "a session") { process.messages.contains("listening to") }
    return process
  }

  private func publish(_ json: String, from device: String, _ suffix: String = "") throws {
    try broker.publish(json, on: "owntracks/\(device)\(suffix)")
  }

  private func location(_ time: Int, latitude: Double = 48) -> String {
    #"{"_type":"location","lat":\#(latitude),"lon":11,"acc":5,"tst":\#(time)}"#
  }

  /// The times of all rows of a device, in seconds.
  private func times(of device: String) throws -> [Double] {
    var times: [Double] = []
    try JournalReader(path: journal).forEachLocation(of: device) { location in
      times.append(location.timestamp?.timeIntervalSince1970 ?? 0)
      return true
    }
    return times
  }

  private static let now = Int(Date().timeIntervalSince1970)

  @Test func whatComesTwiceIsOneRowAndWhatDiffersIsTwo() async throws {
    let process = try await collect()
    for payload in [location(Self.now), location(Self.now), location(Self.now, latitude: 48.1)] {
      try publish(payload, from: "ann/car")
    }
    try await process.wait(for: "two rows") { (try? times(of: "ann/car"))?.count == 2 }
    try publish(location(Self.now + 1), from: "ann/car")
    try await process.wait(for: "the third") { (try? times(of: "ann/car"))?.count == 3 }
    try await process.terminate()
  }

  @Test func whatIsLateOrAheadIsKeptAndNeverTheNewest() async throws {
    let process = try await collect()
    try publish(location(Self.now), from: "ann/car")
    try publish(location(Self.now - 3600, latitude: 47), from: "ann/car")
    try publish(location(Self.now + 365 * 86_400, latitude: 46), from: "ann/car")
    try publish(location(Self.now, latitude: 45), from: "ben/boat")
    try await process.wait(for: "all rows") {
      (try? times(of: "ann/car"))?.count == 3 && process.output.contains("ben/boat")
    }
    process.send(signal: SIGTERM)
    let result = try await process.waitUntilExit()
    #expect(result.lines.count == 2, "\(result.output)")
    #expect(result.messages.contains("1 late, 1 ahead"), "\(result.messages)")
    #expect(result.messages.contains("the clock of ann/car is ahead"))
    let list = try await DaemonProcess.run(["collect", "--list", "--journal", journal])
    #expect(list.status == 0 && list.lines.count == 2)
    #expect(list.lines.first?.contains(#""latitude":48.0"#) == true, "\(list.output)")
  }

  @Test func aFenceIsCrossedByEachDeviceByItselfAndOnceOverRestarts() async throws {
    let fence = ["--fence", "home=48,11,200"]
    let first = try await collect(fence)
    for second in stride(from: 0, through: 60, by: 10) {
      try publish(location(Self.now - 300 + second, latitude: second < 30 ? 48 : 48.1), from: "ann/car")
      try publish(location(Self.now - 300 + second), from: "ben/boat")
    }
    try await first.wait(for: "the crossing") { first.output.contains(#""event":"exit""#) }
    try await first.wait(for: "its row") { (try? crossings()) == ["ann/car home exit"] }
    first.send(signal: SIGKILL)
    _ = try await first.waitUntilExit()
    // The car comes home while nobody listens.
    for second in stride(from: 70, through: 120, by: 10) {
      try publish(location(Self.now - 300 + second), from: "ann/car")
    }
    let second = try await collect(fence)
    try await second.wait(for: "the crossing") { second.output.contains(#""event":"enter""#) }
    #expect(!second.output.contains(#""event":"exit""#))
    try await second.wait(for: "its row") { (try? crossings()) == ["ann/car home exit", "ann/car home enter"] }
    try await second.terminate()
  }

  private func crossings() throws -> [String] {
    try JournalReader(path: journal).entries(after: 0, limit: 1000).compactMap { entry in
      guard case .crossing(let crossing) = entry.record else { return nil }
      let device = crossing.location.sourceInformation?.deviceIdentifier ?? ""
      return "\(device) \(crossing.region.identifier) \(crossing.state == .inside ? "enter" : "exit")"
    }
  }

  @Test func aDevicesOwnTransitionPassesThrough() async throws {
    let process = try await collect()
    try publish(
      #"{"_type":"transition","event":"enter","desc":"work","lat":48,"lon":11,"acc":5,"tst":\#(Self.now),"wtst":1}"#,
      from: "ann/phone", "/event")
    try await process.wait(for: "the transition") { process.output.contains(#""fence":"work","event":"enter""#) }
    #expect(process.output.contains(#""device":"ann/phone","reported":true"#), "\(process.output)")
    process.send(signal: SIGTERM)
    let result = try await process.waitUntilExit()
    #expect(
      result.status == 0 && result.messages.contains("1 device, 0 locations of 1 message, "), "\(result.messages)")
  }

  @Test(arguments: [runsLongTests ? (20, 40_000) : (3, 2_000)])
  func keepsWhatTheBrokerWasToldOverKills(kills: Int, count: Int) async throws {
    // The session is there before anything is published, so that the broker keeps what nobody takes.
    var process = try await collect(["--format", "none"])
    let recording = try folder.write((0..<count).map { NMEA.epoch($0) }.joined(), to: "fleet.nmea")
    let publisher = try DaemonProcess([
      "replay", recording, "--speed", "max", "--format", "none", "--publish", address, "--publish-topic",
      "owntracks/ann/car",
    ])
    for kill in 1...kills {
      let target = count * kill / (kills + 2)
      try await process.wait(for: "rows") { (try? times(of: "ann/car"))?.count ?? 0 >= target }
      process.send(signal: SIGKILL)
      #expect(try await process.waitUntilExit().status == -9)
      process = try await collect(["--format", "none"])
    }
    #expect(try await publisher.waitUntilExit().status == 0)
    try await process.wait(for: "all rows") { (try? times(of: "ann/car"))?.count == count }
    let all = try times(of: "ann/car")
    // 2025-02-01 12:00:00 UTC.
    let expected = (0..<count).map { Double(1_738_411_200 + $0) }
    #expect(all == expected)
    try await process.terminate()
  }

  /// Without a fence, batches may wait between the thread that keeps them and the main actor at the end.
  @Test(arguments: [[], ["--fence", "depot=50,0,1"]])
  func whatIsKeptIsPrintedWheneverItEnds(fence: [String]) async throws {
    let process = try await collect(fence)
    let count = 12_000
    let recording = try folder.write((0..<count).map { NMEA.epoch($0) }.joined(), to: "fleet.nmea")
    let publisher = try DaemonProcess([
      "replay", recording, "--speed", "max", "--format", "none", "--publish", address, "--publish-topic",
      "owntracks/ann/car",
    ])
    try await process.wait(for: "the first") { process.output.count { $0 == "\n" } > 500 }
    let result = try await process.terminate()
    let printed = result.lines.count { $0.contains(#""type":"location""#) }
    #expect(try times(of: "ann/car").count == printed)
    #expect(printed < count, "it has ended too late to show anything")
    publisher.send(signal: SIGTERM)
    _ = try await publisher.waitUntilExit()
  }

  @Test func bytesOfAnyKindAreCountedAndDoNoHarm() async throws {
    let process = try await collect()
    for payload in [
      "", "{", "[]", #"{"_type":"location"}"#, #"{"_type":"location","lat":91,"lon":0,"tst":1}"#, "\u{1}",
    ] {
      try publish(payload, from: "ann/car")
    }
    try publish(location(Self.now), from: "ann/car")
    try await process.wait(for: "the location") { process.output.contains("ann/car") }
    let result = try await process.terminate()
    #expect(result.messages.contains("5 refused"), "\(result.messages)")
  }
}
