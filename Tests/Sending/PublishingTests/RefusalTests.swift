import Foundation
import Journal
import LocationKit
import TestSupport
import Testing
import Writing

@testable import Publishing

@Suite(.startsPrograms) struct RefusalTests {
  private let folder = TemporaryFolder()

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

  @Test func aRefusedTopicIsReportedOnceAndItsRowsWait() async throws {
    let broker = try broker("topic read owntracks/#", "topic write something/else")
    let publisher = try TestPublisher(port: broker.port, fixes(30))
    #expect(await eventually { broker.log.components(separatedBy: "Sending CONNACK").count > 5 }, "\(broker.log)")
    #expect(publisher.cursor == 0)
    let warnings = publisher.warnings
    #expect(warnings.count == 1 && warnings[0].contains("'owntracks/user/device': Not authorized"), "\(warnings)")
    let statistics = publisher.statistics
    #expect(statistics.acknowledged == 0 && statistics.skipped == 0)
    // A window first, and then one with each try.
    #expect(statistics.refused >= 1 && statistics.sent <= 20 + statistics.reconnections, "\(statistics)")
    // Who goes says so, or the broker would publish the will.
    #expect(broker.log.contains("Received DISCONNECT from rxlocationd-"))

    try allowAll(broker)
    #expect(await eventually { publisher.cursor == 30 }, "\(publisher.warnings)")
    #expect(publisher.warnings.count { $0.contains("Not authorized") } <= 2, "\(publisher.warnings)")
    #expect(await eventually { publisher.severities.last == .notice })
    await publisher.end()
    #expect(publisher.statistics.acknowledged == 30)
  }

  @Test func aRefusedFenceIsSkippedAndDelaysNothing() async throws {
    let broker = try broker("topic readwrite owntracks/user/device")
    let publisher = try TestPublisher(port: broker.port, fences: [home])
    #expect(await eventually { publisher.cursor == 1 })
    // The fence by itself, and the list of all.
    #expect(await eventually { publisher.statistics.skipped == 2 })
    let warnings = publisher.warnings
    #expect(warnings.count == 2 && warnings[0].contains("device/waypoint'"), "\(warnings)")
    publisher.publisher.setFences([home])
    #expect(await eventually { publisher.statistics.skipped == 4 })
    #expect(publisher.warnings == warnings)
    #expect(publisher.statistics.reconnections == 0)
    await publisher.finish()
  }

  @Test(arguments: ["max_packet_size 400", "message_size_limit 350"])
  func aTooLargeMessageIsSkippedAndCounted(limit: String) async throws {
    let broker = try RealBroker(listener: ["allow_anonymous true", limit, Self.queue], folder: folder)
    let large = CircularRegion(center: home.center, radius: 50, identifier: String(repeating: "x", count: 400))
    var records = fixes(3)
    records[1] = .crossing(crossing(.inside, 1, region: large))
    let publisher = try TestPublisher(port: broker.port, records)
    await publisher.finish()
    #expect(publisher.cursor == 3)
    #expect(publisher.statistics.skipped == 1 && publisher.statistics.refused == 1)
    #expect(publisher.statistics.acknowledged == 2)
    #expect(publisher.warnings.map { $0.contains("device/event") } == [true], "\(publisher.warnings)")
    withExtendedLifetime(broker) {}
  }

  @Test func aTooLargeHeartbeatIsNotCountedAgain() async throws {
    let broker = try RealBroker(listener: ["allow_anonymous true", "max_packet_size 120", Self.queue], folder: folder)
    let publisher = try TestPublisher(port: broker.port) { $0.heartbeat = 0.1 }
    #expect(await eventually { publisher.statistics.refused >= 3 })
    #expect(publisher.statistics.skipped == 1 && publisher.cursor == 1)
    #expect(publisher.warnings.count == 1, "\(publisher.warnings)")
    await publisher.end()
    withExtendedLifetime(broker) {}
  }

  @Test func aBrokerWithASmallWindowAndNoRetentionGetsAll() async throws {
    let broker = try RealBroker(
      listener: ["allow_anonymous true", "max_inflight_messages 3", "retain_available false"], folder: folder)
    let subscriber = try BrokerSubscriber(broker, "owntracks/#", session: "test")
    let publisher = try TestPublisher(port: broker.port, fixes(100))
    await publisher.finish()
    #expect(publisher.cursor == 100)
    #expect(await eventually { numbers(subscriber.messages) == Array(0..<100) })
    #expect(publisher.statistics.sent == 100 && publisher.statistics.refused == 0)
    #expect(publisher.warnings == [])
  }

