import Platform

/// The rules of an outbox without its thread, lock and clock: events go in, and actions come out.
///
/// Times are seconds of a clock that only goes forward.
struct OutboxState<Batch: OutboxBatch, Failure: Error & Hashable>: Sendable {
  enum Appending: Equatable {
    /// The record waits to be written. The thread has to be woken if `wakes`.
    case appended(wakes: Bool)
    /// There is no room: the caller waits for it, and appends again.
    case full
    case dropped
    /// The appending thread may write the record, and then calls `wroteDirectly`.
    case mayWriteDirectly
  }

  enum Action: Equatable {
    /// Write the batch, after a note that so many records were dropped before it.
    case write(droppedBefore: Int)
    /// Wait that many seconds, or until it is woken.
    case wait(seconds: Double)
    case sleep
    case reopen
    case end(OutboxEnd<Failure>)
  }

  enum AfterFailure: Equatable {
    /// Retry when the next action says so. The first failure of a series is reported.
    case retry(isFirst: Bool)
    case end
  }

  private enum Phase: Equatable {
    case open
    /// The waiting records are written, after a temporary failure has passed, and no more are accepted.
    case finishing
    /// The waiting records are written unless that fails, and no more are accepted.
    case closing
    case cancelled
    case ended(OutboxEnd<Failure>)
  }

  private enum Activity: Equatable {
    /// The thread acts, and then asks for its next action.
    case working
    /// The thread waits until the next write is due, unless it becomes urgent.
    case gathering
    /// The destination failed, and a part of the batch is unwritten.
    case failing(retryTime: Double)
    /// Everything is written, and the thread sleeps.
    case asleep
    /// The thread sleeps while another thread writes a record directly.
    case lending
  }

  private enum Reopening {
    case no
    case afterWaiting
    case afterBatch
  }

  let mode: OutboxMode
  /// The amount that may wait, in addition to the same amount that is being written.
  let limit: Int
  /// The seconds between writes when many records come; the records in between are written together.
  let interval: Double

  private(set) var waiting = Batch()
  private var phase = Phase.open
  private var activity = Activity.working
  private var reopening = Reopening.no
  private var account = Account()
  private var amount = 0
  private var failures = 0
  /// The number of records that were dropped before the waiting ones and are not in a note yet.
  private var unreportedDrops = 0
  private var lastWrite = -Double.infinity
  private var blocked = 0

  init(mode: OutboxMode, limit: Int, interval: Double) {
    self.mode = mode
    self.limit = max(limit, 1)
    self.interval = interval
  }

  var statistics: OutboxStatistics {
    OutboxStatistics(account: account, amount: amount, failures: failures, isFailing: isFailing)
  }

  var end: OutboxEnd<Failure>? { if case .ended(let end) = phase { end } else { nil } }

  var isIdle: Bool { activity == .asleep || end != nil }

  private var isFailing: Bool { if case .failing = activity { true } else { false } }

  private var isUrgent: Bool {
    phase != .open || reopening == .afterWaiting || blocked > 0 || waiting.size >= limit / 2
  }

  // MARK: Appending

  mutating func append(
    size: Int, isRecord: Bool, isDirect: Bool, at now: @autoclosure () -> Double, store: (inout Batch) -> Void
  ) -> Appending {
    let isFull = waiting.size + size > limit && waiting.unwrittenRecords > 0
    if mode == .replay && isFull && phase == .open {
      blocked += 1
      return .full
    }
    if isRecord { account.accept() }
    guard phase == .open else {
      if isRecord { account.drop(1, end?.cause ?? .end) }
      return .dropped
    }
    // A sleeping thread has an empty queue, so writing directly cannot reorder records.
    if isDirect, activity == .asleep, now() >= lastWrite + interval {
      activity = .lending
      return .mayWriteDirectly
    }
    // Drops a quarter at once, so that the rest is moved once for many records.
    if isFull { dropOldest(downTo: max(0, limit - limit / 4 - size)) }
    store(&waiting)
    return .appended(wakes: wakes())
  }

