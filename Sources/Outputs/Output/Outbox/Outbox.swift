import Dispatch
public import Platform
import Rx
public import SystemPackage
import Synchronization

/// Records on their way to where writing may be slow or fail: a bounded queue, and a thread that writes what is in it.
///
/// A thread that appends waits for the destination in a replay only, and there only while the queue is full. Every record is
/// written, or counted as dropped.
public final class Outbox<Destination: OutboxDestination>: Sendable {
  /// What is written at a time.
  public typealias Batch = Destination.Batch
  /// Why it ended.
  public typealias End = OutboxEnd<Destination.Failure>

  private struct State: Sendable {
    var rules: OutboxState<Batch, Destination.Failure>
    var finishers: [CheckedContinuation<End, Never>] = []
  }

  /// What notices and messages call the destination.
  public let name: String
  private let state: Locked<State>
  /// The thread holds this lock for as long as it runs.
  private let destination: Mutex<Destination>
  private let wake = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)
  private let cancellation: Wakeup
  private let onNotice: OutputNotice.Handler
  private let onEnd: @Sendable (End) -> Void

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - destination: Where records go; it is closed at the end.
  ///   - mode: What happens when it is slow or fails.
  ///   - limit: How much may wait, besides as much that is being written.
  ///   - interval: Seconds from one write to the next when many records come; those in between are written together.
  ///   - onNotice: Called on the outbox's thread.
  ///   - onEnd: Called once, on the outbox's thread, when nothing will be written any more.
  /// - Throws: The system's error when it has no thread or descriptor to give.
  public init(
    to destination: sending Destination, mode: OutboxMode, limit: Int, interval: Double,
    onNotice: @escaping OutputNotice.Handler, onEnd: @escaping @Sendable (End) -> Void
  ) throws(Errno) {
    name = destination.name
    state = Locked(State(rules: OutboxState(mode: mode, limit: limit, interval: interval)))
    self.onNotice = onNotice
    self.onEnd = onEnd
    cancellation = try Wakeup()
    self.destination = Mutex(destination)
    try Thread.start { [self] in run() }
  }

  /// Appends one record, or several whole ones that are dropped together. From any thread.
  ///
  /// - Parameters:
  ///   - size: How much room it takes.
  ///   - isRecord: Whether it counts as one, which the header and the footer of a document do not.
  ///   - directly: Writes it without waiting, and returns whether the destination took it, whole; `nil` when that cannot be
  ///     done. It is called when the thread has nothing to do, which spares a live reader the thread's turn.
  ///   - store: Adds it to a batch.
  public func append(
    size: Int, isRecord: Bool = true, directly: (() -> Bool)? = nil, store: (inout Batch) -> Void
  ) {
    while true {
      let outcome = state.withLock {
        $0.rules.append(
          size: size, isRecord: isRecord, isDirect: directly != nil, at: monotonicSeconds(), store: store)
      }
      switch outcome {
      case .appended(let wakes):
        if wakes { wake.signal() }
        return
      case .full: room.wait()
      case .dropped: return
      case .mayWriteDirectly:
        let isWritten = directly?() ?? false
        let wakes = state.withLock {
          $0.rules.wroteDirectly(
            isWritten ? size : nil, isRecord: isRecord, at: monotonicSeconds(), store: store)
        }
        if wakes { wake.signal() }
        return
      }
    }
  }

  /// What it has done so far.
  public var statistics: OutboxStatistics { state.withLock { $0.rules.statistics } }

  /// Opens the destination again by its name, after what was appended so far.
  public func reopen() {
    request { $0.requestReopen() }
  }

  /// Whether everything that was appended is written.
  public var isIdle: Bool { state.withLock { $0.rules.isIdle } }

  /// Writes what waits and takes nothing more; does not wait for that, and no failure is waited for. From any thread.
  public func close() {
    request { $0.close() }
  }

  /// Writes what waits, however long that takes, and says how the outbox ended. `cancel` ends the waiting; what is
  /// appended later is dropped.
  @discardableResult
  public func finish() async -> End {
    request { $0.finish() }
    return await withCheckedContinuation { continuation in
      let end = state.withLock { state in
        if state.rules.end == nil { state.finishers.append(continuation) }
        return state.rules.end
      }
      if let end { continuation.resume(returning: end) }
    }
  }

  /// Drops what waits, and releases a caller that waits for room. From any thread.
  public func cancel() {
    request { $0.cancel() }
    cancellation.signal()
  }

  private func request(_ change: (inout OutboxState<Batch, Destination.Failure>) -> Void) {
    let blocked = state.withLock { state in
      change(&state.rules)
      return state.rules.takeBlocked()
    }
    // A signal too many costs the thread one look.
    wake.signal()
    release(blocked)
  }

  private func release(_ blocked: Int) {
    for _ in 0..<blocked { room.signal() }
  }

  // MARK: The thread

  private func run() {
    destination.withLock { destination in
      destination.start()
      var batch = Batch()
      while true {
        let (action, blocked) = state.withLock {
          ($0.rules.next(&batch, at: monotonicSeconds()), $0.rules.takeBlocked())
        }
        release(blocked)
        switch action {
        case .write(let dropped):
          if dropped > 0 { destination.note(dropped: dropped, in: &batch) }
          if let end = write(&batch, to: destination) { return close(destination, end, unwritten: batch) }
        case .wait(let seconds): _ = wake.wait(timeout: .now() + seconds)
        case .sleep: wake.wait()
        case .reopen: reopen(destination)
        case .end(let end): return close(destination, end, unwritten: batch)
        }
      }
    }
  }

  /// Writes something of the batch; returns why the outbox ends, if it does.
  private func write(_ batch: inout Batch, to destination: Destination) -> End? {
    do throws(Destination.Failure) {
      let before = batch.unwrittenRecords
      let amount = try destination.write(&batch, until: cancellation)
      if amount > 0 || batch.isWritten { wrote(amount, records: before - batch.unwrittenRecords) }
      return nil
    } catch {
      if destination.isReaderGone(error) { return .readerGone }
      switch state.withLock({ $0.rules.failed(isTemporary: destination.isTemporary(error), at: monotonicSeconds()) }) {
      case .ends: return .failed(error)
      case .triesAgain(let isFirst):
        if isFirst { onNotice(OutputNotice(.error, "\(destination.describe(error)); trying again every second")) }
        return nil
      }
    }
  }

  private func wrote(_ amount: Int, records: Int) {
    let (hasRecovered, account) = state.withLock {
      ($0.rules.wrote(amount, records: records, at: monotonicSeconds()), $0.rules.statistics.account)
    }
    if hasRecovered { onNotice(OutputNotice(.notice, "\(name) can be written again; \(account.lossSoFar)")) }
  }

  private func reopen(_ destination: Destination) {
    do throws(OutputError) {
      try destination.reopen()
    } catch {
      onNotice(OutputNotice(.error, "\(error.message); the old file stays in use"))
    }
  }

  private func close(_ destination: Destination, _ end: End, unwritten batch: Batch) {
    var failure: Destination.Failure?
    do throws(Destination.Failure) {
      try destination.close()
    } catch {
      failure = error
    }
    let (end, blocked, finishers) = state.withLock { [failure] state in
      defer { state.finishers = [] }
      return (
        state.rules.close(end, failure: failure, unwritten: batch), state.rules.takeBlocked(), state.finishers
      )
    }
    release(blocked)
    onEnd(end)
    for finisher in finishers { finisher.resume(returning: end) }
  }
}

