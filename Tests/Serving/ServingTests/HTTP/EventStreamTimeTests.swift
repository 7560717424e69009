import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import Serving

/// What an event stream does by itself after some time, in virtual time.
@Suite(.inTurn) struct EventStreamTimeTests {
  private let loop = EmbeddedEventLoop()
  private let stream: EventStream<Int>

  init() {
    stream = EventStream(on: NetworkLoop(on: loop), value: 0) { Array("\($0)".utf8) }
    loop.run()
  }

  /// A client that follows, after its answer has begun.
  private func follow() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(loop: loop)
    _ = channel.connect(to: try SocketAddress(unixDomainSocketPath: "/client"))
    guard case .events(let events) = stream.route else { throw ChannelError.inappropriateOperationForState }
    try events.addClient(channel, nil)
    loop.run()
    return channel
  }

  private func leave(_ channel: EmbeddedChannel) {
    channel.close(promise: nil)
    loop.run()
  }

  /// The names of the events that have come since the last time, with the data of a state.
  private func events(_ channel: EmbeddedChannel) throws -> [String] {
    var text = ""
    while case .body(.byteBuffer(let bytes)) = try channel.readOutbound(as: HTTPServerResponsePart.self) {
      text += String(buffer: bytes)
    }
    let lines = text.split(separator: "\n")
    return zip(lines, lines.dropFirst()).compactMap { line, next in
      guard line.hasPrefix("event: ") else { return nil }
      return line.dropFirst(7) == "state" ? "state \(next.dropFirst(6))" : String(line.dropFirst(7))
    }
  }

  @Test func aClientHearsEveryFifteenSecondsThatTheStreamIsAlive() throws {
    let first = try follow()
    #expect(try events(first) == ["state 0"])
    loop.advanceTime(by: .milliseconds(14_999))
    #expect(try events(first) == [])
    loop.advanceTime(by: .milliseconds(1))
    #expect(try events(first) == ["alive"])
    // All of them by the same clock.
    let second = try follow()
    loop.advanceTime(by: .seconds(45))
    #expect(try events(first) == ["alive", "alive", "alive"])
    #expect(try events(second) == ["state 0", "alive", "alive", "alive"])
    // The next one as well, after nobody was there for a while.
    for channel in [first, second] { leave(channel) }
    loop.advanceTime(by: .seconds(100))
    let third = try follow()
    loop.advanceTime(by: .seconds(15))
    #expect(try events(third) == ["state 0", "alive"])
  }

  @Test func anAudienceThatHasLeftCountsForHalfAMinute() throws {
    let changes = Mutex<[Bool]>([])
    stream.onAudience { isThere in changes.withLock { $0.append(isThere) } }
    loop.advanceTime(by: .milliseconds(29_999))
    #expect(stream.hasAudience, "somebody is expected in the beginning")
    loop.advanceTime(by: .milliseconds(1))
    #expect(!stream.hasAudience && changes.withLock { $0 } == [false])
    let first = try follow()
    #expect(stream.hasAudience)
    loop.advanceTime(by: .seconds(100))
    #expect(stream.hasAudience)
    leave(first)
    loop.advanceTime(by: .seconds(29))
    // One that comes back in time has never been away.
    let second = try follow()
    loop.advanceTime(by: .seconds(29))
    leave(second)
    loop.advanceTime(by: .seconds(29))
    #expect(stream.hasAudience && changes.withLock { $0 } == [false, true])
    loop.advanceTime(by: .seconds(1))
    #expect(!stream.hasAudience && changes.withLock { $0 } == [false, true, false])
  }

  @Test func whoAsksForTheValueOnceCountsAsAudience() {
    loop.advanceTime(by: .seconds(30))
    #expect(!stream.hasAudience)
    loop.advanceTime(by: .seconds(30))
    #expect(stream.valueForAudience() == 0 && stream.hasAudience)
    loop.advanceTime(by: .seconds(20))
    #expect(stream.valueForAudience() == 0)
    loop.advanceTime(by: .seconds(29))
    #expect(stream.hasAudience, "the last time counts")
    loop.advanceTime(by: .seconds(1))
    #expect(!stream.hasAudience)
  }

  @Test func aStateIsMadeOnceForAllWhoComeWithinASecond() throws {
    let first = try follow()
    stream.update { value in
      value = 1
      return [ServerEvent("add", data: Array("1".utf8))]
    }
    loop.advanceTime(by: .milliseconds(999))
    #expect(try events(first) == ["state 0", "add"])
    #expect(try events(try follow()) == ["state 0", "add"])
    loop.advanceTime(by: .milliseconds(1))
    #expect(try events(try follow()) == ["state 1"])
  }
}
