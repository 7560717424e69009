import Dispatch
public import FoundationEssentials
import Glibc
public import LocationKit
import Platform
import Synchronization
import SystemPackage

/// Writes a journal: records in from any thread, and one thread that commits them.
///
/// A record is kept for good once it is committed: it survives the end of the process, however sudden, and readers see it.
/// Live, every record is committed as soon as it comes; in a replay those of a tenth of a second go together. A power cut
/// loses the fixes of about the last ten seconds.
public final class JournalWriter: Sendable {
  private struct State {
    var waiting: [JournalOperation] = []
    /// The thread sleeps until somebody signals `wake`.
    var isAsleep = false
    /// The thread waits for more records, or until half of the room is taken.
    var isGathering = false
    /// How many callers wait for room.
    var blocked = 0
    var isFinishing = false
    /// Nothing is waited for any more, by a replay either.
    var isCancelled = false
    var end: End?
    var finishers: [CheckedContinuation<End, Never>] = []
    /// Who waits until everything is committed that has come so far.
    var flushers: [CheckedContinuation<Void, Never>] = []
    var statistics = Statistics()
    var handlers: [@Sendable (Int64) -> Void] = []

    mutating func takeFlushers() -> [CheckedContinuation<Void, Never>] {
      defer { flushers = [] }
      return flushers
    }

    mutating func takeBlocked() -> Int {
      defer { blocked = 0 }
      return blocked
    }
  }

  /// The journal's path.
  public let path: String
  /// The states of fences that the journal held when it was opened.
  public let fences: [FenceState]

