import Dispatch
import NIOConcurrencyHelpers
import Platform
import SystemPackage

/// A bounded queue of records for a destination that may be slow or fail, and a thread that writes them.
///
/// A thread that appends waits for the destination only in a replay, and only while the queue is full. Every record is
/// written, or counted as dropped.
package final class Outbox<Destination: OutboxDestination>: Sendable {
  package typealias Batch = Destination.Batch
  package typealias End = OutboxEnd<Destination.Failure>

  fileprivate struct State: Sendable {
    var rules: OutboxState<Batch, Destination.Failure>
    var finishers: [CheckedContinuation<End, Never>] = []
  }

  package let name: String
  fileprivate let state: NIOLockedValueBox<State>
  fileprivate let host: Host
  fileprivate let wake = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)
  fileprivate let cancellation: Wakeup
  fileprivate let onNotice: OutputNotice.Handler
  fileprivate let onEnd: @Sendable (End) -> Void

  /// Starts the thread, on which `onNotice` and, once at the end, `onEnd` are called. The thread closes the destination.
  /// `limit` is the amount that may wait, in addition to the same amount that is being written; `interval` is the seconds
  /// between writes when many records come. Throws the system's error if it has no thread or descriptor.
  package init(
    to destination: sending Destination, mode: OutboxMode, limit: Int, interval: Double, host: Host = .system,
    onNotice: @escaping OutputNotice.Handler, onEnd: @escaping @Sendable (End) -> Void
  ) throws(Errno) {
    name = destination.name
    state = NIOLockedValueBox(State(rules: OutboxState(mode: mode, limit: limit, interval: interval)))
    (self.host, self.onNotice, self.onEnd) = (host, onNotice, onEnd)
    cancellation = try Wakeup()
    try host.run(Loop(OutboxBody(outbox: self, destination: destination)))
  }

  /// Appends one record, or several complete ones that are dropped together, by `store`. Any thread. `isRecord` is false for
  /// the header and the footer of a document. While the thread is idle, `directly` is called instead, which gives a live
  /// reader the record sooner: it writes the record without waiting, and returns whether the destination accepted it as a
  /// whole.
  package func append(size: Int, isRecord: Bool = true, directly: (() -> Bool)? = nil, store: (inout Batch) -> Void) {
    while true {
      let outcome = state.withLockedValue {
        $0.rules.append(size: size, isRecord: isRecord, isDirect: directly != nil, at: host.seconds(), store: store)
      }
      switch outcome {
      case .appended(let wakes):
        if wakes { wake.signal() }
        return
      case .full: room.wait()
      case .dropped: return
      case .mayWriteDirectly:
        let isWritten = directly?() ?? false
        let wakes = state.withLockedValue {
          $0.rules.wroteDirectly(isWritten ? size : nil, isRecord: isRecord, at: host.seconds(), store: store)
        }
        if wakes { wake.signal() }
        return
      }
    }
  }

  package var statistics: OutboxStatistics { state.withLockedValue { $0.rules.statistics } }

  /// Reopens the destination by its name, after the records so far.
  package func reopen() { request { $0.requestReopen() } }

  package var isIdle: Bool { state.withLockedValue { $0.rules.isIdle } }

  /// Writes the waiting records and accepts no more. It does not wait for that, and does not retry after a failure. Any
  /// thread.
  package func close() { request { $0.close() } }

  /// Writes the waiting records, however long that takes, and returns how the outbox ended. `cancel` ends the waiting;
  /// records that are appended later are dropped.
  @discardableResult
  package nonisolated(nonsending) func finish() async -> End {
    request { $0.finish() }
    return await withCheckedContinuation { continuation in
      let end = state.withLockedValue { state in
        if state.rules.end == nil { state.finishers.append(continuation) }
        return state.rules.end
      }
      if let end { continuation.resume(returning: end) }
    }
  }

  /// Drops the waiting records, and releases a caller that waits for room. Any thread.
  package func cancel() {
    request { $0.cancel() }
    cancellation.signal()
  }

  private func request(_ change: (inout OutboxState<Batch, Destination.Failure>) -> Void) {
    update { change(&$0.rules) }
    // A superfluous signal costs the thread one check.
    wake.signal()
  }

  /// Changes the state, and releases callers that need not wait for room any more.
  fileprivate func update<Result>(_ change: (inout State) -> Result) -> Result {
    let (result, blocked) = state.withLockedValue { (change(&$0), $0.rules.releaseBlocked()) }
    for _ in 0..<blocked { room.signal() }
    return result
  }
}

private struct OutboxBody<Destination: OutboxDestination>: LoopBody {
  typealias End = OutboxEnd<Destination.Failure>

  let outbox: Outbox<Destination>
  let destination: Destination
  var batch = Destination.Batch()
  var hasStarted = false

  mutating func step() -> LoopState {
    if !hasStarted { destination.start() }
    hasStarted = true
    switch outbox.update({ $0.rules.next(&batch, at: outbox.host.seconds()) }) {
    case .write(let dropped):
      if dropped > 0 { destination.note(dropped: dropped, in: &batch) }
      return write().map { close($0) } ?? .ready
    case .wait(let seconds): return .waiting(until: outbox.host.seconds() + seconds)
    case .sleep: return .waiting(until: .infinity)
    case .reopen:
      do throws(OutputError) {
        try destination.reopen()
      } catch {
        outbox.onNotice(OutputNotice(.error, "\(error.message); the old file stays in use"))
      }
      return .ready
    case .end(let end): return close(end)
    }
  }

