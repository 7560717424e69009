import Foundation
import Journal
import Writing
import LocationKit
import TestSupport
import Testing

@testable import Publishing

/// Messages and sessions that a real mosquitto refuses.
@Suite(.startsPrograms) struct RefusalTests {
  private let folder: TemporaryFolder
  private let queue = MemoryQueue()
  private let notices = Recorder<OutputNotice>()

  init() throws { folder = try TemporaryFolder() }

  /// A broker with an access list, which counts for all clients.
  private func broker(_ list: String...) throws -> RealBroker {
    try folder.write(list.map { $0 + "\n" }.joined(), to: "acl")
    return try RealBroker(listener: ["allow_anonymous true", "acl_file FOLDER/acl", Self.queue], folder: folder)
  }

  /// Without a limit mosquitto 2.0.11 closes the connection behind each message that it refuses.
  private static let queue = "max_queued_messages 10000"

  private func allowAll(_ broker: RealBroker) throws {
    try folder.write("topic readwrite owntracks/#\n", to: "acl")
    broker.kill()
    try broker.start()
  }

  private func publisher(
    _ port: UInt16, fences: [CircularRegion] = [], _ change: (inout PublisherConfiguration) -> Void = { _ in }
  ) throws -> Publisher {
    var configuration = PublisherConfiguration(port: port)
    change(&configuration)
    return try Publisher(configuration, queue: queue, fences: fences) { [notices] in notices.record($0) }
  }

  private var warnings: [String] { notices.values.filter { $0.severity == .warning }.map(\.message) }

  @Test func aRefusedTopicIsReportedOnceAndItsRowsWait() async throws {
    let broker = try broker("topic read owntracks/#", "topic write something/else")
    for number in 0..<30 { queue.append(.location(fix(Double(number)))) }
    let publisher = try publisher(broker.port)
    #expect(await eventually { broker.log.components(separatedBy: "Sending CONNACK").count > 5 }, "\(broker.log)")
    #expect(queue.cursor == 0)
    #expect(warnings.count == 1, "\(warnings)")
    #expect(warnings.first?.contains("'owntracks/user/device': Not authorized") == true, "\(warnings)")
    let statistics = publisher.statistics
    #expect(statistics.acknowledged == 0 && statistics.skipped == 0)
    // A window first, and then one with each try.
    #expect(statistics.refused >= 1 && statistics.sent <= 20 + statistics.reconnections, "\(statistics)")
    // Who goes says so, or the broker would publish the will.
    #expect(broker.log.contains("Received DISCONNECT from rxlocationd-"))

    try allowAll(broker)
    #expect(await eventually { queue.cursor == 30 }, "\(warnings)")
    #expect(warnings.count { $0.contains("Not authorized") } <= 2, "\(warnings)")
    #expect(await eventually { notices.values.last?.severity == .notice })
    await publisher.end()
    #expect(publisher.statistics.acknowledged == 30)
  }

  @Test func aRefusedCrossingDelaysLaterRowsAndRepeatsOneWindow() async throws {
    let broker = try broker("topic read owntracks/#", "topic write owntracks/user/device")
    let subscriber = try BrokerSubscriber(broker, "owntracks/#")
    queue.append(.location(fix(0)))
    queue.append(.crossing(crossing(.inside, 1)))
    for number in 2..<40 { queue.append(.location(fix(Double(number)))) }
    let publisher = try publisher(broker.port)
    #expect(await eventually { publisher.statistics.refused >= 5 })
    #expect(queue.cursor == 1)
    #expect(warnings.count == 1 && warnings[0].contains("device/event"), "\(warnings)")
    // The locations behind it were on their way with it, and are not sent with each try; at most once more, when the first
    // try ends before they are acknowledged.
    #expect(numbers(subscriber.messages).count <= 40)
    try allowAll(broker)
    #expect(await eventually { queue.cursor == 40 })
    #expect(warnings.allSatisfy { !$0.contains("on 'owntracks/user/device'") }, "\(warnings)")
    await publisher.end()
  }

