import Platform

/// The rules of an outbox without its thread, lock and clock: events go in, and actions come out.
///
/// Times are seconds of a clock that only goes forward.
struct OutboxState<Batch: OutboxBatch, Failure: Error & Hashable>: Sendable {
  /// The answer to an append.
  enum Appending: Equatable {
    /// The record waits to be written. The thread has to be woken if `wakes`.
    case appended(wakes: Bool)
    /// There is no room: the caller waits for it, and appends again.
    case full
    /// Nothing more is written.
    case dropped
    /// The appending thread may write the record, and then reports the result with
    /// ``wroteDirectly(_:isRecord:at:store:)``.
    case mayWriteDirectly
  }

  /// The next action of the thread.
  enum Action: Equatable {
    /// Write the batch, after a note that so many records were dropped before it.
    case write(droppedBefore: Int)
    /// Wait that many seconds, or until it is woken.
    case wait(seconds: Double)
    /// Wait until it is woken.
    case sleep
    /// Reopen the destination.
    case reopen
    /// Close the destination.
    case end(OutboxEnd<Failure>)
  }

  /// The thread's action after a failure.
  enum AfterFailure: Equatable {
    /// Retry when its next action says so. The first failure of a series is reported.
    case triesAgain(isFirst: Bool)
    /// End.
    case ends
  }

  let mode: OutboxMode
  /// The amount that may wait, in addition to the same amount that is being written.
  let limit: Int
  /// The seconds between writes when many records come; the records in between are written together.
  let interval: Double

  private(set) var statistics = OutboxStatistics()
  private(set) var end: OutboxEnd<Failure>?
  private(set) var waiting = Batch()
  /// The number of records that were dropped before the waiting ones and are not in a note yet.
  private var unreportedDrops = 0
  private var lastWrite = -Double.infinity
  /// The time of the next try after a failure.
  private var retryTime: Double?
  /// The thread sleeps with an empty queue until it is woken.
  private var isAsleep = false
  /// The thread waits for more records.
  private var isGathering = false
  /// Another thread writes a record directly while the outbox's thread sleeps.
  private var isWritingDirectly = false
  /// The number of callers that wait for room.
  private var blocked = 0
  private var wantsReopen = false
  /// The destination is reopened when the batch is written.
  private var reopensAfterBatch = false
  private var isFinishing = false
  /// The outbox waits only for the destination itself.
  private var isClosing = false
  private var isCancelled = false

  init(mode: OutboxMode, limit: Int, interval: Double) {
    self.mode = mode
    self.limit = max(limit, 1)
    self.interval = interval
  }

  private var isClosed: Bool { isFinishing || isCancelled || end != nil }

  /// Whether the next try follows at once: a live outbox that ends does not wait for a failure to pass.
  private var isHurried: Bool { mode == .live ? isFinishing : isClosing }

  /// Whether the waiting records are written without further delay.
  private var isUrgent: Bool { isFinishing || wantsReopen || blocked > 0 || waiting.size >= limit / 2 }

  /// Whether all records are written.
  var isIdle: Bool { (isAsleep && !isWritingDirectly && waiting.size == 0) || end != nil }

  // MARK: Appending

  /// Appends a record, or several complete ones that are dropped together.
  ///
  /// - Parameters:
  ///   - isRecord: Whether it counts as a record.
  ///   - isDirect: Whether the appending thread can write it without waiting.
  ///   - store: Adds it to a batch.
  mutating func append(
    size: Int, isRecord: Bool, isDirect: Bool, at now: @autoclosure () -> Double, store: (inout Batch) -> Void
  ) -> Appending {
    let isFull = waiting.size + size > limit && waiting.unwrittenRecords > 0
    if mode == .replay && isFull && !isClosed {
      blocked += 1
      return .full
    }
    if isRecord { statistics.account.accept() }
    guard !isClosed else {
      if isRecord { statistics.account.drop(1, end?.cause ?? .end) }
      return .dropped
    }
    // A sleeping thread has an empty queue, so writing directly cannot reorder records.
    if isDirect, isAsleep, !isWritingDirectly, now() >= lastWrite + interval {
      isWritingDirectly = true
      return .mayWriteDirectly
    }
    // Drops a quarter at once, so that the rest is moved once for many records.
    if isFull { dropOldest(downTo: max(0, limit - limit / 4 - size)) }
    store(&waiting)
    return .appended(wakes: wakes())
  }

