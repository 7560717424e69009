import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

@Suite(.startsPrograms, .enabled(if: RealBroker.path != nil, "there is no mosquitto on this host"))
struct CollectProcessTests {
  private let folder = TemporaryFolder()
  private let broker: RealBroker
  private var journal: String { folder.path("fleet.db") }

  init() throws { broker = try RealBroker() }

  private func collect(_ arguments: [String] = []) async throws -> DaemonProcess {
    try await .collecting(broker, ["--journal", journal] + arguments)
  }

  private func publish(_ json: String, from device: String, _ suffix: String = "") throws {
    try broker.publish(json, on: "owntracks/\(device)\(suffix)")
  }

  private func location(_ time: Int, latitude: Double = 48) -> String {
    #"{"_type":"location","lat":\#(latitude),"lon":11,"acc":5,"tst":\#(time)}"#
  }

  private func times(of device: String) throws -> [Double] {
    var times: [Double] = []
    try JournalReader(path: journal).forEachLocation(of: device) { location in
      times.append(location.timestamp?.timeIntervalSince1970 ?? 0)
      return true
    }
    return times
  }

  private static let now = Int(Date().timeIntervalSince1970)

  @Test func whatComesIsKeptOnceAndCountedAndOnlyTheNewestIsShown() async throws {
    let port = LoopbackSocket.unusedPort()
    let process = try await collect(["--metrics", "127.0.0.1:\(port)"])
    let (late, ahead) = (location(Self.now - 3600, latitude: 47), location(Self.now + 365 * 86_400, latitude: 46))
    for payload in [
      location(Self.now), location(Self.now), location(Self.now, latitude: 48.1), late, ahead,
      // Bytes of any kind do no harm.
      "", "{", "[]", #"{"_type":"location"}"#, #"{"_type":"location","lat":91,"lon":0,"tst":1}"#, "\u{1}",
    ] {
      try publish(payload, from: "ann/car")
    }
    try publish(#"{"_type":"card","name":"Ann"}"#, from: "ann/car", "/info")
    let transition =
      #"{"_type":"transition","event":"enter","desc":"work","lat":48,"lon":11,"acc":5,"tst":\#(Self.now)}"#
    try publish(transition, from: "ann/phone", "/event")
    try publish(location(Self.now, latitude: 45), from: "ben/boat")
    try await process.wait(for: "all rows") {
      (try? times(of: "ann/car"))?.count == 4 && process.output.contains("ben/boat")
    }
    let expected = [
      "rxlocationd_devices": 3.0, "rxlocationd_collect_connected": 1, "rxlocationd_collect_messages_total": 14,
      "rxlocationd_collect_locations_total": 6, "rxlocationd_collect_committed_total": 6,
      "rxlocationd_collect_ahead_total": 1, "rxlocationd_collect_refused_total": 5,
    ]
    let text = try scrape(port: port)
    for (name, count) in expected { #expect(value(name, in: text) == count, "\(name)") }
    let counts = "3 devices, 6 locations of 14 messages, 2 late, 1 ahead, 5 refused"
    process.send(signal: SIGUSR1)
    try await process.wait(toSay: "listening; 3 devices; \(counts)")
    broker.kill()
    try await process.wait(for: "the loss") { metric("rxlocationd_collect_connected", port: port) == 0 }
    process.send(signal: SIGUSR1)
    try await process.wait(toSay: "nothing is received since ")

    let result = try await process.terminate(saying: counts)
    #expect(result.records("location").map { $0["latitude"] as? Double } == [48, 48.1, 45])
    #expect(result.output.contains(#""fence":"work","event":"enter""#), "\(result.output)")
    #expect(result.output.contains(#""device":"ann/phone","reported":true"#), "\(result.output)")
    #expect(result.lines.count == 4, "\(result.output)")
    #expect(result.messages.contains("the clock of ann/car is ahead"))
    let list = try await DaemonProcess.run(["collect", "--list", "--journal", journal], status: 0)
    #expect(list.records("location").map { $0["latitude"] as? Double } == [48.1, 45], "\(list.output)")
  }

  @Test func aFenceIsCrossedByEachDeviceByItselfAndOnceOverRestarts() async throws {
    let fence = ["--fence", "home=48,11,200"]
    let first = try await collect(fence)
    for second in stride(from: 0, through: 60, by: 10) {
      try publish(location(Self.now - 300 + second, latitude: second < 30 ? 48 : 48.1), from: "ann/car")
      try publish(location(Self.now - 300 + second), from: "ben/boat")
    }
    try await first.wait(for: "the crossing") { first.output.contains(#""event":"exit""#) }
    try await first.wait(for: "its row") { (try? JournalReader(path: journal).crossings()) == ["ann/car home exit"] }
    try await first.killAndWait()
    // The car comes home while nobody listens.
    for second in stride(from: 70, through: 120, by: 10) {
      try publish(location(Self.now - 300 + second), from: "ann/car")
    }
    let second = try await collect(fence)
    try await second.wait(for: "the crossing") { second.output.contains(#""event":"enter""#) }
    #expect(!second.output.contains(#""event":"exit""#))
    try await second.wait(for: "its row") {
      (try? JournalReader(path: journal).crossings()) == ["ann/car home exit", "ann/car home enter"]
    }
    try await second.terminate()
  }

  /// A program that publishes so many fixes at once.
  private func publisher(_ count: Int) throws -> DaemonProcess {
    try DaemonProcess([
      "replay", try folder.recording(0..<count), "--speed", "max", "--format", "none", "--publish",
      "mqtt://127.0.0.1:\(broker.port)", "--publish-topic", "owntracks/ann/car",
    ])
  }

  @Test(arguments: [runsLongTests ? (20, 40_000) : (3, 2_000)])
  func keepsWhatTheBrokerWasToldOverKills(kills: Int, count: Int) async throws {
    // The session is there before anything is published, so that the broker keeps what nobody takes.
    var process = try await collect(["--format", "none"])
    let publisher = try publisher(count)
    for kill in 1...kills {
      let target = count * kill / (kills + 2)
      try await process.wait(for: "rows") { (try? times(of: "ann/car"))?.count ?? 0 >= target }
      try await process.killAndWait()
      process = try await collect(["--format", "none"])
    }
    try await publisher.waitUntilExit(status: 0)
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
    let publisher = try publisher(count)
    try await process.wait(for: "the first") { process.output.count { $0 == "\n" } > 500 }
    let result = try await process.terminate()
    let printed = result.lines.count { $0.contains(#""type":"location""#) }
    #expect(try times(of: "ann/car").count == printed)
    #expect(printed < count, "it has ended too late to show anything")
    publisher.send(signal: SIGTERM)
    _ = try await publisher.waitUntilExit()
  }
}

extension Location {
  /// A location that a device of a fleet has sent.
  init(of device: String, at time: Date, latitude: Double = 48) {
    self.init(
      coordinate: LocationCoordinate2D(latitude: latitude, longitude: 11), horizontalAccuracy: 5, timestamp: time,
      sourceInformation: LocationSourceInformation(deviceIdentifier: device))
  }
}

extension JournalReader {
  /// The crossings of devices, in the order of their rows.
  func crossings() throws -> [String] {
    try entries(after: 0, limit: 1000).compactMap { entry in
      guard case .crossing(let crossing) = entry.record else { return nil }
      let device = crossing.location.sourceInformation?.deviceIdentifier ?? ""
      return "\(device) \(crossing.region.identifier) \(crossing.state == .inside ? "enter" : "exit")"
    }
  }
}
