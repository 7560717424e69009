import Foundation
import Journal
import Writing
import LocationKit
import Platform
import Publishing
import Synchronization
import TestSupport
import Testing

/// The publisher with a real mosquitto.
@Suite(.startsPrograms) struct PublisherTests {
  private let queue = MemoryQueue()
  private let notices = Recorder<OutputNotice>()

  private func subscriber(_ broker: RealBroker, session: String? = nil) async throws -> BrokerSubscriber {
    let subscriber = try BrokerSubscriber(broker, "owntracks/#", session: session)
    return subscriber
  }

  @Test func sendsTheQueue() async throws {
    let broker = try RealBroker()
    let subscriber = try await subscriber(broker, session: "test")
    for number in 0..<3 { queue.append(.location(fix(Double(number)))) }
    queue.append(.error(LocationError(.network, "away"), nil))
    queue.append(.crossing(crossing(.inside, 3)))
    queue.append(.location(fix(4)))
    let publisher = try Publisher(.init(port: broker.port), queue: queue, fences: [home]) { notices.record($0) }
    #expect(await eventually { queue.cursor == 6 })
    #expect(await eventually { subscriber.messages.count == 7 })
    let messages = subscriber.messages
    #expect(messages.count { $0.topic == "owntracks/user/device" } == 4)
    #expect(messages.first?.topic == "owntracks/user/device/waypoint")
    #expect(messages[1].topic == "owntracks/user/device/waypoints")
    let event = try #require(messages.first { $0.topic.hasSuffix("/event") }?.json)
    #expect(event["event"] as? String == "enter")
    #expect(event["desc"] as? String == "home")
    #expect(event["wtst"] as? Int == messages.first?.json["tst"] as? Int)
    #expect(messages.last?.json["inregions"] as? [String] == ["home"])
    #expect(messages[2].json["inregions"] == nil)

    let late = try BrokerSubscriber(broker, "owntracks/#")
    #expect(await eventually { !late.messages.isEmpty })
    #expect(numbers(late.messages) == [4])
    #expect(late.messages.first?.isRetained == true)

    #expect(publisher.statistics.sent == 7)
    #expect(publisher.statistics.acknowledged == 7)
    #expect(publisher.statistics.isConnected)
    queue.append(.location(fix(5)))
    publisher.wake()
    #expect(await eventually { queue.cursor == 7 })
    await publisher.finish()
    #expect(notices.values.map(\.severity) == [.notice])
    // Neither the end nor anything before it made the broker publish the will.
    #expect(await eventually { broker.log.contains("Received DISCONNECT from rxlocationd-") }, "\(broker.log)")
    #expect(!subscriber.messages.contains { $0.payload.contains("lwt") })
  }

  @Test func theBrokerPublishesTheWillOfAKilledClient() async throws {
    let broker = try RealBroker()
    let subscriber = try await subscriber(broker)
    queue.append(.location(fix(0)))
    let proxy = try Proxy(to: broker.port)
    let publisher = try Publisher(.init(port: proxy.port), queue: queue) { _ in }
    #expect(await eventually { queue.cursor == 1 })
    proxy.cut()
    #expect(await eventually { subscriber.messages.contains { $0.payload.contains(#""_type":"lwt""#) } })
    let late = try BrokerSubscriber(broker, "owntracks/#")
    #expect(await eventually { !late.messages.isEmpty })
    #expect(!late.messages.contains { $0.payload.contains("lwt") })
    publisher.stop()
  }

