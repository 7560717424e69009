import NIOCore
import Platform
import TestSupport
import Testing

@testable import Serving

/// A broadcast without sockets: a simulation whose clock, loop and readers the test moves.
///
/// A greeting before message 4 is `G4;`, message 4 is `4;`, and two that are lost are `L2;`.
struct SimulatedBroadcast {
  enum Event: CaseIterable {
    case publish, publishTooMuch, skip, flush, joinFirst, resumeSecond, leaveFirst, leaveSecond, stepFirst, stepSecond
  }

  struct Reader {
    var isThere = false
    /// The number of the message that it expects next, when it knows.
    var position: Int?
    var isClosing = false
    /// How many messages it was owed since it joined, and how many of them it got.
    var owed = 0
    var received = 0
    var toldLost = 0
  }

  var state: BroadcastState<Int>
  let tellsLosses: Bool
  var now = 0.0
  var readers = [Reader(), Reader()]
  var isFlushDue = false
  var bytes = 0
  /// What readers that have left were owed, got, had lost before, and did not wait for.
  var left = (owed: 0, received: 0, lost: 0, rest: 0)
  var faults: [String] = []

  init(tellsLosses: Bool = true, _ configure: (inout BroadcastOptions) -> Void = { _ in }) {
    var options = BroadcastOptions()
    (options.byteLimit, options.messageLimit) = (20, 2)
    options.stallTimeout = .seconds(2)
    configure(&options)
    self.tellsLosses = tellsLosses
    let lossRecord: @Sendable (Int) -> ByteBuffer = { ByteBuffer(string: "L\($0);") }
    state = BroadcastState(options: options, lossRecord: tellsLosses ? lossRecord : nil)
  }

  mutating func apply(_ event: Event) {
    switch event {
    case .publish: publish { ring in Array("\(ring.next);".utf8).withUnsafeBytes { ring.append($0) } }
    case .publishTooMuch: publish { ring in [UInt8](repeating: 0, count: 21).withUnsafeBytes { ring.append($0) } }
    case .skip: publish { $0.skip() }
    case .flush: flush()
    case .joinFirst: join(0, from: nil)
    case .resumeSecond: join(1, from: readers[1].position)
    case .leaveFirst: leave(0)
    case .leaveSecond: leave(1)
    case .stepFirst: step(0)
    case .stepSecond: step(1)
    }
  }

  private mutating func publish(_ change: (inout MessageRing) -> Void) {
    for index in readers.indices where readers[index].position != nil { readers[index].owed += 1 }
    if state.publish(change).needsFlush {
      check(!isFlushDue, "scheduled twice")
      isFlushDue = true
    }
  }

  mutating func flush() {
    guard isFlushDue else { return }
    isFlushDue = false
    state.beginFlush()
  }

  mutating func join(_ index: Int, from number: Int?) {
    guard !readers[index].isThere else { return }
    switch state.add(index, from: number) {
    case .admitted:
      readers[index] = Reader(isThere: true, position: number)
      if let number { readers[index].owed = state.ring.next - number }
    case .refused: check(false, "refused")
    }
  }

  mutating func leave(_ index: Int) {
    if readers[index].isThere, readers[index].position != nil {
      left.owed += readers[index].owed
      left.received += readers[index].received
      left.lost += lost(readers[index])
      left.rest += readers[index].owed - readers[index].received - lost(readers[index])
    }
    (readers[index].isThere, readers[index].owed) = (false, 0)
    state.leave(index, .unwanted)
  }

  /// How many messages a reader has lost: those that it was told of, and those that the ring has no more.
  private func lost(_ reader: Reader) -> Int { reader.toldLost + max(0, state.ring.oldest - (reader.position ?? .max)) }

  /// Compares the account with what was seen here.
  mutating func checkAccount() {
    guard tellsLosses else { return }
    let account = state.statistics.account
    let present = readers.filter { $0.isThere && $0.position != nil }
    check(account.accepted == present.reduce(left.owed) { $0 + $1.owed }, "\(account)")
    check(account.written == present.reduce(left.received) { $0 + $1.received }, "\(account)")
    check(account.lost == present.reduce(left.lost) { $0 + lost($1) }, "\(account)")
    check(account.drops[.unwanted, default: 0] == left.rest, "\(account)")
    if state.isDrained { check(account.waiting == 0, "\(account) at the end") }
  }