  func wait(until deadline: Double) -> Bool {
    let seconds = deadline - outbox.host.seconds()
    // 0 nanoseconds are dispatch's constant for a test without waiting.
    let test = DispatchTime(uptimeNanoseconds: 0)
    let timeout = seconds <= 0 ? test : seconds < .infinity ? .now() + seconds : .distantFuture
    return outbox.wake.wait(timeout: timeout) == .success
  }

  /// Writes a part of the batch; returns why the outbox ends, if it does.
  private mutating func write() -> End? {
    do throws(Destination.Failure) {
      let before = batch.unwrittenRecords
      let amount = try destination.write(&batch, until: outbox.cancellation)
      if amount > 0 || batch.isWritten { noteWritten(amount, records: before - batch.unwrittenRecords) }
      return nil
    } catch {
      if destination.isReaderGone(error) { return .readerGone }
      switch outbox.state.withLockedValue({
        $0.rules.failed(isTemporary: destination.isTemporary(error), at: outbox.host.seconds())
      }) {
      case .end: return .failed(error)
      case .retry(let isFirst):
        if isFirst { outbox.onNotice(OutputNotice(.error, "\(destination.describe(error)); retrying every second")) }
        return nil
      }
    }
  }

  private func noteWritten(_ amount: Int, records: Int) {
    let (hasRecovered, account) = outbox.state.withLockedValue {
      ($0.rules.wrote(amount, records: records, at: outbox.host.seconds()), $0.rules.statistics.account)
    }
    if hasRecovered {
      outbox.onNotice(OutputNotice(.notice, "\(outbox.name) can be written again; \(account.lossSoFar)"))
    }
  }

  private func close(_ end: End) -> LoopState {
    var failure: Destination.Failure?
    do throws(Destination.Failure) { try destination.close() } catch { failure = error }
    let (end, finishers) = outbox.update { [failure] state in
      defer { state.finishers = [] }
      return (state.rules.closed(end, failure: failure, unwritten: batch), state.finishers)
    }
    outbox.onEnd(end)
    for finisher in finishers { finisher.resume(returning: end) }
    return .ended
  }
}

/// The behaviour when a destination is slower than the source, or fails.
package enum OutboxMode: Sendable, Hashable {
  /// A replay can be delayed: the thread that appends waits for room. A failure ends the outbox, unless it is
  /// temporary.
  case replay
  /// A live source cannot be delayed: the oldest records are dropped when there is no more room. A failure is reported
  /// once, writing is retried every second, and the recovery is reported.
  case live
}

package enum OutboxEnd<Failure: Error & Hashable>: Sendable, Hashable {
  /// Every record that had not been dropped is written.
  case finished
  /// The reader has left, which is not an error.
  case readerGone
  case failed(Failure)
  /// It was cancelled before everything was written.
  case cancelled

  /// Why records are dropped that come after this end, or were not written before it.
  var cause: Account.Cause {
    switch self {
    case .finished, .cancelled: .end
    case .readerGone: .unwanted
    case .failed: .failure
    }
  }
}

package struct OutboxStatistics: Sendable, Hashable {
  package var account = Account()
  package var amount = 0
  /// The number of failures of the destination, counted once each time it begins to fail.
  package var failures = 0
  package var isFailing = false

  package var records: Int { account.accepted }
  package var dropped: Int { account.dropped }
}

/// The destination of an outbox's records: a descriptor, a file, a database. The outbox calls it only on its own
/// thread.
package protocol OutboxDestination: AnyObject, SendableMetatype {
  associatedtype Batch: OutboxBatch
  associatedtype Failure: Error & Hashable

  /// The name for a person: "standard output", "region log /var/log/…".
  var name: String { get }

  func start()

  /// Writes a part of a batch and marks it as written. It may wait until `cancellation` is signalled. Returns the amount in
  /// the unit of the outbox's statistics; 0 to be called again. A call that throws has marked nothing as written.
  func write(_ batch: inout Batch, until cancellation: Wakeup) throws(Failure) -> Int

  /// Whether a failure means that the reader has left, which is not an error.
  func isReaderGone(_ failure: Failure) -> Bool

  /// Whether a failure will pass by itself, so that a replay waits for that.
  func isTemporary(_ failure: Failure) -> Bool

  /// One sentence about a failure, without its consequences.
  func describe(_ failure: Failure) -> String

  /// Adds a note that `count` records were dropped before the first record of a batch, if the format has one.
  func note(dropped count: Int, in batch: inout Batch)

  /// Closes the file and opens it again by its name. If that fails, the old file stays in use.
  func reopen() throws(OutputError)

  /// Closes the file; nothing is written afterwards.
  func close() throws(Failure)
}

extension OutboxDestination {
  package func start() {}
  package func isTemporary(_ failure: Failure) -> Bool { false }
  package func isReaderGone(_ failure: Failure) -> Bool { false }
  package func note(dropped count: Int, in batch: inout Batch) {}
  package func reopen() throws(OutputError) {}
}

/// The records that wait in an outbox, oldest first, or are being written: bytes or rows.
package protocol OutboxBatch: Sendable {
  init()
  /// Its size in the unit of the outbox's limit: bytes, rows.
  var size: Int { get }
  var unwrittenRecords: Int { get }
  var isWritten: Bool { get }
  var isAtBoundary: Bool { get }
  /// Removes the oldest records until at most `size` is left, and returns their number. It is called only while there
  /// are records and nothing has been written.
  mutating func removeOldest(downTo size: Int) -> Int

  /// Removes everything; it may keep the capacity.
  mutating func removeAll()
}