  @Test(arguments: [runsLongTests ? (20, 20_000) : (2, 2_000)])
  func losesNothingWhenTheBrokerIsKilled(kills: Int, count: Int) async throws {
    let broker = try RealBroker()
    let subscriber = try await subscriber(broker, session: "test")
    let proxy = try Proxy(to: broker.port)
    let publisher = try Publisher(.init(port: proxy.port), queue: queue) { _ in }
    var appended = 0
    func append(upTo end: Int) {
      for number in appended..<end { queue.append(.location(fix(Double(number)))) }
      appended = end
      publisher.wake()
    }
    for kill in 1...kills {
      let target = count * kill / (kills + 1)
      append(upTo: target)
      #expect(await eventually(within: 120) { queue.cursor == Int64(target) })
      // The broker has acknowledged what it has in memory, and loses that when it is killed, unless the subscriber has it.
      // So acknowledgements are held up, and it is killed when the subscriber has all that is in flight: a window of 20.
      proxy.isHolding = true
      append(upTo: target + 100)
      #expect(await eventually { subscriber.contains("\"tst\":\(1_700_000_000 + target + 19),") })
      broker.kill()
      proxy.cut()
      proxy.isHolding = false
      try broker.start()
    }
    append(upTo: count)
    #expect(await eventually(within: 120) { queue.cursor == Int64(count) })
    await publisher.finish()
    #expect(await eventually { Set(numbers(subscriber.messages)).count == count })
    checkOrder(numbers(subscriber.messages), count: count)
    let statistics = publisher.statistics
    #expect(statistics.reconnections >= kills)
    #expect(statistics.sent >= count + 20 * kills)
    #expect(statistics.sent <= count + 20 * statistics.reconnections, "\(statistics)")
  }

  /// Everything is there, each for the first time in order. The publisher's repetitions are counted by its own numbers: the
  /// broker, killed, repeats to its subscribers what it had on disk as well.
  private func checkOrder(_ numbers: [Int], count: Int) {
    var seen: Set<Int> = []
    #expect(numbers.filter { seen.insert($0).inserted } == Array(0..<count))
  }

  @Test func endsWithoutABroker() async throws {
    queue.append(.location(fix(0)))
    let publisher = try Publisher(.init(port: try LoopbackSocket.unusedPort()), queue: queue) { notices.record($0) }
    #expect(await eventually { !notices.values.isEmpty })
    async let hasEnded = ends { await publisher.finish() }
    publisher.stop()
    #expect(await hasEnded)
    #expect(queue.cursor == 0)
    #expect(notices.values.count == 1)
    #expect(notices.values.first?.message.contains("refused") == true, "\(notices.values)")
  }

  @Test func aSlowBrokerIsNotAnOutage() async throws {
    let broker = try RealBroker()
    let proxy = try Proxy(to: broker.port)
    proxy.delay = 50_000
    for number in 0..<200 { queue.append(.location(fix(Double(number)))) }
    let publisher = try Publisher(.init(port: proxy.port), queue: queue) { notices.record($0) }
    await publisher.finish()
    #expect(queue.cursor == 200)
    #expect(publisher.statistics.sent == 200)
    #expect(publisher.statistics.reconnections == 0)
    #expect(notices.values.map(\.severity) == [.notice])
    // A window at a time.
    #expect(queue.advances.count >= 10)
    withExtendedLifetime(broker) {}
  }

  @Test func anAcknowledgementRestartsTheWaits() async throws {
    let broker = try RealBroker()
    let proxy = try Proxy(to: broker.port)
    var configuration = PublisherConfiguration(port: proxy.port)
    configuration.session.maximumRetryDelay = 3600
    let publisher = try Publisher(configuration, queue: queue) { _ in }
    // The twentieth wait in a row would be two minutes long.
    for turn in 1...20 {
      queue.append(.location(fix(Double(turn))))
      publisher.wake()
      #expect(await eventually { queue.cursor == Int64(turn) })
      // Of all kinds: if they were only closed, it would look as if another client had this one's identifier.
      proxy.cut(saying: turn % 2 == 0 ? [] : [0x00, 0x00])
      #expect(await eventually { !publisher.statistics.isConnected || publisher.statistics.reconnections >= turn })
    }
    await publisher.end()
  }

  @Test func aBrokerThatClosesAtOnceIsRetriedLessOften() async throws {
    let listener = try LoopbackSocket.listener()
    queue.append(.location(fix(0)))
    var configuration = PublisherConfiguration(port: listener.port)
    configuration.session.maximumRetryDelay = 10
    let publisher = try Publisher(configuration, queue: queue) { notices.record($0) }
    // Each try is half as late again as the one before, less a share that is left to chance: the tenth comes after a second
    // and more, and would come after half of one if each session began at the beginning.
    var times: [ContinuousClock.Instant] = []
    for _ in 0..<10 {
      let client = try listener.accept()
      times.append(.now)
      client.send(acceptance(of: client.receive() ?? []))
      client.close()
    }
    #expect(times[9] - times[0] > .seconds(1), "\(times[9] - times[0])")
    #expect(queue.cursor == 0)
    // A session and its end; and once more what the end looks like when it comes a little earlier.
    #expect((2...4).contains(notices.values.count), "\(notices.values.map(\.message))")
    await publisher.end()
  }

