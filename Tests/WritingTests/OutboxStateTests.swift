import Platform
import Synchronization
import Testing
import TestSupport

@testable import Writing

/// Records that are numbers, each of size 1.
struct NumberBatch: OutboxBatch, Equatable {
  var numbers: [Int] = []
  /// How many are written; a half means that the next one is written in part.
  var written = 0.0

  var size: Int { numbers.count }
  var unwrittenRecords: Int { numbers.count - Int(written) }
  var isWritten: Bool { Int(written) == numbers.count }
  var isAtBoundary: Bool { written == written.rounded() }

  mutating func removeOldest(downTo size: Int) -> Int {
    let count = min(max(1, numbers.count - size), numbers.count)
    numbers.removeFirst(count)
    return count
  }

  mutating func removeAll() { (numbers, written) = ([], 0) }
}

/// A batch whose records take time to count, as those of a journal.
private struct SlowlyCountedBatch: OutboxBatch {
  static let counts = Atomic(0)

  var size = 0
  var unwrittenRecords: Int {
    Self.counts.add(1, ordering: .relaxed)
    return size
  }
  var isWritten: Bool { size == 0 }
  var isAtBoundary: Bool { true }

  mutating func removeOldest(downTo size: Int) -> Int { 0 }

  mutating func removeAll() { size = 0 }
}

struct NumberError: Error, Hashable {}

/// An outbox without a thread: a simulation whose clock and destination the test moves.
struct SimulatedOutbox {
  enum Event: CaseIterable {
    case append, appendDirectly, step, stepInPart, stepFailing, second, reopen, finish, close, cancel
  }

  typealias State = OutboxState<NumberBatch, NumberError>

  var state: State
  var batch = NumberBatch()
  var now = 0.0
  /// Whether the thread sleeps or waits until a time; it is woken by the events that say so.
  var isAsleep = false
  var wakesAt = -Double.infinity
  var next = 0
  /// The numbers that the destination holds, and marks where it was opened again.
  var received: [Int] = []
  var droppedInNotes = 0
  /// Records that came when nothing was taken any more.
  var late = 0
  var reopenings: [Int] = []
  var blocked = 0
  /// Whether a failure will pass.
  var isTemporary = false
  var closingFails = false

  init(mode: OutboxMode, limit: Int = 3, interval: Double = 0) {
    state = State(mode: mode, limit: limit, interval: interval)
  }

  mutating func apply(_ event: Event) {
    switch event {
    case .append: append()
    case .appendDirectly: append(isDirect: true)
    case .step: step(amount: 1)
    case .stepInPart: step(amount: 0.5)
    case .stepFailing: step(amount: nil)
    case .second: now += 1
    case .reopen: request { $0.requestReopen() }
    case .finish: request { $0.finish() }
    case .close: request { $0.close() }
    case .cancel: request { $0.cancel() }
    }
  }

  private mutating func request(_ change: (inout State) -> Void) {
    change(&state)
    (isAsleep, wakesAt) = (false, -.infinity)
    blocked -= state.releaseBlocked()
  }

  mutating func append(_ count: Int) { for _ in 0..<count { append(isDirect: false) } }

  mutating func append(isDirect: Bool = false) {
    let number = next
    switch state.append(size: 1, isRecord: true, isDirect: isDirect, at: now, store: { $0.numbers.append(number) }) {
    case .appended(let wakes):
      next += 1
      if wakes { (isAsleep, wakesAt) = (false, -.infinity) }
    case .full:
      blocked += 1
    case .dropped:
      next += 1
      late += 1
    case .mayWriteDirectly:
      next += 1
      received.append(number)
      if state.wroteDirectly(1, isRecord: true, at: now, store: { _ in }) { isAsleep = false }
    }
  }

  /// One turn of the thread, in which the destination takes so many records, or fails.
  mutating func step(amount: Double?) {
    guard !isAsleep, now >= wakesAt, state.end == nil else { return }
    wakesAt = -.infinity
    let action = state.next(&batch, at: now)
    blocked -= state.releaseBlocked()
    switch action {
    case .write(let dropped):
      droppedInNotes += dropped
      guard let amount else {
        if state.failed(isTemporary: isTemporary, at: now) == .end { close(.failed(NumberError())) }
        return
      }
      let before = Int(batch.written)
      batch.written = min(batch.written + amount, Double(batch.numbers.count))
      received += batch.numbers[before..<Int(batch.written)]
      let count = Int(batch.written) - before
      _ = state.wrote(count, records: count, at: now)
    case .wait(let seconds): wakesAt = now + seconds
    case .sleep: isAsleep = true
    case .reopen: reopenings.append(received.count)
    case .end(let end): close(end)
    }
  }

  private mutating func close(_ end: OutboxEnd<NumberError>) {
    _ = state.closed(end, failure: closingFails ? NumberError() : nil, unwritten: batch)
    blocked -= state.releaseBlocked()
  }