/// What happens when a destination is slower than the source, or fails.
public enum OutboxMode: Sendable, Hashable {
  /// A replay can be held up: the thread that appends waits for room. A failure ends the outbox, unless it is temporary.
  case replay
  /// A live source cannot be held up: the oldest records are dropped when there is no more room. A failure is reported
  /// once, writing is tried again every second, and it is reported when it works again.
  case live
}

/// Why an outbox ended.
public enum OutboxEnd<Failure: Error & Hashable>: Sendable, Hashable {
  /// Everything that had not been dropped is written.
  case finished
  /// The reader has gone, which is no fault.
  case readerGone
  /// The destination failed.
  case failed(Failure)
  /// It was cancelled before everything was written.
  case cancelled

  /// Why records are dropped that come after this end, or had not been written before it.
  var cause: Account.Cause {
    switch self {
    case .finished, .cancelled: .end
    case .readerGone: .unwanted
    case .failed: .failure
    }
  }
}

/// What an outbox has done so far.
public struct OutboxStatistics: Sendable, Hashable {
  /// What became of the records that were appended.
  public var account = Account()
  /// How much the destination took: bytes, rows.
  public var amount = 0
  /// Failures of the destination, counted once each time it begins to fail.
  public var failures = 0
  /// Whether the destination fails just now.
  public var isFailing = false

  /// Nothing yet.
  public init() {}

  /// Records that were appended.
  public var records: Int { account.accepted }
  /// Records that were not written and never will be.
  public var dropped: Int { account.dropped }
}
