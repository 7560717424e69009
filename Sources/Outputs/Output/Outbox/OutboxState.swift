import Platform

/// The rules of an outbox without its thread, lock and clock: events go in, and what is to be done comes out.
///
/// Times are seconds of a clock that only goes forward.
struct OutboxState<Batch: OutboxBatch, Failure: Error & Hashable>: Sendable {
  /// What becomes of a record that is appended.
  enum Appending: Equatable {
    /// It waits to be written. The thread has to be woken if `wakes`.
    case appended(wakes: Bool)
    /// There is no room: wait for it, and append again.
    case full
    /// Nothing is written any more.
    case dropped
    /// The thread that appends may write it, and then says how that went with ``wroteDirectly(_:isRecord:at:store:)``.
    case mayWriteDirectly
  }

  /// What the thread does next.
  enum Action: Equatable {
    /// Writes the batch, after a note that so many records were dropped before it.
    case write(droppedBefore: Int)
    /// Waits so many seconds, or until it is woken.
    case wait(seconds: Double)
    /// Waits until it is woken.
    case sleep
    /// Opens the destination again.
    case reopen
    /// Closes the destination.
    case end(OutboxEnd<Failure>)
  }

  /// What the thread does after a failure.
  enum AfterFailure: Equatable {
    /// Tries again when its next action says so. The first failure of a series is reported.
    case triesAgain(isFirst: Bool)
    /// Ends.
    case ends
  }

  let mode: OutboxMode
  /// How much may wait, besides as much that is being written.
  let limit: Int
  /// Seconds from one write to the next when many records come: those in between are written together.
  let interval: Double

  private(set) var statistics = OutboxStatistics()
  private(set) var end: OutboxEnd<Failure>?
  private(set) var waiting = Batch()
  /// Records dropped before those that wait, of which no note tells yet.
  private var untoldDrops = 0
  private var lastWrite = -Double.infinity
  /// When to try again after a failure.
  private var retryTime: Double?
  /// The thread sleeps, and nothing waits, until it is woken.
  private var isAsleep = false
  /// The thread waits for more records.
  private var isGathering = false
  /// Somebody writes a record past the thread, which sleeps.
  private var isWritingDirectly = false
  /// How many callers wait for room.
  private var blocked = 0
  private var wantsReopen = false
  /// The destination is opened again when the batch is written.
  private var reopensAfterBatch = false
  private var isFinishing = false
  /// Nothing is waited for but the destination itself.
  private var isClosing = false
  private var isCancelled = false

  init(mode: OutboxMode, limit: Int, interval: Double) {
    self.mode = mode
    self.limit = max(limit, 1)
    self.interval = interval
  }

  private var isClosed: Bool { isFinishing || isCancelled || end != nil }

  /// Whether the next try is to follow at once: live, the end waits for no failure to pass.
  private var isHurried: Bool { mode == .live ? isFinishing : isClosing }

  /// Whether what waits is not to wait any longer.
  private var isUrgent: Bool { isFinishing || wantsReopen || blocked > 0 || waiting.size >= limit / 2 }

  /// Whether everything that was appended is written.
  var isIdle: Bool { (isAsleep && !isWritingDirectly && waiting.size == 0) || end != nil }

  // MARK: Appending

  /// Takes a record, or several whole ones that are dropped together.
  ///
  /// - Parameters:
  ///   - isRecord: Whether it counts as one.
  ///   - isDirect: Whether the thread that appends can write it without waiting.
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
    // One that sleeps has nothing that waits, so no record is overtaken.
    if isDirect, isAsleep, !isWritingDirectly, now() >= lastWrite + interval {
      isWritingDirectly = true
      return .mayWriteDirectly
    }
    // A quarter at once, so that what stays moves once for many.
    if isFull { dropOldest(downTo: max(0, limit - limit / 4 - size)) }
    store(&waiting)
    return .appended(wakes: wakes())
  }

  /// Ends what ``Appending/mayWriteDirectly`` began.
  ///
  /// - Parameters:
  ///   - written: How much the destination took; `nil` when it had no room, and the record has to wait.
  ///   - isRecord: Whether it counts as one.
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
    untoldDrops += count
    statistics.account.drop(count, .overflow)
  }

  // MARK: Requests

  /// Opens the destination again, after what was appended so far.
  mutating func requestReopen() { wantsReopen = true }

  /// Writes what waits, and takes nothing more.
  mutating func finish() { isFinishing = true }

  /// Writes what waits if that can be done, and takes nothing more. No failure is waited for.
  mutating func close() { (isFinishing, isClosing) = (true, true) }

  /// Drops what waits, and takes nothing more.
  mutating func cancel() { isCancelled = true }

  /// Whom to let go on: callers that wait for room, when there is some or nothing is taken any more.
  mutating func takeBlocked() -> Int {
    guard isClosed || waiting.size == 0 else { return 0 }
    defer { blocked = 0 }
    return blocked
  }

  // MARK: The thread

  /// What to do now. It moves what waits to `batch`, once that is written, and leaves its empty arrays in return.
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
      defer { untoldDrops = 0 }
      return .write(droppedBefore: untoldDrops)
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

  /// Notes that the destination took something, and so many records to their ends.
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

  /// Notes that the destination failed.
  ///
  /// - Parameter isTemporary: Whether a replay waits for it to pass.
  mutating func failed(isTemporary: Bool, at now: Double) -> AfterFailure {
    let isFirst = !statistics.isFailing
    if isFirst { statistics.failures += 1 }
    statistics.isFailing = true
    if mode == .live ? isFinishing : !isTemporary || isClosing { return .ends }
    retryTime = now + 1
    return .triesAgain(isFirst: isFirst)
  }

  /// Notes that the destination is closed: what is not written is lost.
  ///
  /// - Parameter failure: Why it could not be closed, so that what it has taken may be lost, too.
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