  /// What must hold whatever happened.
  func check(_ history: [Event], _ mode: OutboxMode) {
    let statistics = state.statistics
    let text = "\(mode) \(history)"
    #expect(received == received.sorted() && Set(received).count == received.count, "order: \(text)")
    let account = statistics.account
    #expect(account.accepted == next && account.written == received.count, "\(text)")
    // What the account says waits is what the queue and the batch hold.
    #expect(
      account.waiting == (state.end == nil ? batch.unwrittenRecords + state.waiting.unwrittenRecords : 0), "\(text)")
    if state.end != nil {
      #expect(blocked == 0, "\(text)")
      if state.end == .finished { #expect(statistics.dropped == late || mode == .live, "\(text)") }
    }
    // A caller that waits has something to wait for.
    if blocked > 0 { #expect(!isAsleep, "\(text)") }
  }
}

@Suite(.inTurn) struct OutboxStateTests {
  /// All sequences of four events: some 5,000 for each mode; the long tests take six.
  @Test(arguments: [OutboxMode.live, .replay])
  func nothingIsLostInSilenceWhateverHappens(mode: OutboxMode) {
    var history: [SimulatedOutbox.Event] = []
    func explore(_ outbox: SimulatedOutbox, depth: Int) {
      for event in SimulatedOutbox.Event.allCases {
        var outbox = outbox
        outbox.apply(event)
        history.append(event)
        defer { history.removeLast() }
        guard depth > 1 else {
          // From here on all goes well.
          outbox.apply(.finish)
          for _ in 0..<20 { outbox.step(amount: 1) }
          if outbox.state.end == nil { Issue.record("does not end: \(mode) \(history)") }
          outbox.check(history, mode)
          continue
        }
        explore(outbox, depth: depth - 1)
      }
    }
    explore(SimulatedOutbox(mode: mode, limit: 2), depth: runsLongTests ? 6 : 4)
  }

  @Test func aLiveOutboxDropsTheOldestAndNotesHowMany() {
    var outbox = SimulatedOutbox(mode: .live, limit: 4)
    outbox.append(4)
    #expect(outbox.state.statistics.dropped == 0, "it is exactly full")
    outbox.append(1)
    #expect(outbox.state.statistics.dropped == 2)
    for _ in 0..<10 { outbox.step(amount: 1) }
    #expect(outbox.received == [2, 3, 4])
    #expect(outbox.droppedInNotes == 2)
    // The next batch has no note.
    outbox.append()
    for _ in 0..<10 { outbox.step(amount: 1) }
    #expect(outbox.received == [2, 3, 4, 5] && outbox.droppedInNotes == 2)
  }

  @Test func recordsThatHaveRoomAreNotCounted() {
    var state = OutboxState<SlowlyCountedBatch, NumberError>(mode: .replay, limit: 10, interval: 0)
    for _ in 0..<10 {
      _ = state.append(size: 1, isRecord: true, isDirect: false, at: 0) { $0.size += 1 }
    }
    #expect(SlowlyCountedBatch.counts.load(ordering: .relaxed) == 0)
  }

  @Test func aReplayMakesItsCallerWaitUntilTheThreadTakesWhatWaits() {
    var outbox = SimulatedOutbox(mode: .replay, limit: 2)
    outbox.append(3)
    #expect(outbox.blocked == 1)
    outbox.step(amount: 0)
    #expect(outbox.blocked == 0)
    #expect(outbox.state.statistics.dropped == 0)
  }

  @Test func failuresAreCountedOnceASeriesAndTriedAgainAfterASecond() {
    var outbox = SimulatedOutbox(mode: .live)
    outbox.append()
    outbox.step(amount: nil)
    #expect(outbox.state.statistics.isFailing)
    // The second turn is told to wait.
    outbox.step(amount: nil)
    #expect(outbox.wakesAt == 1)
    outbox.now = 1
    #expect(outbox.state.failed(isTemporary: false, at: 1) == .retry(isFirst: false))
    outbox.now = 2
    outbox.step(amount: 1)
    #expect(outbox.received == [0])
    #expect(!outbox.state.statistics.isFailing && outbox.state.statistics.failures == 1)
    // The next series is another one.
    #expect(outbox.state.failed(isTemporary: false, at: 2) == .retry(isFirst: true))
  }

  @Test func aFailureEndsAReplayAndOneThatFinishes() {
    var replay = SimulatedOutbox(mode: .replay)
    replay.append()
    replay.step(amount: nil)
    #expect(replay.state.end == .failed(NumberError()))
    #expect(replay.state.statistics.dropped == 1)

    var live = SimulatedOutbox(mode: .live)
    live.append()
    live.step(amount: nil)
    // It does not wait for the second to pass.
    live.apply(.finish)
    live.step(amount: nil)
    #expect(live.state.end == .failed(NumberError()))
  }

