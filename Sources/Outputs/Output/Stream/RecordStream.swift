import Dispatch
import Glibc
import Synchronization

/// Records on their way to a file descriptor: a bounded buffer and a thread that writes it.
///
/// The caller, the main actor as a rule, never waits for the destination, unless it chose `.wait`. When there is
/// little to do each record is written at once, to a pipe that has room by the caller itself; when there is much, in
/// pieces of 64 KiB and more. The process ignores SIGPIPE.
public final class RecordStream: Sendable {
  let state: Mutex<State>
  let limit: Int
  let whenFull: FullPolicy
  let onFailure: FailurePolicy
  /// Wakes the writing thread.
  let wake = DispatchSemaphore(value: 0)
  /// Wakes a caller that waits for room.
  private let room = DispatchSemaphore(value: 0)
  /// Signalled once when the thread has ended.
  private let done = DispatchSemaphore(value: 0)
  let describeDropped: DroppedDescription
  let onNotice: OutputNotice.Handler
  let onEnd: @Sendable (End) -> Void

  /// Creates a stream to an open descriptor, which is not closed.
  /// - Parameters:
  ///   - descriptor: Blocking or not; its flags are left alone.
  ///   - name: What notices call it.
  ///   - whenFull: What happens when `limit` bytes wait.
  ///   - onFailure: What happens when writing fails.
  ///   - limit: The most bytes that wait, besides as many that are being written.
  ///   - describeDropped: Appends a record that says how many were lost, for the place where they were.
  ///   - onNotice: Called on the stream's thread.
  ///   - onEnd: Called once, on the stream's thread, when nothing will be written any more.
  public convenience init(
    descriptor: Int32,
    name: String = "standard output",
    whenFull: FullPolicy,
    onFailure: FailurePolicy = .end,
    limit: Int = 4 << 20,
    describeDropped: @escaping DroppedDescription = { _, _ in },
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) {
    self.init(
      to: DescriptorDestination(descriptor: descriptor, name: name), pipe: NonblockingPipe(behind: descriptor),
      whenFull: whenFull,
      onFailure: onFailure,
      limit: limit, describeDropped: describeDropped, onNotice: onNotice, onEnd: onEnd)
  }

  init(
    to destination: sending any RecordDestination,
    pipe: NonblockingPipe? = nil,
    whenFull: FullPolicy,
    onFailure: FailurePolicy,
    limit: Int,
    describeDropped: @escaping DroppedDescription,
    onNotice: @escaping OutputNotice.Handler,
    onEnd: @escaping @Sendable (End) -> Void
  ) {
    self.limit = max(limit, 1)
    self.whenFull = whenFull
    self.onFailure = onFailure
    self.describeDropped = describeDropped
    self.onNotice = onNotice
    self.onEnd = onEnd
    state = Mutex(State(pipe: pipe))
    // The thread keeps the stream alive until it has ended; `deinit` is therefore no way to end it.
    let writer = RecordStreamWriter(destination: destination)
    let started = BackgroundThread.start { [self] in
      writer.run(self)
    }
    if !started { end(.failed(EAGAIN)) }
  }

  /// Appends one record, or several whole ones that may only be lost together. From any thread, cheaply.
  public func append(_ record: borrowing RecordBuffer) {
    record.withUnsafeBytes { append($0) }
  }

  /// Appends the bytes of one record.
  public func append(_ record: UnsafeRawBufferPointer) {
    guard !record.isEmpty else { return }
    while true {
      let outcome = state.withLock { state -> Outcome in
        if state.isClosed { return .closed }
        if state.writeAtOnce(record) { return .written }
        if state.waiting.count - state.head + record.count > limit && !state.lengths.isEmpty {
          if whenFull == .wait && !state.statistics.isFailing {
            state.blocked += 1
            return .full
          }
          state.dropOldest(toFit: record.count, in: limit)
        }
        state.add(record)
        return state.takeWake() ? .wake : .queued
      }
      switch outcome {
      case .closed, .queued, .written: return
      case .wake:
        wake.signal()
        return
      case .full: room.wait()
      }
    }
  }

  /// What the stream has done so far.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Whether the stream has ended: what is appended goes nowhere.
  public var hasEnded: Bool { state.withLock { $0.isClosed } }

  /// Closes the destination and opens it again by its name, after what was appended so far.
  func reopen() {
    request { $0.wantsReopen = true }
  }

  /// Writes what waits, ends the destination and returns true; returns false when that was not done `within`
  /// that time. Blocks the calling thread; later calls and appends do nothing.
  @discardableResult
  public func finish(within time: Duration) -> Bool {
    request { $0.isFinishing = true }
    let (seconds, attoseconds) = time.components
    let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let total =
      nanoseconds.overflow ? Int64.max / 4 : nanoseconds.partialValue + attoseconds / 1_000_000_000
    let outcome = done.wait(timeout: .now() + .nanoseconds(Int(clamping: total)))
    if outcome == .timedOut {
      cancel()
      return false
    }
    done.signal()
    return state.withLock { $0.end == .finished }
  }

  /// Gives up what waits and releases a caller that waits for room. From any thread.
  public func cancel() {
    request { $0.isCancelled = true }
  }

  private func request(_ change: (inout State) -> Void) {
    let (signal, blocked) = state.withLock { state -> (Bool, Int) in
      change(&state)
      return (state.takeWake(urgent: true), state.isClosed ? state.takeBlocked() : 0)
    }
    if signal { wake.signal() }
    release(blocked)
  }

  func release(_ blocked: Int) {
    for _ in 0..<blocked { room.signal() }
  }

  /// The thread's last word.
  func end(_ end: End) {
    let blocked: Int? = state.withLock { state in
      guard state.end == nil else { return nil }
      state.end = end
      state.pipe = nil
      state.statistics.dropped += state.lengths.count - state.firstLength
      state.removeAll()
      return state.takeBlocked()
    }
    guard let blocked else { return }
    release(blocked)
    onEnd(end)
    done.signal()
  }

  private enum Outcome { case queued, wake, full, closed, written }
}