  /// Answers in the words of 3.1.1, in those of MQTT 5, by closing, and by taking it for its own version.
  @Test(arguments: [[0x20, 0x02, 0x00, 0x01], [0x20, 0x03, 0x00, 0x84, 0x00], [], [0x20, 0x02, 0x00, 0x00]])
  func anOlderBrokerGetsItsVersion(answer: [UInt8]) async throws {
    let broker = try RealBroker()
    let proxy = try Proxy(to: broker.port)
    proxy.old = .says(answer)
    let publisher = try TestPublisher(port: proxy.port)
    #expect(await eventually { publisher.cursor == 1 })
    // Within the first attempt, so nothing was wrong.
    #expect(publisher.warnings == [])
    #expect(publisher.said.first?.contains("over MQTT 3.1.1, in which a broker cannot say") == true)
    // mosquitto 2.1 gives the protocol's own number of MQTT 3.1.1.
    #expect(["(p2, c1, k30", "(p4, c1, k30"].contains(where: broker.log.contains), "\(broker.log)")
    #expect(proxy.refusals == 1)
    proxy.cut()
    publisher.append(.location(fix(1)))
    #expect(await eventually { publisher.cursor == 2 })
    // One that said so is believed; one that only closed may have been busy.
    let hasSaidSo = answer.count > 3 && answer[3] != 0
    #expect(proxy.refusals == (hasSaidSo ? 1 : 2))
    proxy.old = nil
    proxy.cut()
    publisher.append(.location(fix(2)))
    #expect(await eventually { publisher.cursor == 3 })
    #expect(broker.log.contains("(p5, c1, k30") == !hasSaidSo)
    await publisher.finish()
  }

  @Test func aBrokerSilentToTheNewerVersionGetsTheOlderOneNext() async throws {
    let broker = try RealBroker()
    let proxy = try Proxy(to: broker.port)
    proxy.old = .isSilent
    let publisher = try TestPublisher(port: proxy.port) { $0.session.connectTimeout = 1 }
    #expect(await eventually { publisher.cursor == 1 })
    let warnings = publisher.warnings
    #expect(warnings.count == 1 && warnings[0].contains("no broker has answered"), "\(warnings)")
    await publisher.finish()
  }

  @Test func aRivalNamedByTheBrokerIsReported() async throws {
    let listener = try LoopbackSocket.listener()
    let publisher = try TestPublisher(port: listener.port, [])
    let client = try listener.accept()
    client.send(acceptance(of: client.receive() ?? []))
    #expect(await eventually { publisher.statistics.isConnected })
    client.send([0xE0, 0x02, 0x8E, 0x00])
    #expect(await eventually { !publisher.warnings.isEmpty })
    let warning = publisher.warnings[0]
    #expect(warning.contains("another client has connected as 'rxlocationd-owntracks-user-device'"), "\(warning)")
    #expect(!publisher.statistics.isConnected)
    await publisher.end()
  }

  /// In both versions mosquitto 2.0.11 only closes the connection.
  @Test(arguments: [false, true])
  func twoClientsWithOneIdentifierReportItOnceAndSlowDown(isOld: Bool) async throws {
    let broker = try RealBroker()
    let proxies = [try Proxy(to: broker.port), try Proxy(to: broker.port)]
    if isOld { for proxy in proxies { proxy.old = .says([0x20, 0x02, 0x00, 0x01]) } }
    let publishers = try proxies.map { try TestPublisher(port: $0.port) { $0.session.maximumRetryDelay = 5 } }
    // Each session has something to send, now and then.
    let isEnough = await eventually {
      for publisher in publishers { publisher.append(.location(fix(0))) }
      return publishers.allSatisfy { $0.statistics.reconnections >= 6 }
    }
    #expect(isEnough, "\(publishers.map(\.said))")
    for messages in publishers.map(\.said) {
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
    let publisher = try TestPublisher(port: listener.port) { $0.session.connectTimeout = 60 }
    for _ in 0..<(answer.count == 4 ? 2 : 1) {
      let client = try listener.accept()
      _ = client.receive()
      client.send(answer)
    }
    #expect(await eventually { !publisher.warnings.isEmpty })
    #expect(publisher.warnings[0].lowercased().contains("identifier"), "\(publisher.warnings)")
    await publisher.end()
  }

  @Test(arguments: [
    BrokerFailure(connectReason: 0x85), BrokerFailure(connectReason: 0x87),
    BrokerFailure(disconnectReason: 0x87, clientID: "x"),
  ])
  func aRefusedLoginIsNotALostSession(refusal: BrokerFailure) {
    let isLogin = if case .login = refusal { true } else { false }
    #expect(isLogin, "\(refusal)")
  }
}