  @Test func aRefusedFenceIsSkippedAndDelaysNothing() async throws {
    let broker = try broker("topic readwrite owntracks/user/device")
    queue.append(.location(fix(0)))
    let publisher = try publisher(broker.port, fences: [home])
    #expect(await eventually { queue.cursor == 1 })
    // The fence by itself, and the list of all.
    #expect(await eventually { publisher.statistics.skipped == 2 })
    #expect(warnings.count == 2 && warnings[0].contains("device/waypoint'"), "\(warnings)")
    publisher.setFences([home])
    #expect(await eventually { publisher.statistics.skipped == 4 })
    #expect(warnings.count == 2, "\(warnings)")
    #expect(publisher.statistics.reconnections == 0)
    await publisher.finish()
  }

  @Test(arguments: ["max_packet_size 400", "message_size_limit 350"])
  func aTooLargeMessageIsSkippedAndCounted(limit: String) async throws {
    let broker = try RealBroker(listener: ["allow_anonymous true", limit, Self.queue], folder: folder)
    let large = CircularRegion(
      center: home.center, radius: 50, identifier: String(repeating: "x", count: 400))
    queue.append(.location(fix(0)))
    queue.append(.crossing(crossing(.inside, 1, region: large)))
    queue.append(.location(fix(2)))
    let publisher = try publisher(broker.port)
    await publisher.finish()
    #expect(queue.cursor == 3)
    #expect(publisher.statistics.skipped == 1 && publisher.statistics.refused == 1)
    #expect(publisher.statistics.acknowledged == 2)
    #expect(warnings.count { $0.contains("device/event") } == 1, "\(warnings)")
    #expect(warnings.allSatisfy { $0.contains("device/event") }, "\(warnings)")
    withExtendedLifetime(broker) {}
  }

  @Test func aTooLargeHeartbeatIsNotCountedAgain() async throws {
    let broker = try RealBroker(
      listener: ["allow_anonymous true", "max_packet_size 120", Self.queue], folder: folder)
    queue.append(.location(fix(0)))
    let publisher = try publisher(broker.port) { $0.heartbeat = 0.1 }
    #expect(await eventually { publisher.statistics.refused >= 3 })
    #expect(publisher.statistics.skipped == 1 && queue.cursor == 1)
    #expect(warnings.count == 1, "\(warnings)")
    await publisher.end()
    withExtendedLifetime(broker) {}
  }

  @Test func aBrokerWithASmallWindowAndNoRetentionGetsAll() async throws {
    let broker = try RealBroker(
      listener: ["allow_anonymous true", "max_inflight_messages 3", "retain_available false"], folder: folder)
    let subscriber = try BrokerSubscriber(broker, "owntracks/#", session: "test")
    for number in 0..<100 { queue.append(.location(fix(Double(number)))) }
    let publisher = try publisher(broker.port)
    await publisher.finish()
    #expect(queue.cursor == 100)
    #expect(await eventually { numbers(subscriber.messages) == Array(0..<100) })
    #expect(publisher.statistics.sent == 100 && publisher.statistics.refused == 0)
    #expect(warnings.isEmpty, "\(warnings)")
  }

  /// Answers in the words of 3.1.1, in those of MQTT 5, by closing, and by taking it for its own version.
  @Test(arguments: [[0x20, 0x02, 0x00, 0x01], [0x20, 0x03, 0x00, 0x84, 0x00], [], [0x20, 0x02, 0x00, 0x00]])
  func anOlderBrokerGetsItsVersion(answer: [UInt8]) async throws {
    let broker = try RealBroker()
    let proxy = try Proxy(to: broker.port)
    proxy.old = .says(answer)
    queue.append(.location(fix(0)))
    let publisher = try publisher(proxy.port)
    #expect(await eventually { queue.cursor == 1 })
    // Within the first attempt, so nothing was wrong.
    #expect(warnings.isEmpty, "\(warnings)")
    #expect(notices.values.first?.message.contains("over MQTT 3.1.1, in which a broker cannot say") == true)
    // mosquitto 2.1 gives the protocol's own number of MQTT 3.1.1.
    #expect(["(p2, c1, k30", "(p4, c1, k30"].contains(where: broker.log.contains), "\(broker.log)")
    #expect(proxy.refusals == 1)
    proxy.cut()
    queue.append(.location(fix(1)))
    publisher.wake()
    #expect(await eventually { queue.cursor == 2 })
    // One that said so is believed; one that only closed may have been busy.
    let hasSaidSo = answer.count > 3 && answer[3] != 0
    #expect(proxy.refusals == (hasSaidSo ? 1 : 2))
    proxy.old = nil
    proxy.cut()
    queue.append(.location(fix(2)))
    publisher.wake()
    #expect(await eventually { queue.cursor == 3 })
    #expect(broker.log.contains("(p5, c1, k30") == !hasSaidSo)
    await publisher.finish()
  }