  @Test func aReplayWaitsForAFailureThatPassesAtItsEndTooUnlessItIsClosed() {
    var outbox = SimulatedOutbox(mode: .replay)
    outbox.isTemporary = true
    outbox.append()
    outbox.step(amount: nil)
    outbox.apply(.finish)
    outbox.step(amount: nil)
    #expect(outbox.state.end == nil && outbox.wakesAt == 1)
    var closed = outbox
    outbox.now = 1
    outbox.step(amount: 1)
    outbox.step(amount: 1)
    #expect(outbox.state.end == .finished && outbox.received == [0])

    closed.apply(.close)
    closed.step(amount: nil)
    #expect(closed.state.end == .failed(NumberError()) && closed.state.statistics.dropped == 1)
  }

  @Test(arguments: [OutboxMode.live, .replay]) func whatWaitsAtTheEndIsWrittenAtOnce(mode: OutboxMode) {
    var outbox = SimulatedOutbox(mode: mode, limit: 100, interval: 0.5)
    outbox.append()
    outbox.step(amount: 1)
    outbox.append(2)
    outbox.apply(.finish)
    for _ in 0..<3 { outbox.step(amount: 2) }
    #expect(outbox.received == [0, 1, 2] && outbox.state.end == .finished && outbox.state.statistics.dropped == 0)
  }

  @Test func recordsOfAnIntervalAreWrittenTogether() {
    var outbox = SimulatedOutbox(mode: .live, limit: 100, interval: 0.5)
    outbox.append()
    // The first does not wait.
    outbox.step(amount: 1)
    #expect(outbox.received == [0])
    outbox.append()
    outbox.step(amount: 1)
    #expect(outbox.received == [0] && outbox.wakesAt == 0.5)
    outbox.append()
    // It is not woken for each of them.
    #expect(outbox.wakesAt == 0.5)
    outbox.now = 0.5
    outbox.step(amount: 2)
    #expect(outbox.received == [0, 1, 2])
  }

  @Test func halfAFullQueueIsNotWaitedFor() {
    var outbox = SimulatedOutbox(mode: .replay, limit: 4, interval: 0.5)
    outbox.append()
    outbox.step(amount: 1)
    outbox.append()
    outbox.step(amount: 1)
    #expect(outbox.wakesAt == 0.5)
    outbox.append()
    #expect(outbox.wakesAt == -.infinity)
    outbox.step(amount: 2)
    #expect(outbox.received == [0, 1, 2])
  }

  @Test func aRecordOnItsOwnMayBeWrittenByWhoeverAppendsIt() {
    var outbox = SimulatedOutbox(mode: .live, interval: 0.5)
    outbox.step(amount: 1)
    #expect(outbox.isAsleep)
    outbox.append(isDirect: true)
    #expect(outbox.received == [0] && outbox.isAsleep)
    // The next one comes within the interval and waits for the thread, in its order.
    outbox.append(isDirect: true)
    #expect(outbox.received == [0] && !outbox.isAsleep)
  }

  @Test func theThreadLeavesThePlaceToWhoeverWritesDirectly() {
    var state = SimulatedOutbox.State(mode: .live, limit: 4, interval: 0)
    var batch = NumberBatch()
    #expect(state.next(&batch, at: 0) == .sleep)
    let first = state.append(size: 1, isRecord: true, isDirect: true, at: 0) { $0.numbers.append(0) }
    #expect(first == .mayWriteDirectly)
    // A second caller meanwhile, and then the thread, if something else wakes it.
    let second = state.append(size: 1, isRecord: true, isDirect: true, at: 0) { $0.numbers.append(1) }
    #expect(second == .appended(wakes: false))
    #expect(state.next(&batch, at: 0) == .sleep)
    // There was no room after all.
    #expect(state.wroteDirectly(nil, isRecord: true, at: 0) { $0.numbers.append(0) })
    #expect(state.next(&batch, at: 0) == .write(droppedBefore: 0))
    #expect(batch.numbers.sorted() == [0, 1])
  }

  @Test func aReopenComesAfterWhatWasAppendedBefore() {
    var outbox = SimulatedOutbox(mode: .live, limit: 10)
    outbox.append(3)
    outbox.apply(.reopen)
    outbox.step(amount: 1)
    outbox.append()
    for _ in 0..<10 { outbox.step(amount: 1) }
    #expect(outbox.reopenings == [3])
    #expect(outbox.received == [0, 1, 2, 3])
  }

  @Test func aFailingFileIsOpenedAgainBetweenRecordsOnly() {
    var outbox = SimulatedOutbox(mode: .live, limit: 10)
    outbox.append(2)
    outbox.step(amount: 0.5)
    outbox.step(amount: nil)
    outbox.apply(.reopen)
    outbox.step(amount: 1)
    // A record is torn: the old file has to take its rest.
    #expect(outbox.reopenings.isEmpty)
    outbox.now = 5
    outbox.step(amount: 0.5)
    #expect(outbox.received == [0])
    outbox.step(amount: nil)
    outbox.step(amount: 1)
    #expect(outbox.reopenings == [1])
    outbox.step(amount: 1)
    #expect(outbox.received == [0, 1])
  }
}
