import NIOCore
import Platform

/// The rules of a broadcast without its sockets, lock and clock: events go in, and actions come out.
///
/// Each reader has a cursor, the number of its next message. A reader without one is greeted first. Times are seconds
/// of a clock that only goes forward.
struct BroadcastState<ID: Hashable & Sendable>: Sendable {
  enum Admission: Equatable {
    /// There is room after `other` is closed, which has closed its sending side and may have left.
    case admitted(inPlaceOf: ID?)
    /// There is no room. The first refusal of a series is reported.
    case refused(isFirst: Bool)
  }

  enum Action {
    /// Send a greeting, and confirm it with ``greeted(_:with:before:at:)``.
    case greet
    /// Send these bytes, which complete that many messages.
    case send(ByteBuffer, messages: Int)
    case close
    case wait
  }

  private struct Reader: Sendable {
    /// The number of the next message to send; `nil` until it is greeted.
    var cursor: Int?
    /// The messages before the cursor.
    var passed = MessageTally()
    /// The topics that it wants.
    var topics: UInt8 = 0
    /// It has closed its sending side, as `socat -u` does; or it has left and TCP cannot tell yet.
    var isHalfClosed = false
    var isClosing = false
    /// The number of bytes that it was sent, and how many of them had left when that number last changed.
    var sent = 0
    var left = 0
    /// The time of that change; `nil` before any byte had to wait.
    var progressTime: Double?
  }

  private let options: BroadcastOptions
  /// The record for a reader that has lost that many messages; without it the reader is greeted again.
  private let lossRecord: (@Sendable (Int) -> ByteBuffer)?

  /// The account in it does not include messages that readers have not been sent yet.
  private var counts = BroadcastStatistics()
  private(set) var ring: MessageRing
  private var readers: [ID: Reader] = [:]
  /// The number of the first message after the current flush.
  private var head = 0
  private var isFlushScheduled = false
  /// The messages for a reader at `start`, encoded once for all readers there.
  private var batch: (start: Int, topics: UInt8, next: Int, bytes: ByteBuffer)?
  /// The last greeting, for readers that come soon after.
  private var greeting: (next: Int, end: Double, bytes: ByteBuffer)?
  private var isRefusing = false
  private var isFinishing = false

  init(options: BroadcastOptions, lossRecord: (@Sendable (Int) -> ByteBuffer)?) {
    self.options = options
    self.lossRecord = lossRecord
    ring = MessageRing(byteLimit: options.byteLimit, messageLimit: options.messageLimit)
  }

  // MARK: Publishing

  /// Appends messages; also returns whether a flush has to be scheduled.
  mutating func publish<Result>(_ append: (inout MessageRing) -> Result) -> (Result, needsFlush: Bool) {
    let first = ring.next
    let result = append(&ring)
    counts.published += ring.next - first
    guard ring.next > first, !readers.isEmpty, !isFlushScheduled else { return (result, false) }
    isFlushScheduled = true
    return (result, true)
  }

  /// Begins a flush: every reader may be sent the messages so far. Later messages need another flush.
  mutating func beginFlush() {
    isFlushScheduled = false
    head = ring.next
    batch = nil
  }

  // MARK: Readers

  /// Adds a reader; `number` is that of the first message that it needs, if it has received earlier ones.
  mutating func add(_ id: ID, from number: Int?) -> Admission {
    var other: ID?
    if readers.count >= options.readerLimit, !isFinishing { other = readers.first { $0.value.isHalfClosed }?.key }
    if let other { leave(other, .unwanted) }
    guard readers.count < options.readerLimit, !isFinishing else {
      counts.refused += 1
      defer { isRefusing = true }
      return .refused(isFirst: !isRefusing && !isFinishing)
    }
    counts.accepted += 1
    let cursor = number.flatMap { $0 <= ring.next ? $0 : nil }
    readers[id] = Reader(cursor: cursor, passed: ring.tally(before: cursor ?? 0))
    counts.readers = readers.count
    head = ring.next
    return .admitted(inPlaceOf: other)
  }

  /// Changes the topics that a reader wants, from its next message on.
  mutating func want(_ topics: UInt8, for id: ID) { readers[id]?.topics = topics }

  /// The topics that at least one reader wants.
  var wantedTopics: UInt8 { readers.values.reduce(0) { $0 | $1.topics } }

  mutating func halfClose(_ id: ID) { readers[id]?.isHalfClosed = true }

  /// Removes a closed connection, which need not be a reader. Its remaining messages are dropped for `cause`, and
  /// `undelivered` of the sent ones have not left this process.
  mutating func leave(_ id: ID, _ cause: Account.Cause, undelivered: Int = 0) {
    if let reader = readers.removeValue(forKey: id), tellsLosses {
      counts.account.drop(addUnsent(of: reader, to: &counts.account), cause)
      counts.account.revoke(undelivered, cause)
    }
    counts.readers = readers.count
    // Uses half the limit, so that a limit that is reached again and again is reported once.
    if readers.count <= options.readerLimit / 2 { isRefusing = false }
    if readers.isEmpty { (batch, greeting) = (nil, nil) }
  }