  @Test func aBrokerSilentToTheNewerVersionGetsTheOlderOneNext() async throws {
    let broker = try RealBroker()
    let proxy = try Proxy(to: broker.port)
    proxy.old = .isSilent
    queue.append(.location(fix(0)))
    let publisher = try publisher(proxy.port) { $0.session.connectTimeout = 1 }
    #expect(await eventually { queue.cursor == 1 })
    #expect(warnings.count == 1 && warnings[0].contains("no broker has answered"), "\(warnings)")
    await publisher.finish()
  }

  @Test func aRivalNamedByTheBrokerIsReported() async throws {
    let listener = try LoopbackSocket.listener()
    let publisher = try publisher(listener.port)
    let client = try listener.accept()
    client.send(acceptance(of: client.receive() ?? []))
    #expect(await eventually { publisher.statistics.isConnected })
    client.send([0xE0, 0x02, 0x8E, 0x00])
    #expect(await eventually { !warnings.isEmpty })
    #expect(warnings[0].contains("another client has connected as 'rxlocationd-owntracks-user-device'"), "\(warnings)")
    #expect(!publisher.statistics.isConnected)
    await publisher.end()
  }

  /// In both versions mosquitto 2.0.11 only closes the connection.
  @Test(arguments: [false, true])
  func twoClientsWithOneIdentifierReportItOnceAndSlowDown(isOld: Bool) async throws {
    let broker = try RealBroker()
    let proxies = [try Proxy(to: broker.port), try Proxy(to: broker.port)]
    if isOld { for proxy in proxies { proxy.old = .says([0x20, 0x02, 0x00, 0x01]) } }
    let queues = [MemoryQueue(), MemoryQueue()]
    let said = [Recorder<OutputNotice>(), Recorder<OutputNotice>()]
    let publishers = try (0..<2).map { index in
      var configuration = PublisherConfiguration(port: proxies[index].port)
      configuration.session.maximumRetryDelay = 5
      return try Publisher(configuration, queue: queues[index]) { said[index].record($0) }
    }
    // Each session has something to send, now and then.
    let isEnough = await eventually {
      for index in 0..<2 {
        queues[index].append(.location(fix(0)))
        publishers[index].wake()
      }
      return publishers.allSatisfy { $0.statistics.reconnections >= 6 }
    }
    #expect(isEnough, "\(said.flatMap(\.values).map(\.message))")
    for notices in said {
      let messages = notices.values.map(\.message)
      let named = messages.firstIndex {
        $0.contains("rxlocationd-owntracks-user-device") && $0.contains("disconnect each other")
      }
      // Before it is known, closed connections are an outage and its end; then nothing more is said.
      #expect(named != nil && named == messages.indices.last, "\(messages)")
    }
    for publisher in publishers { await publisher.end() }
  }

  @Test(arguments: [[0x20, 0x02, 0x00, 0x02], [0x20, 0x03, 0x00, 0x85, 0x00]] as [[UInt8]])
  func aRejectedIdentifierIsALoginFailure(answer: [UInt8]) async throws {
    let listener = try LoopbackSocket.listener()
    let publisher = try publisher(listener.port) { $0.session.connectTimeout = 60 }
    for _ in 0..<(answer.count == 4 ? 2 : 1) {
      let client = try listener.accept()
      _ = client.receive()
      client.send(answer)
    }
    #expect(await eventually { !warnings.isEmpty })
    #expect(warnings[0].lowercased().contains("identifier"), "\(warnings)")
    await publisher.end()
  }

  @Test(arguments: [
    BrokerFailure(connectReason: 0x85), BrokerFailure(connectReason: 0x87),
    BrokerFailure(disconnectReason: 0x87, clientID: "x"),
  ])
  func aRefusedLoginIsNotALostSession(refusal: BrokerFailure) {
    guard case .login = refusal else {
      Issue.record("\(refusal)")
      return
    }
  }
}
