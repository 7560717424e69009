public import Formats
import Dispatch
import Glibc
import Platform
public import SystemPackage
import Synchronization

/// Records on their way to a file descriptor: a bounded buffer, and a thread that writes what is in it.
///
/// Whoever appends, the main actor as a rule, waits for the destination in a replay only, and there only while the buffer
/// is full. Every record is written, or counted as dropped. A record on its own goes into a pipe that has room without
/// the thread, which spares a live reader its turn.
public final class RecordStream: Sendable {
  /// What happens when the destination is slower than the source, or fails.
  public enum Mode: Sendable, Hashable {
    /// A replay can be held up: `append` waits for room. A failure ends the stream.
    case replay
    /// A live source cannot be held up: the oldest records are dropped when there is no more room. A failure is reported
    /// once, writing is tried again every second, and it is reported when it works again.
    case live
  }

  /// Why a stream ended.
  public enum End: Sendable, Hashable {
    /// `finish` was called, and everything that had not been dropped is written.
    case finished
    /// The reader has gone, which is its right.
    case readerGone
    /// The destination failed.
    case failed(Errno)
    /// `cancel` was called before everything was written.
    case cancelled
  }

  /// What a stream has done so far.
  public struct Statistics: Sendable, Hashable {
    /// Records that were appended.
    public var records = 0
    /// Records that were not written and never will be.
    public var dropped = 0
    /// Bytes that the destination took.
    public var bytes = 0
    /// Failures of the destination, counted once each time it begins to fail.
    public var failures = 0
    /// Whether the destination fails just now.
    public var isFailing = false
  }

  /// Appends a record that says that `count` records were dropped.
  public typealias DroppedDescription = @Sendable (_ count: Int, _ buffer: inout RecordBuffer) -> Void

  private struct State {
    var waiting = RecordBatch()
    /// Records dropped before those that wait, which no `dropped` record reports yet.
    var unreportedDrops = 0
    /// The thread sleeps until somebody signals `wake`. Nothing waits then.
    var isAsleep = false
    /// When something was last written, in seconds of the monotonic clock.
    var lastWrite = 0.0
    /// How many callers wait for room.
    var blocked = 0
    var wantsReopen = false
    var isFinishing = false
    var isCancelled = false
    var end: End?
    var finishers: [CheckedContinuation<End, Never>] = []
    var statistics = Statistics()

    var isClosed: Bool { isFinishing || isCancelled || end != nil }

    /// How long a record has to wait, in seconds: one on its own is written at once; when many come, those of a
    /// millisecond are written together.
    var pause: Double { 0.001 - (monotonicSeconds() - lastWrite) }

    mutating func wrote(_ count: Int) {
      lastWrite = monotonicSeconds()
      statistics.bytes += count
    }

    mutating func dropOldest(downTo size: Int) {
      let count = waiting.removeOldest(downTo: size)
      unreportedDrops += count
      statistics.dropped += count
    }

    mutating func takeBlocked() -> Int {
      defer { blocked = 0 }
      return blocked
    }
  }