  private let state = Mutex(State())
  /// The thread holds this lock for as long as it runs.
  private let file: Mutex<JournalFile?>
  private let mode: Mode
  private let folder: TemporaryFolder?
  private let wake = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)
  private let onNotice: JournalNotice.Handler
  private let onEnd: @Sendable (End) -> Void

  /// How many records may wait, besides as many that are being committed: less than a mebibyte.
  private static let capacity = 2048

  /// Opens a journal, and makes it where there is none.
  ///
  /// - Parameters:
  ///   - path: The database file. `PATH-wal`, `PATH-shm` and `PATH-lock` are beside it.
  ///   - limit: How many bytes the database may have: the oldest rows go. The write-ahead log takes a few mebibytes more.
  ///   - mode: What happens when the disk is slow or fails.
  ///   - onNotice: Called on the writing thread.
  ///   - onEnd: Called once, on the writing thread, when nothing will be written any more.
  /// - Throws: `JournalError`. A file that is no journal, a newer one or a damaged one stays as it is.
  public convenience init(
    path: String, limit: Int, mode: Mode, onNotice: @escaping JournalNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(JournalError) {
    try self.init(path: path, in: nil, limit: limit, mode: mode, onNotice: onNotice, onEnd: onEnd)
  }

  /// Makes a journal in a private temporary folder, which goes when it ends.
  ///
  /// - Throws: `JournalError`.
  public static func temporary(
    limit: Int, mode: Mode, onNotice: @escaping JournalNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(JournalError) -> JournalWriter {
    let folder = try TemporaryFolder()
    return try JournalWriter(
      path: folder.path + "/journal.db", in: folder, limit: limit, mode: mode, onNotice: onNotice, onEnd: onEnd)
  }

  private init(
    path: String, in folder: TemporaryFolder?, limit: Int, mode: Mode, onNotice: @escaping JournalNotice.Handler,
    onEnd: @escaping @Sendable (End) -> Void
  ) throws(JournalError) {
    self.path = path
    self.folder = folder
    self.mode = mode
    self.onNotice = onNotice
    self.onEnd = onEnd
    let file = try JournalFile(path: path, limit: limit)
    fences = file.fences
    let (newest, size) = (file.newest, file.size)
    self.file = Mutex(file)
    state.withLock { ($0.statistics.newest, $0.statistics.bytes) = (newest, size) }
    do {
      try Thread.start { [self] in run() }
    } catch {
      throw JournalError(.cannotOpen, path: path, "cannot be written: no thread: \(error.description)")
    }
  }

  // MARK: Writing

  /// Appends a record. A location without a valid coordinate is none and left out. From any thread; in a replay it may wait.
  public func append(_ record: JournalRecord) {
    if case .location(let location) = record, !location.coordinate.isValid { return }
    append(.insert(record))
  }

  /// Remembers on which side of a fence the receiver is.
  public func remember(_ fence: FenceState) { append(.remember(fence)) }

  /// Forgets the states of fences that are not among `regions`; one that has moved is another one.
  public func keepFences(_ regions: Set<CircularRegion>) { append(.keepFences(regions)) }

  /// Notes that the states of all fences still hold at the time of a fix.
  public func confirmFences(at time: Date) { append(.confirmFences(time)) }

  private func append(_ operation: JournalOperation) {
    var mustWait = true
    while mustWait {
      let mustWake: Bool
      (mustWait, mustWake) = state.withLock { state in
        guard !state.isFinishing, state.end == nil else {
          if operation.isRecord { state.statistics.dropped += 1 }
          return (false, false)
        }
        if state.waiting.count >= Self.capacity {
          if mode == .replay {
            state.blocked += 1
            return (true, false)
          }
          dropOldest(&state)
        }
        state.waiting.append(operation)
        let wakes = state.isAsleep || (state.isGathering && state.waiting.count >= Self.capacity / 2)
        if wakes { (state.isAsleep, state.isGathering) = (false, false) }
        return (false, wakes)
      }
      if mustWake { wake.signal() }
      if mustWait { room.wait() }
    }
  }

  /// Drops a quarter of the records at once, so that what stays moves once for many. What is remembered of fences stays.
  private func dropOldest(_ state: inout State) {
    var left = Self.capacity / 4
    state.waiting.removeAll { operation in
      guard left > 0, operation.isRecord else { return false }
      left -= 1
      return true
    }
    state.statistics.dropped += Self.capacity / 4 - left
  }

  /// Has `handler` called after each commit with the newest row's sequence number, on the writing thread.
  public func onCommit(_ handler: @escaping @Sendable (_ newest: Int64) -> Void) {
    state.withLock { $0.handlers.append(handler) }
  }

  /// What the journal has done so far.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Waits until everything that was appended so far is committed, or cannot be just now.
  public func flush() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if state.end == nil { state.flushers.append(continuation) }
        (state.isAsleep, state.isGathering) = (false, false)
        return state.end != nil
      }
      if hasEnded { continuation.resume() } else { wake.signal() }
    }
  }

  /// Commits what waits, closes the file, and says how the writing ended. What is appended later is dropped.
  @discardableResult
  public func finish() async -> End {
    stop(isCancelled: false)
    return await withCheckedContinuation { continuation in
      let end = state.withLock { state in
        if state.end == nil { state.finishers.append(continuation) }
        return state.end
      }
      if let end { continuation.resume(returning: end) }
    }
  }

  /// Commits what waits, takes nothing more, and releases a caller that waits for room. Does not wait, not for another
  /// program's lock either. From any thread.
  public func cancel() { stop(isCancelled: true) }

  private func stop(isCancelled: Bool) {
    let blocked = state.withLock { state in
      state.isFinishing = true
      state.isCancelled = state.isCancelled || isCancelled
      state.isAsleep = false
      return state.takeBlocked()
    }
    wake.signal()
    release(blocked)
  }

  private func release(_ blocked: Int) {
    for _ in 0..<blocked { room.signal() }
  }

  // MARK: The thread

  private enum Task {
    case commit
    case gather
    case sleep
    case end
  }

  private func run() {
    file.withLock { file in
      guard let journal = file else { return }
      if !journal.mended.isEmpty {
        let parts = journal.mended.joined(separator: ", ")
        onNotice(JournalNotice(severity: .warning, message: "journal \(path) lacked \(parts), which is made again"))
      }
      var outcome = write(to: journal)
      if let failure = finish(journal), case .finished = outcome.end { outcome.end = .failed(failure) }
      file = nil
      close(outcome.end, uncommitted: outcome.uncommitted)
    }
  }

  /// Brings everything into the one file; returns why that is not possible.
  private func finish(_ journal: JournalFile) -> JournalError? {
    do throws(JournalError) {
      defer { report(journal) }
      try journal.finish()
      return nil
    } catch {
      return error
    }
  }

  /// Commits whatever comes, until the end.
  private func write(to journal: JournalFile) -> (end: End, uncommitted: [JournalOperation]) {
    var batch: [JournalOperation] = []
    var unread: Set<String> = []
    while true {
      switch next(&batch) {
      case .commit:
        if let failure = commit(batch, to: journal, unread: &unread) { return (.failed(failure), batch) }
      case .gather: _ = wake.wait(timeout: .now() + 0.1)
      case .sleep: wake.wait()
      case .end: return (.finished, [])
      }
    }
  }

  /// What there is to do. It moves what waits to `batch`.
  private func next(_ batch: inout [JournalOperation]) -> Task {
    let (task, blocked, flushers) = state.withLock { state -> (Task, Int, [CheckedContinuation<Void, Never>]) in
      guard !state.waiting.isEmpty else {
        let flushers = state.takeFlushers()
        if state.isFinishing { return (.end, 0, flushers) }
        state.isAsleep = true
        return (.sleep, 0, flushers)
      }
      let isUrgent = state.waiting.count >= Self.capacity / 2 || state.isFinishing || !state.flushers.isEmpty
      if mode == .replay, !isUrgent, !state.isGathering {
        state.isGathering = true
        return (.gather, 0, [])
      }
      state.isGathering = false
      batch.removeAll(keepingCapacity: true)
      swap(&batch, &state.waiting)
      return (.commit, state.takeBlocked(), [])
    }
    release(blocked)
    for flusher in flushers { flusher.resume() }
    return task
  }

  /// Commits the batch, however often that has to be tried; returns why it will never be.
  private func commit(
    _ batch: [JournalOperation], to journal: JournalFile, unread: inout Set<String>
  ) -> JournalError? {
    while true {
      do throws(JournalError) {
        defer { report(journal) }
        try journal.commit(batch)
      } catch {
        if waits(after: error) { continue }
        return error
      }
      // Rows are safe; if old ones cannot go just now, the next commit tries again.
      let losses = (try? journal.enforceLimit()) ?? [:]
      committed(batch.count { $0.isRecord }, journal)
      report(losses, &unread)
      return nil
    }
  }

  private func committed(_ rows: Int, _ journal: JournalFile) {
    let (hasRecovered, dropped, handlers) = state.withLock { state in
      state.statistics.rows += rows
      state.statistics.newest = journal.newest
      state.statistics.bytes = journal.size
      defer { state.statistics.isFailing = false }
      return (state.statistics.isFailing, state.statistics.dropped, state.handlers)
    }
    if hasRecovered {
      let lost = dropped == 0 ? "nothing was lost" : "\(dropped) records were lost so far"
      onNotice(JournalNotice(severity: .notice, message: "journal \(path) can be written again; \(lost)"))
    }
    guard rows > 0 else { return }
    for handler in handlers { handler(journal.newest) }
  }

  /// Reports what somebody else did to the log, and counts what that cost.
  private func report(_ journal: JournalFile) {
    for repair in journal.repairs {
      let lost = Int(repair.lost)
      state.withLock { state in
        state.statistics.rows -= lost
        state.statistics.dropped += lost
      }
      let loss = lost == 0 ? "nothing was lost" : "\(lost) records are lost"
      onNotice(
        JournalNotice(
          severity: .warning,
          message: "journal \(path): \(path)-wal, which belongs to it, was "
            + "\(repair.wasRemoved ? "removed" : "cut off") while it was open; \(loss), and it goes on in a new one"))
    }
    journal.repairs = []
  }

  /// Reports each reader that loses rows once, until it has caught up.
  private func report(_ losses: [String: Int], _ unread: inout Set<String>) {
    state.withLock { $0.statistics.unread += losses.values.reduce(0, +) }
    for (name, count) in losses.sorted(by: { $0.key < $1.key }) where unread.insert(name).inserted {
      onNotice(
        JournalNotice(
          severity: .warning,
          message: "journal \(path) is at its limit: \(count) rows went before its reader \(name) had taken them, "
            + "and more will until it catches up"))
    }
  }

  /// Reports a failure once and waits a second, or until the end is asked for; false when the writing has to end. A replay
  /// has the time to wait for another program's lock, at its end too.
  private func waits(after failure: JournalError) -> Bool {
    let (isNew, mustEnd, flushers) = state.withLock { state in
      let isNew = !state.statistics.isFailing
      if isNew { state.statistics.failures += 1 }
      state.statistics.isFailing = true
      let mustEnd = mode == .live ? state.isFinishing : failure.reason != .locked || state.isCancelled
      return (isNew, mustEnd, state.takeFlushers())
    }
    for flusher in flushers { flusher.resume() }
    if mustEnd { return false }
    if isNew {
      onNotice(JournalNotice(severity: .error, message: "\(failure.message); trying again every second"))
    }
    _ = wake.wait(timeout: .now() + 1)
    return true
  }

  private func close(_ end: End, uncommitted batch: [JournalOperation]) {
    folder?.remove()
    let (blocked, finishers, flushers) = state.withLock { state in
      state.end = end
      state.statistics.dropped += (batch + state.waiting).count { $0.isRecord }
      state.waiting = []
      defer { state.finishers = [] }
      return (state.takeBlocked(), state.finishers, state.takeFlushers())
    }
    release(blocked)
    onEnd(end)
    for flusher in flushers { flusher.resume() }
    for finisher in finishers { finisher.resume(returning: end) }
  }
}