  /// Ends a direct write. `written` is `nil` if the destination had no room, so that the record has to wait. Returns
  /// whether the thread has to be woken.
  mutating func wroteDirectly(_ written: Int?, isRecord: Bool, at now: Double, store: (inout Batch) -> Void) -> Bool {
    activity = .asleep
    if let written {
      lastWrite = now
      amount += written
      if isRecord { account.write() }
    } else {
      store(&waiting)
    }
    return (waiting.size > 0 || phase != .open || reopening != .no) && wakes()
  }

  private mutating func wakes() -> Bool {
    guard activity == .asleep || (activity == .gathering && isUrgent) else { return false }
    activity = .working
    return true
  }

  private mutating func dropOldest(downTo size: Int) {
    let count = waiting.removeOldest(downTo: size)
    unreportedDrops += count
    account.drop(count, .overflow)
  }

  // MARK: Requests

  mutating func requestReopen() { if reopening == .no { reopening = .afterWaiting } }

  mutating func finish() { if phase == .open { phase = mode == .replay ? .finishing : .closing } }

  /// Writes the waiting records if possible, and accepts no more. It does not retry after a failure.
  mutating func close() { if phase == .open || phase == .finishing { phase = .closing } }

  mutating func cancel() { if end == nil { phase = .cancelled } }

  /// Returns the number of callers to release, because there is room or no record is accepted any more.
  mutating func releaseBlocked() -> Int {
    guard phase != .open || waiting.size == 0 else { return 0 }
    defer { blocked = 0 }
    return blocked
  }

  // MARK: The thread

  /// The next action. It moves the waiting records to `batch` once that is written, and keeps its empty arrays in
  /// return.
  mutating func next(_ batch: inout Batch, at now: Double) -> Action {
    if activity == .lending { return .sleep }
    if phase == .cancelled { return .end(.cancelled) }
    if case .failing(let retryTime) = activity {
      if reopening != .no, batch.isAtBoundary { return reopen(at: now) }
      if now < retryTime, phase != .closing { return .wait(seconds: retryTime - now) }
      return .write(droppedBefore: 0)
    }
    activity = .working
    if !batch.isWritten { return .write(droppedBefore: 0) }
    if reopening == .afterBatch { return reopen(at: now) }
    if waiting.size > 0 {
      if now < lastWrite + interval && !isUrgent {
        activity = .gathering
        return .wait(seconds: lastWrite + interval - now)
      }
      batch.removeAll()
      swap(&batch, &waiting)
      if reopening == .afterWaiting { reopening = .afterBatch }
      defer { unreportedDrops = 0 }
      return .write(droppedBefore: unreportedDrops)
    }
    if reopening == .afterWaiting { return reopen(at: now) }
    if phase != .open { return .end(.finished) }
    activity = .asleep
    return .sleep
  }

  private mutating func reopen(at now: Double) -> Action {
    reopening = .no
    if isFailing { activity = .failing(retryTime: now) }
    return .reopen
  }

  /// Notes what the destination accepted. Returns whether it had failed before.
  mutating func wrote(_ amount: Int, records: Int, at now: Double) -> Bool {
    defer { activity = .working }
    lastWrite = now
    self.amount += amount
    account.write(records)
    return isFailing
  }

  /// Notes a failure of the destination. A replay waits until a temporary one passes.
  mutating func failed(isTemporary: Bool, at now: Double) -> AfterFailure {
    let isFirst = !isFailing
    if isFirst { failures += 1 }
    activity = .failing(retryTime: now + 1)
    return switch phase {
    case .open where mode == .live || isTemporary: .retry(isFirst: isFirst)
    case .finishing where isTemporary: .retry(isFirst: isFirst)
    default: .end
    }
  }

  /// Notes that the destination is closed, and counts the unwritten records as dropped. After a `failure` to close it,
  /// accepted records may be lost as well. Returns why the outbox ends.
  mutating func closed(_ end: OutboxEnd<Failure>, failure: Failure?, unwritten batch: Batch) -> OutboxEnd<Failure> {
    var end = end
    if let failure, end == .finished { end = .failed(failure) }
    if case .failed = end { account.hasFailed = true }
    if failure != nil { account.hasFailed = true }
    account.drop(batch.unwrittenRecords + waiting.unwrittenRecords, end.cause)
    waiting.removeAll()
    phase = .ended(end)
    return end
  }
}