  /// Ends a direct write that ``Appending/mayWriteDirectly`` allowed.
  ///
  /// - Parameters:
  ///   - written: The amount that the destination accepted; `nil` if it had no room, so that the record has to wait.
  ///   - isRecord: Whether it counts as a record.
  /// - Returns: Whether the thread has to be woken.
  mutating func wroteDirectly(
    _ written: Int?, isRecord: Bool, at now: Double, store: (inout Batch) -> Void
  ) -> Bool {
    isWritingDirectly = false
    if let written {
      lastWrite = now
      statistics.amount += written
      if isRecord { statistics.account.write() }
    } else {
      store(&waiting)
    }
    guard waiting.size > 0 || wantsReopen || isFinishing || isCancelled else { return false }
    return wakes()
  }

  private mutating func wakes() -> Bool {
    guard isAsleep || (isGathering && isUrgent) else { return false }
    (isAsleep, isGathering) = (false, false)
    return true
  }

  private mutating func dropOldest(downTo size: Int) {
    let count = waiting.removeOldest(downTo: size)
    unreportedDrops += count
    statistics.account.drop(count, .overflow)
  }

  // MARK: Requests

  /// Reopens the destination after the records so far.
  mutating func requestReopen() { wantsReopen = true }

  /// Writes the waiting records, and accepts no more.
  mutating func finish() { isFinishing = true }

  /// Writes the waiting records if possible, and accepts no more. It does not retry after a failure.
  mutating func close() { (isFinishing, isClosing) = (true, true) }

  /// Drops the waiting records, and accepts no more.
  mutating func cancel() { isCancelled = true }

  /// Returns the number of callers to release: those that wait for room, if there is some or no record is accepted any
  /// more.
  mutating func releaseBlocked() -> Int {
    guard isClosed || waiting.size == 0 else { return 0 }
    defer { blocked = 0 }
    return blocked
  }

  // MARK: The thread

  /// The next action. It moves the waiting records to `batch` once that is written, and keeps its empty arrays in
  /// return.
  mutating func next(_ batch: inout Batch, at now: Double) -> Action {
    (isAsleep, isGathering) = (false, false)
    if isWritingDirectly { return sleep() }
    if isCancelled { return .end(.cancelled) }
    if let retryTime {
      if wantsReopen || reopensAfterBatch, batch.isAtBoundary { return reopen() }
      if now < retryTime && !isHurried { return .wait(seconds: retryTime - now) }
    }
    if !batch.isWritten { return .write(droppedBefore: 0) }
    if reopensAfterBatch { return reopen() }
    if waiting.size > 0 {
      if now < lastWrite + interval && !isUrgent {
        isGathering = true
        return .wait(seconds: lastWrite + interval - now)
      }
      batch.removeAll()
      swap(&batch, &waiting)
      (reopensAfterBatch, wantsReopen) = (wantsReopen, false)
      defer { unreportedDrops = 0 }
      return .write(droppedBefore: unreportedDrops)
    }
    if wantsReopen { return reopen() }
    return isFinishing ? .end(.finished) : sleep()
  }

  private mutating func sleep() -> Action {
    isAsleep = true
    return .sleep
  }

  private mutating func reopen() -> Action {
    (wantsReopen, reopensAfterBatch, retryTime) = (false, false, nil)
    return .reopen
  }

  /// Notes that the destination accepted an amount, which completed that many records.
  ///
  /// - Returns: Whether it had failed before.
  mutating func wrote(_ amount: Int, records: Int, at now: Double) -> Bool {
    lastWrite = now
    retryTime = nil
    statistics.amount += amount
    statistics.account.write(records)
    defer { statistics.isFailing = false }
    return statistics.isFailing
  }

  /// Notes a failure of the destination.
  ///
  /// - Parameter isTemporary: Whether a replay waits until it passes.
  mutating func failed(isTemporary: Bool, at now: Double) -> AfterFailure {
    let isFirst = !statistics.isFailing
    if isFirst { statistics.failures += 1 }
    statistics.isFailing = true
    if mode == .live ? isFinishing : !isTemporary || isClosing { return .ends }
    retryTime = now + 1
    return .triesAgain(isFirst: isFirst)
  }

  /// Notes that the destination is closed: the unwritten records are lost.
  ///
  /// - Parameter failure: Why it could not be closed, so that accepted records may be lost as well.
  /// - Returns: Why the outbox ends.
  mutating func close(
    _ end: OutboxEnd<Failure>, failure: Failure?, unwritten batch: Batch
  ) -> OutboxEnd<Failure> {
    var end = end
    if let failure, end == .finished { end = .failed(failure) }
    self.end = end
    if case .failed = end { statistics.account.hasFailed = true }
    if failure != nil { statistics.account.hasFailed = true }
    statistics.account.drop(batch.unwrittenRecords + waiting.unwrittenRecords, end.cause)
    waiting.removeAll()
    return end
  }
}