  /// What notices and messages call the destination.
  public let name: String
  private let state = Mutex(State())
  /// The thread holds this lock for as long as it runs.
  private let destination: Mutex<any RecordDestination>
  /// The descriptor of a pipe, which stays open and the same.
  private let pipe: Int32?
  private let mode: Mode
  private let limit: Int
  private let wake = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)
  private let cancellation: Wakeup
  private let describeDropped: DroppedDescription
  private let onNotice: OutputNotice.Handler
  private let onEnd: @Sendable (End) -> Void

  /// Creates a stream to an open descriptor, which is not closed.
  /// - Parameters:
  ///   - descriptor: Blocking or not; its flags stay as they are.
  ///   - name: What a person calls it.
  ///   - mode: What happens when it is slow or fails.
  ///   - limit: How many bytes may wait, besides as many that are being written.
  ///   - describeDropped: Appends a record for the place where records were dropped.
  ///   - onNotice: Called on the stream's thread.
  ///   - onEnd: Called once, on the stream's thread, when nothing will be written any more.
  /// - Throws: `OutputError` when the system has no thread or descriptor to give.
  public convenience init(
    descriptor: Int32,
    name: String = "standard output",
    mode: Mode,
    limit: Int = 4 << 20,
    describeDropped: @escaping DroppedDescription = { _, _ in },
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(OutputError) {
    try self.init(
      to: DescriptorDestination(descriptor: descriptor, name: name), mode: mode, limit: limit,
      describeDropped: describeDropped, onNotice: onNotice, onEnd: onEnd)
  }

  init(
    to destination: sending any RecordDestination,
    mode: Mode,
    limit: Int,
    describeDropped: @escaping DroppedDescription,
    onNotice: @escaping OutputNotice.Handler,
    onEnd: @escaping @Sendable (End) -> Void
  ) throws(OutputError) {
    name = destination.name
    pipe = (destination as? DescriptorDestination).flatMap { $0.isPipe ? $0.descriptor : nil }
    self.mode = mode
    self.limit = max(limit, 1)
    self.describeDropped = describeDropped
    self.onNotice = onNotice
    self.onEnd = onEnd
    do throws(Errno) {
      cancellation = try Wakeup()
      self.destination = Mutex(destination)
      try Thread.start { [self] in run() }
    } catch {
      throw OutputError(.cannotCreate, "\(name) cannot be opened: \(error.description)")
    }
  }

  /// Appends one record, or several whole ones that are dropped together. From any thread.
  ///
  /// - Parameters:
  ///   - record: Its bytes.
  ///   - isRecord: Whether it counts as one, which the header and the footer of a document do not.
  public func append(_ record: borrowing RecordBuffer, isRecord: Bool = true) {
    record.withUnsafeBytes { bytes in
      guard !bytes.isEmpty else { return }
      var mustWait = true
      while mustWait {
        let mustWake: Bool
        (mustWait, mustWake) = state.withLock { state in
          let isFull = state.waiting.unwrittenRecords > 0 && state.waiting.count + bytes.count > limit
          if mode == .replay && isFull && !state.isClosed {
            state.blocked += 1
            return (true, false)
          }
          if isRecord { state.statistics.records += 1 }
          guard !state.isClosed else {
            if isRecord { state.statistics.dropped += 1 }
            return (false, false)
          }
          if state.isAsleep, state.pause <= 0, let pipe, writeWhole(bytes, toPipe: pipe) {
            state.wrote(bytes.count)
            return (false, false)
          }
          // A quarter at once, so that what stays moves once for many records.
          if isFull { state.dropOldest(downTo: max(0, limit - limit / 4 - bytes.count)) }
          state.waiting.append(bytes, isRecord: isRecord)
          defer { state.isAsleep = false }
          return (false, state.isAsleep)
        }
        if mustWake { wake.signal() }
        if mustWait { room.wait() }
      }
    }
  }

  /// What the stream has done so far.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Closes the destination and opens it again by its name, after what was appended so far.
  func reopen() {
    request { $0.wantsReopen = true }
  }

  /// Writes what waits, however long that takes, and says how the stream ended. `cancel` ends the waiting; what is
  /// appended later is dropped.
  @discardableResult
  public func finish() async -> End {
    request { $0.isFinishing = true }
    return await withCheckedContinuation { continuation in
      let end = state.withLock { state in
        if state.end == nil { state.finishers.append(continuation) }
        return state.end
      }
      if let end { continuation.resume(returning: end) }
    }
  }

  /// Drops what waits, and releases a caller that waits for room. From any thread.
  public func cancel() {
    request { $0.isCancelled = true }
    cancellation.signal()
  }

  private func request(_ change: (inout State) -> Void) {
    let blocked = state.withLock { state in
      change(&state)
      state.isAsleep = false
      return state.isClosed ? state.takeBlocked() : 0
    }
    // A signal too many costs the thread one look.
    wake.signal()
    release(blocked)
  }

  private func release(_ blocked: Int) {
    for _ in 0..<blocked { room.signal() }
  }
}

// MARK: - The thread

extension RecordStream {
  private enum Task {
    case write(thenReopen: Bool)
    case gather(seconds: Double)
    case reopen
    case sleep
    case end(End)
  }

  private func run() {
    destination.withLock { destination in
      var batch = RecordBatch()
      while true {
        switch next(&batch) {
        case .write(let thenReopen):
          if let end = write(&batch, to: destination) { return close(destination, end, unwritten: batch) }
          if thenReopen { reopen(destination) }
        case .gather(let seconds): usleep(UInt32(seconds * 1e6))
        case .reopen: reopen(destination)
        case .sleep: wake.wait()
        case .end(let end): return close(destination, end, unwritten: batch)
        }
      }
    }
  }