  /// One turn of a reader that takes something; false when there is nothing to do.
  @discardableResult
  mutating func step(_ index: Int) -> Bool {
    switch state.next(for: index, at: now) {
    case .greet:
      let bytes = ByteBuffer(string: "G\(state.ring.next);")
      state.greeted(index, with: bytes, before: state.ring.next, at: now)
      receive(bytes, index)
    case .send(let bytes, _): receive(bytes, index)
    case .close: readers[index].isClosing = true
    case .wait: return false
    }
    return true
  }

  private mutating func receive(_ buffer: ByteBuffer, _ index: Int) {
    check(readers[index].isThere, "sent to somebody who has gone")
    bytes += buffer.readableBytes
    for part in String(buffer: buffer).split(separator: ";") {
      let position = readers[index].position
      switch part.first {
      case "G":
        let number = Int(part.dropFirst()) ?? -1
        check(position == nil || !tellsLosses && number > position!, "greeted without need")
        readers[index].position = number
      case "L":
        let count = Int(part.dropFirst()) ?? -1
        readers[index].toldLost += count
        check(tellsLosses && count > 0, "a loss that is none")
        readers[index].position = position.map { $0 + count }
      default:
        check(Int(part) == position, "\(part) instead of \(position ?? -1)")
        readers[index].position = position.map { $0 + 1 }
        readers[index].received += 1
      }
    }
  }

  /// From here on all goes well.
  mutating func end() {
    flush()
    for index in readers.indices { while step(index) {} }
    for reader in readers where reader.isThere { check(reader.position == state.ring.next, "not everything arrived") }
    state.finish()
    for index in readers.indices {
      while step(index) {}
      check(readers[index].isClosing == readers[index].isThere, "not closed")
      leave(index)
    }
    check(state.isDrained, "not drained")
    checkAccount()
    let statistics = state.statistics
    check(statistics.bytes == bytes && statistics.published == state.ring.next, "\(statistics)")
  }

  private mutating func check(_ condition: Bool, _ fault: String) {
    if !condition { faults.append(fault) }
  }
}

@Suite(.inTurn) struct BroadcastStateTests {
  /// All sequences of four events: ten thousand for each kind; the long tests take five.
  @Test(arguments: [true, false])
  func everyReaderGetsEverythingOrIsTold(tellsLosses: Bool) {
    var history: [SimulatedBroadcast.Event] = []
    func explore(_ broadcast: SimulatedBroadcast, depth: Int) {
      for event in SimulatedBroadcast.Event.allCases {
        var broadcast = broadcast
        broadcast.apply(event)
        broadcast.checkAccount()
        history.append(event)
        defer { history.removeLast() }
        if depth > 1 {
          explore(broadcast, depth: depth - 1)
        } else {
          broadcast.end()
          if !broadcast.faults.isEmpty { Issue.record("\(history): \(broadcast.faults)") }
        }
      }
    }
    // Somebody reads from the beginning, and a message has come.
    var broadcast = SimulatedBroadcast(tellsLosses: tellsLosses) { $0.greetingLifetime = .seconds(tellsLosses ? 0 : 1) }
    broadcast.join(1, from: nil)
    broadcast.step(1)
    broadcast.apply(.publish)
    explore(broadcast, depth: runsLongTests ? 5 : 4)
  }

  /// Long random runs with several sizes of the ring.
  @Test func theAccountOfABroadcastBalancesAfterEveryEvent() {
    for seed in UInt64(1)...(runsLongTests ? 2000 : 200) {
      var random = SplitMix(state: seed)
      var broadcast = SimulatedBroadcast { $0.messageLimit = Int.random(in: 1...6, using: &random) }
      for _ in 0..<100 {
        broadcast.apply(SimulatedBroadcast.Event.allCases.randomElement(using: &random)!)
        broadcast.checkAccount()
      }
      broadcast.end()
      if !broadcast.faults.isEmpty { Issue.record("seed \(seed): \(broadcast.faults.prefix(3))"); return }
    }
  }

  @Test func overwrittenMessagesAreLostAtOnceAndTheRestWhenTheReaderIsClosed() {
    var broadcast = SimulatedBroadcast { $0.messageLimit = 4 }
    broadcast.join(0, from: nil)
    broadcast.step(0)
    for _ in 0..<10 { broadcast.apply(.publish) }
    #expect(broadcast.state.statistics.account.drops == [.overflow: 6])
    #expect(broadcast.state.statistics.account.waiting == 4)
    broadcast.flush()
    broadcast.step(0)
    // One of the messages that the connection has to send does not leave.
    broadcast.state.leave(0, .end, undelivered: 1)
    let account = broadcast.state.statistics.account
    #expect(account.drops == [.overflow: 6, .end: 1] && account.written == 3 && account.waiting == 0)
  }

