import Foundation
import Journal
import TestSupport
import Testing

/// What the daemon says of its publishing: metrics, status, messages, the doctor; and what it keeps to itself.
@Suite(.startsPrograms) struct PublishingStateTests {
  private let folder = TemporaryFolder()
  private let port = LoopbackSocket.unusedPort()

  private func flags(_ more: String...) -> [String] {
    ["--journal", folder.path("journal.db"), "--publish", "mqtt://127.0.0.1:\(port)"] + more
  }

  @Test func metricsAndSIGUSR1TellTheQueueAndWhatWasAcknowledged() async throws {
    let metrics = LoopbackSocket.unusedPort()
    let process = try DaemonProcess(
      ["replay", "-", "--speed", "max", "--metrics", "127.0.0.1:\(metrics)"] + flags(), keepsInputOpen: true)
    func metric(_ name: String) -> Double? { rxlocationdTests.metric("rxlocationd_publish_\(name)", port: metrics) }
    process.feed(0..<10)
    try await process.wait(for: "a queue") { metric("queue_rows") == 10 }
    #expect(metric("connected") == 0)
    #expect(metric("oldest_unsent_timestamp_seconds") == 1_738_411_200)
    #expect(metric("sent_total") == 0)
    #expect(metric("acknowledged_total") == 0)
    #expect(metric("last_acknowledgement_timestamp_seconds") == nil)
    process.send(signal: SIGUSR1)
    try await process.wait(for: "the state") {
      process.messages.contains("no broker, 10 waiting")
        && process.messages.contains("0 messages published, 10 records wait for the broker, 0 reconnections\n")
    }

    let broker = try RealBroker(port: port)
    // The pauses between tries have grown to a minute at most.
    try await process.wait(for: "an empty queue") { metric("queue_rows") == 0 && metric("acknowledged_total") == 10 }
    #expect(metric("connected") == 1)
    #expect(metric("sent_total") == 10)
    #expect(metric("reconnections_total") == 0)
    #expect(metric("oldest_unsent_timestamp_seconds") == nil)
    let time = try #require(metric("last_acknowledgement_timestamp_seconds"))
    #expect(abs(time - Date.now.timeIntervalSince1970) < 60)
    process.send(signal: SIGUSR1)
    try await process.wait(for: "the state") {
      process.messages.contains("10 messages published, 0 records wait for the broker, 0 reconnections\n")
    }

    broker.kill()
    try await process.wait(for: "the loss") { metric("connected") == 0 }
    process.feed(10..<11)
    try await process.wait(for: "a record that waits") { metric("queue_rows") == 1 }
    process.send(signal: SIGUSR1)
    try await process.wait(toSay: "no broker, 1 waiting")
    try broker.start()
    try await process.wait(for: "the next one") { metric("acknowledged_total") == 11 }
    #expect(metric("reconnections_total") ?? 0 >= 1)
    try await process.terminate()
  }

  @Test func fixesWithoutATimeAreCountedAndSaidOnce() async throws {
    let broker = try RealBroker(port: port)
    let process = try DaemonProcess(["replay", "-", "--speed", "max"] + flags(), keepsInputOpen: true)
    process.write((10..<15).map { NMEA.undated($0) }.joined())
    try await process.wait(toSay: "without a time")
    try await process.wait(for: "the count") {
      process.send(signal: SIGUSR1)
      return process.messages.contains("; publishing, 5 without a time")
        && process.messages.contains("0 reconnections, 5 without a time not published")
    }
    process.closeInput()
    let result = try await process.waitUntilExit()
    #expect(result.status == 74 && result.lines.count == 5)
    #expect(result.messages.components(separatedBy: "a location without a time is not published").count == 2)
    let words = "error: 5 records were not published to mqtt://127.0.0.1:\(port), because they had no time"
    #expect(result.messages.contains(words), "\(result.messages)")
    withExtendedLifetime(broker) {}
  }

  /// A password that would be seen wherever it went.
  private static let password = "correct-horse-battery"