  @Test func survivesAPeerThatIsNotABroker() async throws {
    let listener = try LoopbackSocket.listener()
    queue.append(.location(fix(0)))
    var configuration = PublisherConfiguration(port: listener.port)
    configuration.session.connectTimeout = 0.3
    let publisher = try Publisher(configuration, queue: queue) { notices.record($0) }
    // One that never answers, one that closes at once, one that answers garbage.
    let silent = try listener.accept()
    for _ in 0..<3 { try listener.accept().close() }
    for _ in 0..<3 {
      let client = try listener.accept()
      client.send([UInt8](repeating: 0xFF, count: 1000))
      client.close()
    }
    // One that accepts and acknowledges nothing. On a busy machine its answer may come too late, and the next try is answered.
    var broken: [LoopbackSocket] = []
    let isConnected = try await eventually {
      if listener.isReadable(within: 0) {
        let client = try listener.accept()
        client.send(acceptance(of: client.receive() ?? []))
        broken.append(client)
      }
      return publisher.statistics.isConnected
    }
    #expect(isConnected)
    withExtendedLifetime((silent, broken)) {}
    #expect(queue.cursor == 0)
    #expect((1...6).contains(notices.values.count), "\(notices.values.map(\.message))")
    await publisher.end()
  }

  @Test func startsOverWhenNothingIsAcknowledged() async throws {
    let broker = try RealBroker()
    queue.append(.location(fix(0)))
    var configuration = PublisherConfiguration(port: broker.port)
    configuration.acknowledgementTimeout = 0.3
    let publisher = try Publisher(configuration, queue: queue) { notices.record($0) }
    #expect(await eventually { queue.cursor == 1 })
    broker.signal(SIGSTOP)
    queue.append(.location(fix(1)))
    publisher.wake()
    #expect(await eventually { notices.values.contains { $0.message.contains("acknowledged nothing") } })
    broker.signal(SIGCONT)
    #expect(await eventually { queue.cursor == 2 })
    // Who is stopped says goodbye as well, so the broker does not publish the will.
    await publisher.end()
    #expect(await eventually { broker.log.contains("Received DISCONNECT from rxlocationd-") })
  }

  /// While there is nothing to acknowledge, a broker owes no acknowledgement.
  @Test func anIdleSessionLasts() async throws {
    let broker = try RealBroker()
    let later = Mutex(0.0)
    var host = Host.system
    host.seconds = { monotonicSeconds() + later.withLock { $0 } }
    let publisher = try Publisher(.init(port: broker.port), queue: queue, host: host) { notices.record($0) }
    for number in 0..<2 {
      queue.append(.location(fix(Double(number))))
      publisher.wake()
      #expect(await eventually(within: 20) { queue.cursor == Int64(number) + 1 }, "row \(number) is not acknowledged")
      later.withLock { $0 += 100 }
    }
    #expect(publisher.statistics.reconnections == 0, "\(notices.values.map(\.message))")
    await publisher.end()
  }

  @Test func theEndWaitsForASingleRowAndTriesEachAddress() async throws {
    let port = try LoopbackSocket.unusedPort()
    queue.append(.location(fix(0)))
    // Where localhost is ::1 as well, the broker is at one of its addresses only.
    let publisher = try Publisher(.init(port: port, host: "localhost"), queue: queue) { notices.record($0) }
    async let end: Void = publisher.finish()
    #expect(await eventually { !notices.values.isEmpty })
    let broker = try RealBroker(port: port)
    await end
    #expect(queue.cursor == 1)
    withExtendedLifetime(broker) {}
  }

  @Test func pingsASilentBroker() async throws {
    let broker = try RealBroker()
    var configuration = PublisherConfiguration(port: broker.port)
    // The library's least.
    configuration.session.keepAlive = 5
    let publisher = try Publisher(configuration, queue: MemoryQueue()) { _ in }
    #expect(await eventually { broker.log.contains("Received PINGREQ from rxlocationd-") })
    #expect(publisher.statistics.isConnected)
    await publisher.end()
  }
}
