import Foundation
import Glibc
import Journal
import TestSupport
import Testing

/// What a user is told of a broker's refusals, of settings that it does not take, and of files that are none.
@Suite(.startsProgramsForLong) struct PublishingFaultTests {
  private let folder = TemporaryFolder()
  private let port = LoopbackSocket.unusedPort()
  private var address: String { "mqtt://127.0.0.1:\(port)" }

  /// A broker with an access list.
  private func broker(_ list: String...) throws -> RealBroker {
    try folder.write(list.map { $0 + "\n" }.joined(), to: "acl")
    return try RealBroker(
      listener: ["allow_anonymous true", "acl_file FOLDER/acl", "max_queued_messages 10000"], folder: folder, port: port
    )
  }

  private func replay(_ epochs: Range<Int>, _ more: String...) throws -> [String] {
    [
      "replay", try folder.recording(epochs), "--speed", "max", "--publish", address, "--publish-topic",
      "owntracks/ann/car",
    ]
      + more
  }

  @Test func aTopicThatIsRefusedIsNotDelivered() async throws {
    let broker = try broker("topic read owntracks/#")
    let process = try DaemonProcess(try replay(0..<30))
    try await process.wait(toSay: "refuses messages")
    try await process.wait(for: "several tries") { broker.log.components(separatedBy: "Sending CONNACK").count > 4 }
    let result = try await process.terminate(status: 74)
    #expect(result.messages.components(separatedBy: "refuses messages").count == 2, "\(result.messages)")
    #expect(result.messages.contains("refuses messages on 'owntracks/ann/car': Not authorized"), "\(result.messages)")
    #expect(result.messages.contains("30 records were not delivered to \(address) and are lost"), "\(result.messages)")
    // It was refused again and again, and left out never.
    #expect(!result.messages.contains("skipped"), "\(result.messages)")
  }

  @Test func whatIsRefusedIsCountedAndSaidAtTheEnd() async throws {
    let broker = try broker("topic readwrite owntracks/ann/car")
    let (metrics, journal) = (LoopbackSocket.unusedPort(), folder.path("journal.db"))
    let process = try DaemonProcess(
      [
        "replay", "-", "--publish", address, "--publish-topic", "owntracks/ann/car", "--fence", "far=0,0,50",
        "--journal", journal, "--metrics", "127.0.0.1:\(metrics)",
      ], keepsInputOpen: true)
    // The fence and the list of all, which are announced with the session.
    try await process.wait(for: "the refusal") { metric("rxlocationd_publish_refused_total", port: metrics) == 2 }
    process.feed(0..<30)
    try await process.wait(for: "the count") {
      process.send(signal: SIGUSR1)
      return process.messages.contains(" reconnections, 2 messages refused\n")
    }
    process.closeInput()
    let result = try await process.waitUntilExit(status: 74)
    #expect(result.messages.contains("2 messages were refused by \(address) and skipped"), "\(result.messages)")
    #expect(try JournalReader(path: journal, name: "publish").waiting().count == 0)
    withExtendedLifetime(broker) {}
  }

  /// The topics of a replay that another program starts.
  private func topics(_ program: String, _ words: [String], _ more: String...) async throws -> Set<String> {
    let broker = try RealBroker(folder: folder, port: port)
    let subscriber = try BrokerSubscriber(broker, "owntracks/#")
    let replay = ["replay", try folder.recording(0..<1), "--speed", "max", "--publish", address] + more
    let process = try DaemonProcess(program, words + [DaemonProcess.executable.path] + replay)
    try await process.waitUntilExit(status: 0)
    #expect(await eventually { !subscriber.messages.isEmpty })
    return Set(subscriber.messages.map(\.topic))
  }