  /// What there is to do. It moves what waits to `batch`, which leaves its empty arrays in return.
  private func next(_ batch: inout RecordBatch) -> Task {
    let (task, drops, blocked) = state.withLock { state -> (Task, Int, Int) in
      if state.isCancelled { return (.end(.cancelled), 0, 0) }
      let isUrgent = state.isFinishing || state.wantsReopen || state.blocked > 0
      if state.waiting.count > 0 {
        let pause = state.pause
        if pause > 0 && !isUrgent { return (.gather(seconds: pause), 0, 0) }
        batch.removeAll()
        swap(&batch, &state.waiting)
        defer { (state.unreportedDrops, state.wantsReopen) = (0, false) }
        return (.write(thenReopen: state.wantsReopen), state.unreportedDrops, state.takeBlocked())
      }
      if state.wantsReopen {
        state.wantsReopen = false
        return (.reopen, 0, 0)
      }
      if state.isFinishing { return (.end(.finished), 0, 0) }
      state.isAsleep = true
      return (.sleep, 0, 0)
    }
    release(blocked)
    if drops > 0 {
      var note = RecordBuffer(capacity: 128)
      describeDropped(drops, &note)
      note.withUnsafeBytes { batch.prepend($0) }
    }
    return task
  }

  /// Writes the batch; returns why the stream ends, if it does.
  private func write(_ batch: inout RecordBatch, to destination: any RecordDestination) -> End? {
    while batch.position < batch.count {
      if cancellation.wait(for: destination.descriptor, events: POLLOUT) == .signalled { return .cancelled }
      do throws(Errno) {
        let rest = batch.position...
        let count = try batch.bytes.withUnsafeBytes { bytes in
          Result { () throws(Errno) in try destination.write(UnsafeRawBufferPointer(rebasing: bytes[rest])) }
        }.get()
        batch.advance(by: count)
        if count > 0 { wrote(count) }
      } catch .brokenPipe {
        return .readerGone
      } catch .connectionReset {
        return .readerGone
      } catch {
        if !waitsAfter(error) { return .failed(error) }
        let mayReopen = batch.isAtBoundary
        let wantsReopen = state.withLock { state in
          defer { if mayReopen { state.wantsReopen = false } }
          return state.wantsReopen && mayReopen
        }
        if wantsReopen { reopen(destination) }
      }
    }
    return nil
  }

  private func wrote(_ count: Int) {
    let (hasRecovered, dropped) = state.withLock { state in
      state.wrote(count)
      defer { state.statistics.isFailing = false }
      return (state.statistics.isFailing, state.statistics.dropped)
    }
    guard hasRecovered else { return }
    let lost = dropped == 0 ? "nothing was lost" : "\(dropped) records were lost so far"
    onNotice(OutputNotice(.notice, "\(name) can be written again; \(lost)"))
  }

  /// Reports a failure once and waits a second, or until something is requested; false when the stream has to end.
  private func waitsAfter(_ error: Errno) -> Bool {
    let (isNew, mustEnd) = state.withLock { state in
      let isNew = !state.statistics.isFailing
      if isNew { state.statistics.failures += 1 }
      state.statistics.isFailing = true
      return (isNew, mode == .replay || state.isFinishing)
    }
    if mustEnd { return false }
    if isNew {
      onNotice(OutputNotice(.error, "\(name) cannot be written: \(error.description); trying again every second"))
    }
    _ = wake.wait(timeout: .now() + 1)
    return true
  }

  private func reopen(_ destination: any RecordDestination) {
    do throws(OutputError) {
      try destination.reopen()
    } catch {
      onNotice(OutputNotice(.error, "\(error.message); the old file stays in use"))
    }
  }

  private func close(_ destination: any RecordDestination, _ end: End, unwritten batch: RecordBatch) {
    var end = end
    do throws(Errno) {
      try destination.close()
    } catch {
      if end == .finished { end = .failed(error) }
    }
    let (blocked, finishers) = state.withLock { state in
      state.end = end
      state.statistics.dropped += batch.unwrittenRecords + state.waiting.unwrittenRecords
      state.waiting.removeAll()
      defer { state.finishers = [] }
      return (state.takeBlocked(), state.finishers)
    }
    release(blocked)
    onEnd(end)
    for finisher in finishers { finisher.resume(returning: end) }
  }
}
