import Dispatch
import Platform
import SystemPackage

/// A bounded queue of records for a destination that may be slow or fail, and a thread that writes them.
///
/// A thread that appends waits for the destination only in a replay, and only while the queue is full. Every record is
/// written, or counted as dropped.
package final class Outbox<Destination: OutboxDestination>: Sendable {
  package typealias Batch = Destination.Batch
  package typealias End = OutboxEnd<Destination.Failure>

  package let name: String
  private let worker: Worker<OutboxState<Batch, Destination.Failure>>
  private let host: Host
  private let room = DispatchSemaphore(value: 0)
  private let onNotice: OutputNotice.Handler
  private let onEnd: @Sendable (End) -> Void

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - limit: The amount that may wait, in addition to the same amount that is being written.
  ///   - interval: The seconds between writes when many records come; the records in between are written together.
  ///   - onNotice: Called on the outbox's thread.
  ///   - onEnd: Called once, on the outbox's thread, when nothing more will be written.
  /// - Throws: The system's error if it has no thread or descriptor.
  package init(
    to destination: sending Destination, mode: OutboxMode, limit: Int, interval: Double, host: Host = .system,
    onNotice: @escaping OutputNotice.Handler, onEnd: @escaping @Sendable (End) -> Void
  ) throws(Errno) {
    name = destination.name
    worker = try Worker(OutboxState(mode: mode, limit: limit, interval: interval))
    (self.host, self.onNotice, self.onEnd) = (host, onNotice, onEnd)
    try worker.start(OutboxBody(outbox: self, destination: destination), on: host)
  }

  /// Appends one record, or several complete ones that are dropped together. Any thread.
  ///
  /// - Parameters:
  ///   - isRecord: Whether it counts as a record, unlike the header and the footer of a document.
  ///   - directly: Writes the record without waiting, and returns whether the destination accepted it as a whole; `nil`
  ///     if that is not possible. It is called while the thread is idle, which gives a live reader the record sooner.
  package func append(
    size: Int, isRecord: Bool = true, directly: (() -> Bool)? = nil, store: (inout Batch) -> Void
  ) {
    while true {
      let outcome = worker.withState {
        $0.append(size: size, isRecord: isRecord, isDirect: directly != nil, at: host.seconds(), store: store)
      }
      switch outcome {
      case .appended(let wakes):
        if wakes { worker.bell.signal() }
        return
      case .full: room.wait()
      case .dropped: return
      case .mayWriteDirectly:
        let isWritten = directly?() ?? false
        let wakes = worker.withState {
          $0.wroteDirectly(isWritten ? size : nil, isRecord: isRecord, at: host.seconds(), store: store)
        }
        if wakes { worker.bell.signal() }
        return
      }
    }
  }

  package var statistics: OutboxStatistics { worker.withState { $0.statistics } }

  package func reopen() {
    request { $0.requestReopen() }
  }

  package var isIdle: Bool { worker.withState { $0.isIdle } }

  /// Writes the waiting records and accepts no more. It does not wait for that, and does not retry after a failure. Any
  /// thread.
  package func close() {
    request { $0.close() }
  }

  /// Writes the waiting records, however long that takes, and returns how the outbox ended. `cancel` ends the waiting;
  /// records that are appended later are dropped.
  @discardableResult
  package nonisolated(nonsending) func finish() async -> End {
    request { $0.finish() }
    await worker.wait()
    return worker.withState { $0.end } ?? .cancelled
  }

  /// Drops the waiting records, and releases a caller that waits for room. Any thread.
  package func cancel() {
    request { $0.cancel() }
    worker.stopping.signal()
  }

  private func request(_ change: (inout OutboxState<Batch, Destination.Failure>) -> Void) {
    update(change)
    // A superfluous signal costs the thread one check.
    worker.bell.signal()
  }

  /// Changes the state, and releases callers that need not wait for room any more.
  private func update<Result: Sendable>(_ change: (inout OutboxState<Batch, Destination.Failure>) -> Result) -> Result {
    let (result, blocked) = worker.withState { (change(&$0), $0.releaseBlocked()) }
    for _ in 0..<blocked { room.signal() }
    return result
  }

  // MARK: The thread

  fileprivate func step(_ batch: inout Batch, to destination: Destination) -> LoopState {
    switch update({ $0.next(&batch, at: host.seconds()) }) {
    case .write(let dropped):
      if dropped > 0 { destination.note(dropped: dropped, in: &batch) }
      guard let end = write(&batch, to: destination) else { return .ready }
      close(destination, end, unwritten: batch)
      return .ended
    case .wait(let seconds): return .waiting(until: host.seconds() + seconds)
    case .sleep: return .waiting(until: .infinity)
    case .reopen:
      reopen(destination)
      return .ready
    case .end(let end):
      close(destination, end, unwritten: batch)
      return .ended
    }
  }

  fileprivate func wait(until deadline: Double) -> Bool { worker.wait(until: deadline, on: host) }

  private func write(_ batch: inout Batch, to destination: Destination) -> End? {
    do throws(Destination.Failure) {
      let before = batch.unwrittenRecords
      let amount = try destination.write(&batch, until: worker.stopping)
      if amount > 0 || batch.isWritten { wrote(amount, records: before - batch.unwrittenRecords) }
      return nil
    } catch {
      if destination.isReaderGone(error) { return .readerGone }
      let isTemporary = destination.isTemporary(error)
      switch worker.withState({ $0.failed(isTemporary: isTemporary, at: host.seconds()) }) {
      case .end: return .failed(error)
      case .retry(let isFirst):
        if isFirst { onNotice(OutputNotice(.error, "\(destination.describe(error)); retrying every second")) }
        return nil
      }
    }
  }

  private func wrote(_ amount: Int, records: Int) {
    let (hasRecovered, account) = worker.withState {
      ($0.wrote(amount, records: records, at: host.seconds()), $0.statistics.account)
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
    onEnd(update { $0.closed(end, failure: failure, unwritten: batch) })
  }
}

private struct OutboxBody<Destination: OutboxDestination>: LoopBody {
  let outbox: Outbox<Destination>
  let destination: Destination
  var batch = Destination.Batch()
  var hasStarted = false

  mutating func step() -> LoopState {
    if !hasStarted { destination.start() }
    hasStarted = true
    return outbox.step(&batch, to: destination)
  }

  func wait(until deadline: Double) -> Bool { outbox.wait(until: deadline) }
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
  case finished
  /// The reader has left, which is not an error.
  case readerGone
  case failed(Failure)
  case cancelled

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