  /// A reader is owed, gets and loses only what it wants.
  @Test func messagesOfATopicAreForReadersWhoWantIt() {
    var broadcast = SimulatedBroadcast { ($0.messageLimit, $0.byteLimit) = (4, 100) }
    for id in 0...1 {
      broadcast.join(id, from: nil)
      broadcast.step(id)
    }
    broadcast.state.want(1, for: 1)
    #expect(broadcast.state.wantedTopics == 1)
    func publish(_ topics: [UInt8]) {
      for topic in topics {
        _ = broadcast.state.publish { ring in Array("\(topic);".utf8).withUnsafeBytes { ring.append($0, topic: topic) }
        }
      }
      broadcast.state.beginFlush()
    }
    publish([1, 2, 0, 1])
    #expect(text(broadcast.state.next(for: 0, at: 0)) == "0;")
    #expect(text(broadcast.state.next(for: 1, at: 0)) == "1;0;1;")
    #expect(broadcast.state.statistics.account.written == 4)
    // The first three of these are gone: the one reader has lost one, the other one two.
    publish([1, 0, 2, 0, 0, 1, 1])
    #expect(text(broadcast.state.next(for: 0, at: 0)) == "L1;0;0;")
    #expect(text(broadcast.state.next(for: 1, at: 0)) == "L2;0;0;1;1;")
    #expect(text(broadcast.state.next(for: 0, at: 0)) == "wait")
    let account = broadcast.state.statistics.account
    #expect(account.accepted == 4 + 3 + 6 && account.lost == 3 && account.waiting == 0)
    broadcast.state.leave(1, .unwanted)
    #expect(broadcast.state.wantedTopics == 0)
  }

  private func text(_ action: BroadcastState<Int>.Action) -> String {
    if case .send(let bytes, _) = action { String(buffer: bytes) } else { "\(action)" }
  }

  @Test func aBatchIsMadeOnceForAllAtTheSamePlace() {
    var broadcast = SimulatedBroadcast { $0.messageLimit = 10 }
    for index in 0..<2 {
      broadcast.join(index, from: nil)
      broadcast.step(index)
    }
    for _ in 0..<3 { broadcast.apply(.publish) }
    #expect(text(broadcast.state.next(for: 0, at: 0)) == "wait", "a flush comes first")
    broadcast.flush()
    let first = broadcast.state.next(for: 0, at: 0)
    // Published while the flush lasts: it does not make a batch of its own for each of the rest.
    broadcast.apply(.publish)
    let second = broadcast.state.next(for: 1, at: 0)
    guard case .send(let one, _) = first, case .send(let other, _) = second else {
      Issue.record("nothing sent"); return
    }
    #expect(String(buffer: one) == "0;1;2;" && one == other)
    #expect(one.withUnsafeReadableBytes { $0.baseAddress } == other.withUnsafeReadableBytes { $0.baseAddress })
    #expect(text(broadcast.state.next(for: 0, at: 0)) == "wait")
    broadcast.flush()
    #expect(text(broadcast.state.next(for: 0, at: 0)) == "3;")
  }

  @Test func withoutAReaderNothingIsFlushedAndOneFlushIsForAll() {
    var state = SimulatedBroadcast().state
    func publish() -> Bool { state.publish { $0.skip() }.needsFlush }
    #expect(!publish())
    _ = state.add(0, from: nil)
    #expect(publish())
    #expect(!publish(), "there will be one")
    state.beginFlush()
    #expect(publish())
    state.beginFlush()
    // A change that no message tells of is nobody's business.
    let (_, needsFlush) = state.publish { _ in }
    #expect(!needsFlush)
  }

  @Test func aGreetingIsGoodForWhoComesSoonUnlessWhatFollowedIsGone() {
    func greetings(_ meanwhile: (inout SimulatedBroadcast) -> Void) -> String {
      var broadcast = SimulatedBroadcast(tellsLosses: false) { $0.greetingLifetime = .seconds(1) }
      broadcast.join(0, from: nil)
      broadcast.step(0)
      meanwhile(&broadcast)
      broadcast.join(1, from: nil)
      return text(broadcast.state.next(for: 1, at: broadcast.now))
    }
    #expect(greetings { _ in } == "G0;")
    #expect(greetings { $0.apply(.publish) } == "G0;", "and then the message")
    #expect(greetings { $0.now = 0.99 } == "G0;")
    #expect(greetings { $0.now = 1 } == "greet")
    #expect(greetings { $0.apply(.skip) } == "greet")
    #expect(greetings { $0.leave(0) } == "greet", "nothing is kept for nobody")
  }

