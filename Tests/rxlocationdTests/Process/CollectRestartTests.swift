import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

/// What `collect` makes of the journal of an earlier run.
@Suite(.startsPrograms, .enabled(if: RealBroker.path != nil, "there is no mosquitto on this host"))
struct CollectRestartTests {
  private let folder: TemporaryFolder
  private let broker: RealBroker
  private let now = Date().timeIntervalSince1970.rounded()
  private var journal: String { folder.path("fleet.db") }

  init() throws {
    folder = try TemporaryFolder()
    broker = try RealBroker()
  }

  private func location(_ device: String, ago: Double, latitude: Double) -> Location {
    Location(
      coordinate: LocationCoordinate2D(latitude: latitude, longitude: 11), horizontalAccuracy: 5,
      timestamp: Date(timeIntervalSince1970: now - ago),
      sourceInformation: LocationSourceInformation(deviceIdentifier: device))
  }

  /// Keeps records as an earlier run does.
  private func keep(_ records: [JournalRecord]) throws {
    let journal = try DeviceJournalFile(path: journal, limit: 1 << 24)
    try journal.commit(records.map { DeviceRecord($0, message: 1, received: Date()) })
  }

  private func collect(_ arguments: [String] = []) async throws -> DaemonProcess {
    let process = try DaemonProcess(
      [
        "collect", "--subscribe", "mqtt://127.0.0.1:\(broker.port)", "--journal", journal,
      ] + arguments)
    try await process.wait(for: "a session") { process.messages.contains("listening to") }
    return process
  }

