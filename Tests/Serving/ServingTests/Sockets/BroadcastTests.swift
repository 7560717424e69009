import NIOCore
import NIOEmbedded
import Testing
import TestSupport

@testable import Serving

/// A broadcast to channels whose time and buffers the test has in hand.
@Suite(.inTurn) struct BroadcastTests {
  private final class Reader {
    let channel: EmbeddedChannel
    let network = Network()

    init(of broadcast: Broadcast<Int>, on loop: EmbeddedEventLoop) throws {
      channel = EmbeddedChannel(handler: network, loop: loop)
      try channel.pipeline.syncOperations.addHandler(broadcast.reader())
      _ = channel.connect(to: try SocketAddress(unixDomainSocketPath: "/reader"))
      loop.run()
    }

    func text() throws -> String { try channel.readText() }
  }

  private let loop = EmbeddedEventLoop()
  private let broadcast: Broadcast<Int>
  private let events = Recorder<String>()

  init() {
    var options = BroadcastOptions()
    options.stallTimeout = .seconds(8)
    options.readerLimit = 2
    broadcast = Broadcast(
      on: NetworkLoop(on: loop), value: 0, options: options,
      greeting: { value, _ in ByteBuffer(string: "G\(value);") }, frame: { NIOAny($0) },
      onEvent: { [events] in events.record("\($0)") })
  }

  private func join() throws -> Reader { try Reader(of: broadcast, on: loop) }

  private func publish(_ number: Int) {
    broadcast.update { value, messages in
      value = number
      Array("\(number);".utf8).withUnsafeBytes { messages.append($0) }
    }
    loop.run()
  }

  @Test func aReaderThatTakesNothingIsClosedAndOneThatIsQuietIsNot() throws {
    let (stalled, idle) = (try join(), try join())
    stalled.network.isHeldUp = true
    publish(1)
    #expect(try idle.text() == "G0;1;")
    // It is looked at every two seconds, so the first look that finds it waiting comes after two.
    loop.advanceTime(by: .milliseconds(9999))
    #expect(stalled.channel.isActive)
    loop.advanceTime(by: .milliseconds(1))
    #expect(!stalled.channel.isActive && broadcast.statistics.stalled == 1)
    #expect(events.values == ["stalled(after: 8.0 seconds)"])
    loop.advanceTime(by: .seconds(3600))
    publish(2)
    #expect(try idle.text() == "2;" && broadcast.statistics.readers == 1)
  }

  @Test func aReaderThatIsSlowButTakesSomethingIsNotClosed() throws {
    let slow = try join()
    slow.network.isHeldUp = true
    for number in 1...10 {
      publish(number)
      loop.advanceTime(by: .seconds(7))
      slow.network.takeOnce()
    }
    #expect(slow.channel.isActive && broadcast.statistics.stalled == 0)
    #expect(try slow.text() == "G0;" + (1...10).map { "\($0);" }.joined())
    // What came after it had taken everything waits for as long as the first time.
    loop.advanceTime(by: .seconds(3600))
    publish(11)
    loop.advanceTime(by: .seconds(7))
    #expect(slow.channel.isActive)
    loop.advanceTime(by: .seconds(3))
    #expect(!slow.channel.isActive)
  }

  @Test func whatStandsBesideTheMessagesIsForThoseWhoTakeSomething() throws {
    let (full, free) = (try join(), try join())
    full.channel.isWritable = false
    broadcast.interject(ByteBuffer(string: "!;"))
    #expect(try free.text() == "G0;!;" && full.text() == "G0;")
    #expect(broadcast.statistics.bytes == 3 + 5)
    // It is no message, so nothing of it comes later.
    full.channel.isWritable = true
    publish(1)
    #expect(try full.text() == "1;")
    // A network that takes nothing is found out by this alone.
    loop.advanceTime(by: .seconds(60))
    free.network.isHeldUp = true
    broadcast.interject(ByteBuffer(string: "!;"))
    loop.advanceTime(by: .seconds(12))
    #expect(!free.channel.isActive && full.channel.isActive)
  }

  @Test func aReaderThatCanTakeMoreIsSentWhatItMissed() throws {
    let reader = try join()
    reader.channel.isWritable = false
    for number in 1...3 { publish(number) }
    #expect(try reader.text() == "G0;")
    reader.channel.isWritable = true
    reader.channel.pipeline.fireChannelWritabilityChanged()
    #expect(try reader.text() == "1;2;3;")
  }

  @Test func aReaderThatHasEndedItsSideGivesWayAndIsClosed() throws {
    let (first, second) = (try join(), try join())
    second.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    let third = try join()
    #expect(first.channel.isActive && !second.channel.isActive && third.channel.isActive)
    let refused = try join()
    #expect(!refused.channel.isActive)
    #expect(events.values == ["full(readers: 2)"])
    #expect(broadcast.statistics.accepted == 3 && broadcast.statistics.readers == 2)
  }
}