  /// The next action for a reader that is ready. The caller repeats it until the answer is to wait.
  mutating func next(for id: ID, at now: @autoclosure () -> Double) -> Action {
    guard let reader = readers[id], !reader.isClosing else { return .wait }
    let topics = reader.topics
    guard let cursor = reader.cursor, cursor >= ring.oldest || lossRecord != nil else {
      // A reader that comes soon after another gets the same greeting, and the messages since then.
      guard let greeting, greeting.next >= ring.oldest, now() < greeting.end else { return .greet }
      return send(greeting.bytes, upTo: greeting.next, to: id)
    }
    guard cursor < max(head, ring.oldest) else {
      guard isFinishing else { return .wait }
      readers[id]?.isClosing = true
      return .close
    }
    let first = max(cursor, ring.oldest)
    if let batch, batch.start == first, batch.topics == topics, first == cursor {
      return send(batch.bytes, upTo: batch.next, to: id)
    }
    var bytes = ByteBuffer()
    let lost = lost(reader)
    if let lossRecord, lost > 0 { bytes = lossRecord(lost) }
    var next = ring.copy(from: first, wanting: topics, limit: 32 << 10, to: &bytes)
    // Passes over messages that the reader does not want.
    while bytes.readableBytes == 0, next < head { next = ring.copy(from: next, wanting: topics, limit: 0, to: &bytes) }
    // The batch of a reader that is behind is not shared.
    if first == cursor, next >= head { batch = (cursor, topics, next, bytes) }
    return send(bytes, upTo: next, to: id)
  }

  /// Notes that a reader was sent a greeting with the value before message `next`.
  mutating func greeted(_ id: ID, with bytes: ByteBuffer, before next: Int, at now: Double) {
    greeting = (next, now + options.greetingLifetime / .seconds(1), bytes)
    _ = send(bytes, upTo: next, to: id)
  }

  mutating func sent(_ count: Int, to id: ID) {
    readers[id]?.sent += count
    counts.bytes += count
  }

  private mutating func send(_ bytes: ByteBuffer, upTo next: Int, to id: ID) -> Action {
    guard let index = readers.index(forKey: id) else { return .send(bytes, messages: 0) }
    let (reader, passed) = (readers.values[index], ring.tally(before: next))
    var messages = 0
    if tellsLosses, reader.cursor != nil {
      let (accepted, lost) = ((passed &- reader.passed).count(wanting: reader.topics), lost(reader))
      messages = accepted - lost
      counts.account.accept(accepted)
      counts.account.drop(lost, .overflow)
      counts.account.write(messages)
    }
    readers.values[index].passed = passed
    readers.values[index].cursor = next
    readers.values[index].sent += bytes.readableBytes
    counts.bytes += bytes.readableBytes
    return .send(bytes, messages: messages)
  }

  // MARK: What was done

  /// Whether readers are told their losses. Otherwise a greeting replaces the lost messages, so nothing is lost.
  private var tellsLosses: Bool { lossRecord != nil }

  var statistics: BroadcastStatistics {
    var result = counts
    if tellsLosses { for reader in readers.values { _ = addUnsent(of: reader, to: &result.account) } }
    return result
  }

  /// Counts the messages that a reader was not sent. The ring no longer has some of them; returns the number of the others.
  private func addUnsent(of reader: Reader, to account: inout Account) -> Int {
    guard reader.cursor != nil else { return 0 }
    let (accepted, lost) = ((ring.appended &- reader.passed).count(wanting: reader.topics), lost(reader))
    account.accept(accepted)
    account.drop(lost, .overflow)
    return accepted - lost
  }

  /// The number of messages for the reader that the ring no longer has.
  private func lost(_ reader: Reader) -> Int {
    pointwiseMax(ring.removed &- reader.passed, MessageTally()).count(wanting: reader.topics)
  }

  /// The readers that have read nothing for the stall timeout, from this check and earlier ones; `waiting` has the number
  /// of unsent bytes of each reader.
  mutating func stalledReaders(waiting: [ID: Int], at now: Double) -> [ID] {
    let timeout = options.stallTimeout / .seconds(1)
    var stalled: [ID] = []
    for (id, count) in waiting where count > 0 {
      guard var reader = readers[id] else { continue }
      let left = reader.sent - count
      if reader.progressTime == nil || left > reader.left {
        (reader.left, reader.progressTime) = (left, now)
      } else if let time = reader.progressTime, now - time >= timeout {
        stalled.append(id)
      }
      readers[id] = reader
    }
    counts.stalled += stalled.count
    return stalled
  }

  // MARK: The end

  /// Refuses further readers and closes each reader that has everything.
  mutating func finish() {
    isFinishing = true
    beginFlush()
  }

  var isDrained: Bool { isFinishing && readers.isEmpty }
}