  @Test func fencesOfACommandHoldUntilTheSettingsAreReadAgain() async throws {
    let broker = try RealBroker(port: port)
    let topic = "owntracks/ann/car"
    let subscriber = try BrokerSubscriber(broker, topic + "/waypoints")
    let settings = try folder.write("fence home=1,2,50\n", to: "x.conf")
    let process = try DaemonProcess(
      ["replay", "-", "--speed", "max", "--config", settings]
        + flags("--publish-topic", topic, "--publish-commands"), keepsInputOpen: true)
    func fences() -> [[String]] {
      subscriber.messages.map { message in
        (message.json["waypoints"] as? [[String: Any]] ?? []).compactMap { $0["desc"] as? String }
      }
    }
    try await process.wait(for: "the fence of the file") { fences() == [["home"]] }
    try await process.wait(for: "a reader of commands") { broker.log.contains("1 \(topic)/cmd") }
    func send(_ waypoints: String) throws {
      let list = #"{"_type":"waypoints","waypoints":[\#(waypoints)]}"#
      try broker.publish(#"{"_type":"cmd","action":"setWaypoints","waypoints":\#(list)}"#, on: topic + "/cmd")
    }
    // 51.1667 north is where the receiver will be.
    try send(#"{"_type":"waypoint","desc":"here","lat":51.1667,"lon":-0.125,"rad":1000}"#)
    try await process.wait(for: "another fence") { fences().last == ["home", "here"] }
    try send(#"{"_type":"waypoint","desc":"home"}"#)
    try await process.wait(for: "one fence less") { fences().last == ["here"] }
    process.feed(0..<10)
    try await process.wait(for: "its state") {
      (try? JournalReader(path: folder.path("journal.db")).fenceStates(after: 100)) == ["here": true]
    }
    try folder.write("fence far=10,20,50\n", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the fence of the file") { fences().last == ["far"] }
    try await process.wait(toSay: "fences were changed by a command: 2 are watched now")
    try await process.terminate()
  }

  @Test func aCommandForTooManyFencesIsRefused() async throws {
    let broker = try RealBroker(port: port)
    let topic = "owntracks/ann/car"
    let process = try DaemonProcess(
      ["replay", "-", "--speed", "max", "--fence", "home=1,2,50"]
        + flags("--publish-topic", topic, "--publish-commands"), keepsInputOpen: true)
    try await process.wait(for: "a reader of commands") { broker.log.contains("1 \(topic)/cmd") }
    func send(_ fences: Range<Int>) throws {
      let waypoints = fences.map { #"{"_type":"waypoint","desc":"\#($0)","lat":1,"lon":1,"rad":9}"# }
      let list = #"{"_type":"waypoints","waypoints":[\#(waypoints.joined(separator: ","))]}"#
      try broker.publish(lines: [#"{"_type":"cmd","action":"setWaypoints","waypoints":\#(list)}"#], on: topic + "/cmd")
    }
    try send(0..<4096)
    try await process.wait(toSay: "a command for more than 4096 fences is refused; no fence has changed")
    try send(0..<6000)
    try await process.wait(toSay: "a message on '\(topic)/cmd' has more than 262144 bytes, and is ignored")
    try send(0..<4095)
    try await process.wait(toSay: "4096 are watched now")
    try await process.terminate()
  }

  /// The command line and the environment that everybody on this machine, or this user, can read.
  private func isSecret(_ process: DaemonProcess) -> Bool {
    ["cmdline", "environ"].allSatisfy { file in
      let path = "/proc/\(process.identifier)/\(file)"
      // Foundation reads one page of such a file by its path.
      let bytes = (try? FileHandle(forReadingAtPath: path)?.readToEnd()) ?? Data()
      return !bytes.isEmpty && bytes.range(of: Data(Self.password.utf8)) == nil
    }
  }

  @Test func theSecretsOfTheServiceAreFoundAndKeptSecret() async throws {
    try RealBroker.addUser("ann", password: Self.password, in: folder)
    let broker = try RealBroker(listener: ["password_file FOLDER/users"], folder: folder, port: port)
    try folder.write(Self.password + "\n", to: "publish-password")
    let key = try folder.write(Self.password + "\n", to: "publish-encryption-key")
    #expect(chmod(key, 0o600) == 0)
    let subscriber = try BrokerSubscriber(broker, "owntracks/#", options: ["-u", "ann", "-P", Self.password])
    // What systemd's LoadCredential= makes: a folder, and a variable that names it.
    let process = try DaemonProcess(
      "/usr/bin/env",
      [
        "CREDENTIALS_DIRECTORY=\(folder.path)", DaemonProcess.executable.path, "replay", "-", "--speed", "max",
        "--log-level", "trace",
      ]
        + flags("--publish-user", "ann"), keepsInputOpen: true)
    process.feed(0..<3)
    try await process.wait(toSay: "publishing to mqtt://127.0.0.1:\(port)")
    try await process.wait(for: "a message") { !subscriber.messages.isEmpty }
    #expect(subscriber.messages.allSatisfy { $0.json["_type"] as? String == "encrypted" })
    #expect(isSecret(process))
    // Wrong from now on, which is said with the next session.
    try RealBroker.addUser("ann", password: "another", in: folder)
    broker.kill()
    try broker.start()
    try await process.wait(toSay: "the broker says: ")
    process.send(signal: SIGUSR1)
    try await process.wait(toSay: "reconnections")
    let result = try await process.terminate()
    #expect(!(result.messages + result.output).contains(Self.password))
  }

  @Test func thereIsNoFlagForAPassword() async throws {
    for arguments in [["--publish-password", Self.password], ["--publish", "mqtt://ann:\(Self.password)@127.0.0.1"]] {
      #expect(try #require(await Refusal(["replay", "-"] + arguments)).status == 64)
    }
    let file = try folder.write("publish-password \(Self.password)\n", to: "conf")
    let refusal = try #require(await Refusal(["replay", "-", "--config", file]))
    #expect(refusal.status == 78 && !refusal.message.contains(Self.password), "\(refusal)")
  }

  @Test func aNameThatDoesNotResolveIsSaidAndHoldsNothingUp() async throws {
    let process = try DaemonProcess(
      ["replay", "-", "--speed", "max", "--journal", folder.path("journal.db"), "--publish", "mqtt://broker.invalid"],
      keepsInputOpen: true)
    process.feed(0..<20)
    try await process.wait(toSay: "cannot publish to mqtt://broker.invalid")
    try await process.wait(for: "locations") { process.output.count { $0 == "\n" } >= 19 }
    try await process.terminate()
  }
}