  @Test(.enabled(if: getuid() == 0, "only root may name the host"))
  func theTopicHasTheHostsNameWithoutItsDomain() async throws {
    let words = ["--uts", "sh", "-c", #"hostname car.example.org && exec "$@""#, "sh"]
    #expect(try await topics("/usr/bin/unshare", words, "--publish-user", "ann") == ["owntracks/ann/car"])
  }

  @Test func anEmptyLoginNameIsNone() async throws {
    let topics = try await self.topics("/usr/bin/env", ["LOGNAME=", "USER=bob"])
    #expect(topics.allSatisfy { $0.hasPrefix("owntracks/bob/") }, "\(topics)")
  }

  /// systemd has a folder for other credentials, too.
  @Test func aUserMayHaveNoPassword() async throws {
    let broker = try RealBroker(folder: folder, port: port)
    let program = ["CREDENTIALS_DIRECTORY=\(folder.path)", DaemonProcess.executable.path]
    let process = try DaemonProcess("/usr/bin/env", program + replay(0..<3, "--publish-user", "ann"))
    try await process.waitUntilExit(status: 0)
    #expect(broker.log.contains("u'ann'"), "\(broker.log)")
  }

  @Test func aPipeAsPasswordIsRefusedAtTheStart() async throws {
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let user = ["--publish-user", "ann", "--publish-password-file", pipe]
    for command in [["replay", "-"], ["doctor"]] {
      let refusal = try #require(await Refusal(command + ["--publish", address] + user))
      #expect(refusal.status == 64 && refusal.message.contains("\(pipe) is not a regular file"), "\(refusal)")
    }
  }

  @Test func aPasswordThatBecomesAPipeIsSaidAndWhatWaitsIsLost() async throws {
    let path = try folder.write("secret", to: "password")
    let process = try DaemonProcess(try replay(0..<30, "--publish-user", "ann", "--publish-password-file", path))
    try await process.wait(toSay: "cannot publish to")
    #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
    try await process.wait(toSay: "\(path) is not a regular file")
    try await process.terminate(status: 74, saying: "30 records were not delivered")
  }

  @Test(.mountsStalled) func certificatesOnAFileSystemThatHangsHoldNothingUp() async throws {
    let mount = try StalledMount()
    let path = mount.file("ca.pem")
    let process = try DaemonProcess([
      "replay", try folder.recording(0..<30), "--speed", "max", "--publish", "mqtts://127.0.0.1:\(port)",
      "--publish-ca", path,
    ])
    try await process.wait(for: "locations") { process.output.count { $0 == "\n" } == 30 }
    try await process.terminate(status: 74, saying: "30 records were not delivered")
    withExtendedLifetime(mount) {}
  }

  @Test func aJournalThatIsPublishedForTheFirstTimeBeginsWithWhatComes() async throws {
    let journal = folder.path("journal.db")
    try await DaemonProcess.run(
      ["replay", try folder.recording(0..<50), "--speed", "max", "--journal", journal], status: 0)
    let broker = try broker("topic readwrite #")
    let subscriber = try BrokerSubscriber(broker, "owntracks/#", session: "test")
    try await DaemonProcess.run(try replay(50..<60, "--journal", journal), status: 0)
    // Whatever was sent has come when the last one has.
    func epochs() -> [Int] { subscriber.messages.compactMap { $0.json["tst"] as? Int }.map { $0 - 1_738_411_200 } }
    #expect(await eventually { epochs().last == 59 })
    #expect(epochs() == Array(50..<60))
  }

  @Test func aReplayDoesNotDriveOutTheService() async throws {
    let broker = try broker("topic readwrite #")
    let service = try DaemonProcess(
      ["run", "--gpsd", "127.0.0.1:9", "--publish", address, "--publish-topic", "owntracks/ann/car"])
    try await service.wait(toSay: "publishing to")
    let replays = try (0..<2).map { _ in try DaemonProcess(try replay(0..<5)) }
    for replay in replays { try await replay.waitUntilExit(status: 0) }
    #expect(broker.log.contains("as rxlocationd-owntracks-ann-car ("))
    #expect(broker.log.components(separatedBy: "as rxlocationd-owntracks-ann-car-replay-").count == 3, "\(broker.log)")
    #expect(!broker.log.contains("already connected"))
    try await service.terminate()
  }

  @Test func theDoctorWalksToEachDestination() async throws {
    let secret = "correct-horse-battery"
    try RealBroker.addUser("ann", password: secret, in: folder)
    let path = try folder.write(secret, to: "password")
    let broker = try RealBroker(listener: ["password_file FOLDER/users"], folder: folder, port: port)
    let flags = ["--publish", address, "--publish", "http://127.0.0.1:\(LoopbackSocket.unusedPort())"]
    let stranger = try await DaemonProcess.doctor(flags)
    #expect(stranger["broker login"]?["outcome"] == "failure", "\(stranger)")
    #expect(stranger["server connection"]?["outcome"] == "failure" && stranger["server connection"]?["hint"] != nil)
    let user = ["--publish-user", "ann", "--publish-password-file", path]
    let ann = try await DaemonProcess.doctor(flags + user)
    #expect(ann["broker"]?["outcome"] == "ok", "\(ann)")
    #expect(!"\(stranger)\(ann)".contains(secret))
    withExtendedLifetime(broker) {}
  }

  @Test func theDoctorTriesTheTopicAndLeavesNothingBehind() async throws {
    func findings() async throws -> [String: [String: String]] {
      try await DaemonProcess.doctor(["--publish", address, "--publish-topic", "owntracks/ann/car"])
    }
    let broker = try broker("topic readwrite owntracks/#")
    let subscriber = try BrokerSubscriber(broker, "#")
    let fresh = try await findings()
    #expect(fresh["broker topic"]?["outcome"] == "ok", "\(fresh)")
    #expect(
      fresh["broker retained"]?["message"]?.contains("retains no message on 'owntracks/ann/car'") == true, "\(fresh)")
    #expect(await eventually { !subscriber.messages.isEmpty })
    #expect(subscriber.messages.map { "\($0.topic) \($0.payload)" } == [#"owntracks/ann/car {"_type":"status"}"#])
    // The service's session must not be ended by it.
    #expect(broker.log.contains("as rxlocationd-owntracks-ann-car-doctor ("))

    try await DaemonProcess.run(try replay(0..<3), status: 0)
    let kept = try await findings()
    #expect(kept["broker retained"]?["message"]?.contains("retains a message on") == true, "\(kept)")
    // The location that was retained is there still, and nothing else.
    let late = try BrokerSubscriber(broker, "#")
    #expect(await eventually { !late.messages.isEmpty })
    #expect(late.messages.map { $0.json["_type"] as? String } == ["location"])

    func allow(_ list: String) throws {
      try folder.write(list + "\n", to: "acl")
      broker.kill()
      try broker.start()
    }
    try allow("topic write owntracks/ann/car")
    let blind = try await findings()
    #expect(blind["broker topic"]?["outcome"] == "ok", "\(blind)")
    #expect(blind["broker retained"]?["message"]?.contains("not checked") == true, "\(blind)")
    try allow("topic read owntracks/#")
    let refused = try await findings()
    #expect(refused["broker topic"]?["outcome"] == "failure", "\(refused)")
    #expect(refused["broker topic"]?["message"]?.contains("Not authorized") == true, "\(refused)")
  }
}