  @Test(arguments: [-1, 4, .max])
  func aNumberThatWasNeverGivenIsGreeted(number: Int) {
    var broadcast = SimulatedBroadcast(tellsLosses: false)
    for _ in 0..<3 { broadcast.apply(.publish) }
    _ = broadcast.state.add(0, from: number)
    #expect(text(broadcast.state.next(for: 0, at: 0)) == "greet")
  }

  @Test func theLimitIsReportedOnceUntilHalfHaveLeft() {
    var state = SimulatedBroadcast { $0.readerLimit = 4 }.state
    for id in 0..<4 { #expect(state.add(id, from: nil) == .admitted(inPlaceOf: nil)) }
    #expect(state.add(4, from: nil) == .refused(isFirst: true))
    #expect(state.add(4, from: nil) == .refused(isFirst: false))
    state.leave(0, .unwanted)
    #expect(state.add(0, from: nil) == .admitted(inPlaceOf: nil))
    #expect(state.add(4, from: nil) == .refused(isFirst: false))
    // Who was refused leaves, too, and nobody misses him.
    state.leave(4, .unwanted)
    #expect(state.statistics.readers == 4)
    for id in 0..<2 { state.leave(id, .unwanted) }
    for id in 0..<2 { #expect(state.add(id, from: nil) == .admitted(inPlaceOf: nil)) }
    #expect(state.add(4, from: nil) == .refused(isFirst: true))
    #expect(state.statistics.refused == 4 && state.statistics.accepted == 7 && state.statistics.readers == 4)
  }

  @Test func aHalfClosedReaderGivesWayOnlyWhenThereIsNoRoom() {
    var state = SimulatedBroadcast { $0.readerLimit = 2 }.state
    _ = state.add(0, from: nil)
    state.halfClose(0)
    #expect(state.add(1, from: nil) == .admitted(inPlaceOf: nil))
    #expect(state.add(2, from: nil) == .admitted(inPlaceOf: 0))
    #expect(state.statistics.readers == 2)
    #expect(state.add(3, from: nil) == .refused(isFirst: true))
  }

  @Test func aReaderThatTakesSomethingIsNotStalled() {
    var state = SimulatedBroadcast().state
    for id in 0..<3 {
      _ = state.add(id, from: nil)
      state.sent(100, to: id)
    }
    // The first takes nothing, the second a byte, and the third is sent more than it takes.
    #expect(state.stalledReaders(waiting: [0: 100, 1: 100, 2: 100], at: 0) == [])
    #expect(state.stalledReaders(waiting: [0: 100, 1: 99, 2: 100], at: 1.9) == [])
    state.sent(50, to: 2)
    #expect(state.stalledReaders(waiting: [0: 100, 1: 99, 2: 149], at: 2) == [0])
    #expect(state.stalledReaders(waiting: [1: 99, 2: 149], at: 3.8) == [])
    #expect(state.stalledReaders(waiting: [1: 99, 2: 149], at: 3.9) == [1])
    // When nothing waits, time does not count.
    #expect(state.stalledReaders(waiting: [2: 0], at: 3.95) == [])
    #expect(state.stalledReaders(waiting: [2: 10], at: 9) == [])
    #expect(state.stalledReaders(waiting: [2: 10], at: 11) == [2])
    #expect(state.statistics.stalled == 3)
  }

  @Test func atTheEndNobodyJoinsAndEachIsClosedOnceWhenItHasEverything() {
    var broadcast = SimulatedBroadcast()
    broadcast.join(0, from: nil)
    broadcast.apply(.publish)
    broadcast.state.finish()
    #expect(broadcast.state.add(1, from: nil) == .refused(isFirst: false))
    #expect(!broadcast.state.isDrained)
    broadcast.step(0)
    #expect(broadcast.readers[0].position == 1 && !broadcast.readers[0].isClosing)
    broadcast.step(0)
    #expect(broadcast.readers[0].isClosing)
    #expect(broadcast.step(0) == false)
    broadcast.leave(0)
    #expect(broadcast.state.isDrained)
  }
}
