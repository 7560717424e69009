import Foundation
import Journal
import Writing
import LocationKit
import Platform
import Publishing
import Synchronization
import TestSupport
import Testing

@Suite(.startsPrograms) struct PublisherTests {
  @Test func sendsTheQueue() async throws {
    let broker = try RealBroker()
    let subscriber = try BrokerSubscriber(broker, "owntracks/#", session: "test")
    let later: [JournalRecord] = [
      .error(LocationError(.network, "away"), nil), .crossing(crossing(.inside, 3)), .location(fix(4)),
    ]
    let publisher = try TestPublisher(port: broker.port, fixes(3) + later, fences: [home])
    #expect(await eventually { publisher.cursor == 6 })
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
    publisher.append(.location(fix(5)))
    #expect(await eventually { publisher.cursor == 7 })
    await publisher.finish()
    #expect(publisher.severities == [.notice])
    // Neither the end nor anything before it made the broker publish the will.
    #expect(await eventually { broker.log.contains("Received DISCONNECT from rxlocationd-") }, "\(broker.log)")
    #expect(!subscriber.messages.contains { $0.payload.contains("lwt") })
    // Commands are taken by who asks for it only.
    #expect(!broker.log.contains("/cmd"))
  }

  @Test func theBrokerPublishesTheWillOfAKilledClient() async throws {
    let broker = try RealBroker()
    let subscriber = try BrokerSubscriber(broker, "owntracks/#")
    let proxy = try Proxy(to: broker.port)
    let publisher = try TestPublisher(port: proxy.port)
    #expect(await eventually { publisher.cursor == 1 })
    proxy.cut()
    #expect(await eventually { subscriber.messages.contains { $0.payload.contains(#""_type":"lwt""#) } })
    let late = try BrokerSubscriber(broker, "owntracks/#")
    #expect(await eventually { !late.messages.isEmpty })
    #expect(!late.messages.contains { $0.payload.contains("lwt") })
    await publisher.end()
  }

  @Test(arguments: [runsLongTests ? (20, 20_000) : (2, 2_000)])
  func losesNothingWhenTheBrokerIsKilled(kills: Int, count: Int) async throws {
    let broker = try RealBroker()
    let subscriber = try BrokerSubscriber(broker, "owntracks/#", session: "test")
    let proxy = try Proxy(to: broker.port)
    let publisher = try TestPublisher(port: proxy.port, [])
    var appended = 0
    func append(upTo end: Int) {
      for number in appended..<end { publisher.append(.location(fix(Double(number)))) }
      appended = end
    }
    for kill in 1...kills {
      let target = count * kill / (kills + 1)
      append(upTo: target)
      #expect(await eventually(within: 120) { publisher.cursor == Int64(target) })
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
    #expect(await eventually(within: 120) { publisher.cursor == Int64(count) })
    await publisher.finish()
    #expect(await eventually { Set(numbers(subscriber.messages)).count == count })
    // Each for the first time in order. The publisher's repetitions are counted by its own numbers: the broker, killed,
    // repeats to its subscribers what it had on disk as well.
    var seen: Set<Int> = []
    #expect(numbers(subscriber.messages).filter { seen.insert($0).inserted } == Array(0..<count))
    let statistics = publisher.statistics
    #expect(statistics.reconnections >= kills)
    #expect(statistics.sent >= count + 20 * kills)
    #expect(statistics.sent <= count + 20 * statistics.reconnections, "\(statistics)")
  }

  @Test(arguments: [false, true]) func endsWithoutABroker(usesTLS: Bool) async throws {
    let port = LoopbackSocket.unusedPort()
    let publisher = try TestPublisher(PublisherConfiguration(port: port, usesTLS: usesTLS, host: "localhost"))
    #expect(await eventually { !publisher.said.isEmpty })
    async let hasEnded = ends { await publisher.finish() }
    publisher.publisher.stop()
    #expect(await hasEnded)
    #expect(publisher.cursor == 0)
    #expect(publisher.said.count == 1 && publisher.said[0].contains("Connection refused"), "\(publisher.said)")
  }

  @Test func aSlowBrokerIsNotAnOutage() async throws {
    let broker = try RealBroker()
    let proxy = try Proxy(to: broker.port)
    proxy.delay = 50_000
    let publisher = try TestPublisher(port: proxy.port, fixes(200))
    await publisher.finish()
    #expect(publisher.cursor == 200)
    #expect(publisher.statistics.sent == 200)
    #expect(publisher.statistics.reconnections == 0)
    #expect(publisher.severities == [.notice])
    withExtendedLifetime(broker) {}
  }

  @Test func anAcknowledgementRestartsTheWaits() async throws {
    let broker = try RealBroker()
    let proxy = try Proxy(to: broker.port)
    let publisher = try TestPublisher(port: proxy.port, []) { $0.session.maximumRetryDelay = 3600 }
    // The twentieth wait in a row would be two minutes long.
    for turn in 1...20 {
      publisher.append(.location(fix(Double(turn))))
      #expect(await eventually { publisher.cursor == Int64(turn) })
      // Of all kinds: if they were only closed, it would look as if another client had this one's identifier.
      proxy.cut(saying: turn % 2 == 0 ? [] : [0x00, 0x00])
      #expect(await eventually { !publisher.statistics.isConnected || publisher.statistics.reconnections >= turn })
    }
    await publisher.end()
  }

  @Test func aBrokerThatClosesAtOnceIsRetriedLessOften() async throws {
    let listener = try LoopbackSocket.listener()
    let publisher = try TestPublisher(port: listener.port) { $0.session.maximumRetryDelay = 10 }
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
    #expect(publisher.cursor == 0)
    // A session and its end; and once more what the end looks like when it comes a little earlier.
    #expect((2...4).contains(publisher.said.count), "\(publisher.said)")
    await publisher.end()
  }

  @Test func startsOverWhenNothingIsAcknowledged() async throws {
    let broker = try RealBroker()
    let publisher = try TestPublisher(port: broker.port) { $0.acknowledgementTimeout = 0.3 }
    #expect(await eventually { publisher.cursor == 1 })
    broker.signal(SIGSTOP)
    publisher.append(.location(fix(1)))
    #expect(await eventually { publisher.said.contains { $0.contains("acknowledged nothing") } })
    broker.signal(SIGCONT)
    #expect(await eventually { publisher.cursor == 2 })
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
    let publisher = try TestPublisher(port: broker.port, [], host: host)
    for number in 0..<2 {
      publisher.append(.location(fix(Double(number))))
      #expect(
        await eventually(within: 20) { publisher.cursor == Int64(number) + 1 }, "row \(number) is not acknowledged")
      later.withLock { $0 += 100 }
    }
    #expect(publisher.statistics.reconnections == 0, "\(publisher.said)")
    await publisher.end()
  }

  @Test func theEndWaitsForASingleRowAndTriesEachAddress() async throws {
    let port = LoopbackSocket.unusedPort()
    // Where localhost is ::1 as well, the broker is at one of its addresses only.
    let publisher = try TestPublisher(PublisherConfiguration(port: port, host: "localhost"))
    async let end: Void = publisher.finish()
    #expect(await eventually { !publisher.said.isEmpty })
    let broker = try RealBroker(port: port)
    await end
    #expect(publisher.cursor == 1)
    withExtendedLifetime(broker) {}
  }
}