  private func publish(_ device: String, ago: Double, latitude: Double = 48) throws {
    let time = Int(Date().timeIntervalSince1970 - ago)
    try broker.publish(
      #"{"_type":"location","lat":\#(latitude),"lon":11,"acc":5,"tst":\#(time)}"#, on: "owntracks/\(device)")
  }

  /// The records of a type on standard output.
  private func records(_ process: DaemonProcess, _ type: String) -> [[String: Any]] {
    process.output.split(separator: "\n")
      .compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .filter { $0["type"] as? String == type }
  }

  private func end(_ process: DaemonProcess) async throws -> DaemonProcess.Result {
    let result = try await process.terminate()
    return result
  }

  /// The car has been silent since an earlier run. The boat's fix is almost as old as a fix may be.
  @Test func onlyALossOfThisRunIsReported() async throws {
    try keep([.location(location("ann/car", ago: 3600, latitude: 48))])
    let process = try await collect(["--stale-after", "60"])
    try publish("ben/boat", ago: 58)
    func lost() -> [String?] { records(process, "error").map { $0["device"] as? String } }
    try await process.wait(for: "the loss", within: 30) { lost().contains("ben/boat") }
    #expect(process.output.contains("no fix for 60.0 s"), "\(process.output)")
    #expect(lost() == ["ben/boat"])
    _ = try await end(process)
  }

  @Test(arguments: [[], ["--fence", "depot=50,0,100"]])
  func aLocationOfTheJournalIsNotPrintedAgain(fence: [String]) async throws {
    try keep([30, 20].map { .location(location("ann/car", ago: $0, latitude: 48)) })
    let process = try await collect(fence)
    try publish("ben/boat", ago: 0)
    try await process.wait(for: "the boat") { process.output.contains("ben/boat") }
    #expect(!process.output.contains("ann/car"), "\(process.output)")
    // The run knows it all the same: an older location is late.
    try publish("ann/car", ago: 3600)
    try publish("ann/car", ago: 0)
    try await process.wait(for: "the car") { process.output.contains("ann/car") }
    let result = try await end(process)
    #expect(records(process, "location").map { $0["device"] as? String } == ["ben/boat", "ann/car"])
    #expect(result.messages.contains("2 devices, 3 locations of 3 messages, 1 late, "), "\(result.messages)")
  }

  private let home = Region(
    center: LocationCoordinate2D(latitude: 48, longitude: 11), radius: 200, identifier: "home")

  private func crossings() throws -> [String] {
    try JournalReader(path: journal).entries(after: 0, limit: 1000).compactMap { entry in
      guard case .crossing(let crossing) = entry.record else { return nil }
      return "\(crossing.region.identifier) \(crossing.state == .inside ? "enter" : "exit")"
    }
  }

  /// The earlier run had no fences.
  @Test func aCrossingOfTheEarlierRunIsReportedOnceAndKept() async throws {
    try keep(
      stride(from: 60.0, through: 0, by: -5).map {
        .location(location("ann/car", ago: $0, latitude: $0 > 32 ? 48 : 48.1))
      })
    for run in 1...2 {
      let process = try await collect(["--fence", "home=48,11,200"])
      if run == 1 {
        try await process.wait(for: "the crossing") { !records(process, "fence").isEmpty }
        #expect(records(process, "fence").map { $0["event"] as? String } == ["exit"])
      }
      // All rows before this one are in the journal.
      try publish("ben/boat\(run)", ago: 0, latitude: 49)
      try await process.wait(for: "the boat") { process.output.contains("ben/boat\(run)") }
      _ = try await end(process)
      #expect(records(process, "fence").count == (run == 1 ? 1 : 0), "\(process.output)")
      #expect(try crossings() == ["home exit"])
    }
  }

  /// It is where it was known to be.
  @Test func aDeviceThatLeftAndCameBackIsNoNews() async throws {
    let inside = location("ann/car", ago: 300, latitude: 48)
    try keep(
      [.location(inside), .crossing(RegionCrossing(home, .inside, at: inside))]
        + stride(from: 60.0, through: 0, by: -2).map {
          .location(location("ann/car", ago: $0, latitude: (31...55).contains($0) ? 48.1 : 48))
        })
    let process = try await collect(["--fence", "home=48,11,200"])
    try publish("ben/boat", ago: 0, latitude: 49)
    try await process.wait(for: "the boat") { process.output.contains("ben/boat") }
    _ = try await end(process)
    #expect(records(process, "fence").isEmpty, "\(process.output)")
  }

  /// A fix alone says nothing of how long the car has been outside; and it says nothing of where the car was before.
  @Test(arguments: [[40, 22, 16, 10, 4], [15, 10, 5]])
  func aDeviceOnItsWayOutOfAFenceGoesOn(ago: [Double]) async throws {
    let inside = location("ann/car", ago: 300, latitude: 48)
    try keep(
      [.location(inside), .crossing(RegionCrossing(home, .inside, at: inside))]
        + ago.map { .location(location("ann/car", ago: $0, latitude: $0 > 30 ? 48 : 48.1)) })
    let process = try await collect(["--fence", "home=48,11,200"])
    // Ten seconds after the start of this test, however long it has taken.
    try publish("ann/car", ago: Date().timeIntervalSince1970 - now - 10, latitude: 48.1)
    try await process.wait(for: "the location") { !records(process, "location").isEmpty }
    _ = try await end(process)
    #expect(records(process, "fence").map { $0["event"] as? String } == ["exit"], "\(process.output)")
  }

  /// No crossing is known, but an earlier fix was outside.
  @Test func aDeviceOnItsWayIntoItsFirstFenceGoesOn() async throws {
    try keep([200, 15, 10, 5].map { .location(location("ann/car", ago: $0, latitude: $0 > 30 ? 48.1 : 48)) })
    let process = try await collect(["--fence", "home=48,11,200"])
    try publish("ann/car", ago: Date().timeIntervalSince1970 - now - 10, latitude: 48)
    try await process.wait(for: "the location") { !records(process, "location").isEmpty }
    _ = try await end(process)
    #expect(records(process, "fence").map { $0["event"] as? String } == ["enter"], "\(process.output)")
  }

  /// Of the locations that are read again, the first is a single one inside, which was never a stay.
  @Test func aShortStayBeforeARestartIsNoCrossing() async throws {
    try keep(
      [900, 800, 700, 600, 500, 400, 5].map {
        .location(location("ann/car", ago: $0, latitude: $0 == 800 ? 48 : 48.1))
      })
    let process = try await collect(["--fence", "home=48,11,200"])
    try publish("ann/car", ago: 0, latitude: 48.1)
    try await process.wait(for: "the location") { !records(process, "location").isEmpty }
    _ = try await end(process)
    #expect(records(process, "fence").isEmpty, "\(process.output)")
  }

  @Test func theMetricsAndTheStateSayWhatWasDone() async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try await collect(["--metrics", "127.0.0.1:\(port)"])
    for ago in [0.0, 3600] { try publish("ann/car", ago: ago) }
    // A year ahead.
    try publish("ben/boat", ago: -365 * 86_400)
    try broker.publish("{", on: "owntracks/ann/car")
    try broker.publish(#"{"_type":"card","name":"Ann"}"#, on: "owntracks/ann/car/info")
    let expected = [
      "rxlocationd_devices": 1.0, "rxlocationd_collect_connected": 1, "rxlocationd_collect_messages_total": 5,
      "rxlocationd_collect_locations_total": 3, "rxlocationd_collect_committed_total": 3,
      "rxlocationd_collect_ahead_total": 1, "rxlocationd_collect_refused_total": 1,
    ]
    var text = ""
    let holds = await eventually {
      text = (try? scrape(port: port)) ?? ""
      return expected.allSatisfy { value($0, in: text) == $1 }
    }
    #expect(holds, "\(text)")
    process.send(signal: SIGUSR1)
    let state = "listening; 1 device; 1 device, 3 locations of 5 messages, 1 late, 1 ahead, 1 refused"
    try await process.wait(for: "the state") { process.messages.contains(state) }
    broker.kill()
    try await process.wait(for: "the loss") {
      (try? scrape(port: port)).flatMap { value("rxlocationd_collect_connected", in: $0) } == 0
    }
    process.send(signal: SIGUSR1)
    try await process.wait(for: "the outage") { process.messages.contains("nothing is received since ") }
    _ = try await end(process)
  }

  @Test func anOutputThatFailsIsSaidAtTheEnd() async throws {
    let words = [
      DaemonProcess.executable.path, "collect", "--subscribe", "mqtt://127.0.0.1:\(broker.port)", "--journal", journal,
    ]
    let process = try DaemonProcess("/bin/bash", ["-c", "exec \(words.joined(separator: " ")) >/dev/full"])
    try await process.wait(for: "a session") { process.messages.contains("listening to") }
    try publish("ann/car", ago: 0)
    try await process.wait(for: "the failure") { process.messages.contains("standard output cannot be written") }
    process.send(signal: SIGTERM)
    let result = try await process.waitUntilExit()
    #expect(result.status == 74)
    #expect(result.messages.contains("1 of 1 record was not written"), "\(result.messages)")
  }
}
