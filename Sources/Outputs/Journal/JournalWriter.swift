public import FoundationEssentials
import Glibc
public import LocationKit
public import Output
public import Platform
import SystemPackage

/// Writes a journal. Any thread appends records to an outbox, whose thread commits them.
///
/// A committed record survives any end of the process, and readers see it. A live record is committed at once, unless an
/// interval is given. A replay commits the records of a tenth of a second together and waits for another program's lock. A power cut loses the
/// fixes of about the last ten seconds.
public final class JournalWriter: Sendable {
  /// The reason why the writing ended.
  public typealias End = OutboxEnd<JournalError>

  /// The journal's counts.
  public struct Statistics: Sendable, Hashable {
    /// The account of the appended records.
    public var account = Account()
    /// Rows that the size limit deleted before a reader had read them, for all readers together.
    public var unread = 0
    /// Records stored without a time, because they have none, or one outside the years 1678 to 2261.
    public var untimed = 0
    /// The size of the database file in bytes.
    public var bytes = 0
    /// How often committing began to fail.
    public var failures = 0
    /// Whether committing is failing.
    public var isFailing = false
    /// The sequence number of the newest row.
    public var newest: Int64 = 0
    /// Rows that were lost with a log that another program removed.
    var lost = 0

    /// Records that are committed.
    public var rows: Int { account.written }
    /// Records that are not and never will be committed.
    public var dropped: Int { account.dropped }
  }

  /// The journal's path.
  public let path: String
  /// The states of fences that the journal had at opening.
  public let fences: [FenceState]

  private let isQueue: Bool
  private let outbox: Outbox<JournalDestination>
  private let status = JournalStatus()

  /// The most records that wait, in addition to as many being committed: less than a mebibyte.
  private static let capacity = 2048

  /// Opens a journal or creates it.
  ///
  /// - Parameters:
  ///   - path: The database file. `PATH-wal`, `PATH-shm` and `PATH-lock` are beside it.
  ///   - limit: The size limit of the database in bytes, at which the oldest rows are deleted. The write-ahead log takes
  ///     a few mebibytes more.
  ///   - mode: The behaviour when the disk is slow or fails.
  ///   - interval: Seconds from one commit to the next when many records come; `nil` for the mode's.
  ///   - host: The program's host.
  ///   - onNotice: Called on the writing thread.
  ///   - onEnd: Called once, on the writing thread, when the journal will write no more.
  /// - Throws: `JournalError`. A foreign, newer or damaged file is not changed.
  public convenience init(
    path: String, limit: Int, mode: OutboxMode, interval: Double? = nil, host: Host = .system,
    onNotice: @escaping OutputNotice.Handler = { _ in }, onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(JournalError) {
    try self.init(
      path: path, in: nil, limit: limit, mode: mode, interval: interval, host: host, onNotice: onNotice, onEnd: onEnd)
  }

  /// Creates a journal in a private temporary folder, which is deleted at its end. It is a queue: rows that all of its
  /// readers have read are deleted.
  ///
  /// - Throws: `JournalError`.
  public static func temporary(
    limit: Int, mode: OutboxMode, host: Host = .system, onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(JournalError) -> JournalWriter {
    let folder = try TemporaryFolder()
    do throws(JournalError) {
      return try JournalWriter(
        path: folder.path + "/journal.db", in: folder, limit: limit, mode: mode, host: host, onNotice: onNotice,
        onEnd: onEnd)
    } catch {
      folder.remove()
      throw error
    }
  }

  init(
    path: String, in folder: TemporaryFolder?, limit: Int, mode: OutboxMode, interval: Double? = nil,
    host: Host = .system, onNotice: @escaping OutputNotice.Handler, onEnd: @escaping @Sendable (End) -> Void
  ) throws(JournalError) {
    self.path = path
    isQueue = folder != nil
    let file = try JournalFile(path: path, limit: limit, kind: isQueue ? .queue : .receiver, host: host)
    fences = file.fences
    let destination = JournalDestination(file, path: path, status: status, host: host, onNotice: onNotice)
    do throws(Errno) {
      outbox = try Outbox(
        to: destination, mode: mode, limit: Self.capacity, interval: interval ?? (mode == .replay ? 0.1 : 0),
        host: host, onNotice: onNotice
      ) { end in
        folder?.remove()
        onEnd(end)
      }
    } catch {
      throw JournalError(.cannotOpen, path: path, "cannot be written: no thread: \(error.description)")
    }
  }

  /// Checks a journal by the steps of `init` and a write of each kind, and leaves everything unchanged. May wait.
  ///
  /// - Returns: Whether it was checked; false while another process writes it.
  /// - Throws: `JournalError` as `init` or a write does.
  public static func trial(path: String) throws(JournalError) -> Bool {
    let hasLock = FileIdentity(path: path + "-lock") != nil
    if hasLock, JournalLock.isHeld(path) { return false }
    let (exists, file) = (FileIdentity(path: path) != nil, try JournalHeader.open(path))
    defer { if !hasLock { unlink(path + "-lock") } }
    let lock = try JournalLock(path: path, database: file)
    // From here on no other process writes the journal.
    let isEmpty = JournalHeader.size(of: path) == 0
    // A log stays, and SQLite then leaves its index.
    let leavesIndex = JournalHeader.size(of: path + "-wal") > 0 && FileIdentity(path: path + "-shm") == nil
    defer {
      if isEmpty { _ = exists ? truncate(path, 0) : unlink(path) }
      if leavesIndex { unlink(path + "-shm") }
      withExtendedLifetime(lock) {}
    }
    try JournalDatabase(path: path, limit: 1 << 22, kind: .receiver, isTrial: !isEmpty).tryWriting()
    return true
  }

  /// Returns a reader that stores its position in the file. A new reader starts after the newest row.
  ///
  /// - Throws: `JournalError`.
  public func reader(named name: String) throws(JournalError) -> JournalReader {
    try JournalReader(path: path, name: name, startingAt: .newest, kind: isQueue ? .queue : .receiver)
  }

  // MARK: Writing

  /// Appends a record. A location without a valid coordinate is ignored. For any thread; in a replay it may wait.
  public func append(_ record: JournalRecord) {
    if case .location(let location) = record, !location.coordinate.isValid { return }
    append(.insert(record))
  }

  /// Stores the side of a fence on which the receiver is.
  public func remember(_ fence: FenceState) { append(.remember(fence)) }

  /// Forgets the states of fences that are not among `regions`; a fence that has moved is a different one.
  public func keepFences(_ regions: Set<CircularRegion>) { append(.keepFences(regions)) }

  /// Confirms the states of all fences at the time of a fix.
  public func confirmFences(at time: Date) { append(.confirmFences(time)) }

  private func append(_ operation: JournalOperation) {
    outbox.append(size: 1, isRecord: operation.isRecord) { $0.append(operation) }
  }

  /// Sets a handler that the writing thread calls after each commit with the newest row's sequence number.
  public func onCommit(_ handler: @escaping @Sendable (_ newest: Int64) -> Void) { status.onCommit(handler) }

  /// The journal's counts so far.
  public var statistics: Statistics {
    let outbox = outbox.statistics
    var statistics = status.statistics
    (statistics.account, statistics.failures, statistics.isFailing) = (
      outbox.account, outbox.failures, outbox.isFailing
    )
    statistics.account.revoke(statistics.lost, .removed)
    return statistics
  }

  /// Whether all appended records are committed.
  var isIdle: Bool { outbox.isIdle }

  /// Commits the waiting records, closes the file, and returns how the writing ended. Later records are dropped.
  @discardableResult
  public nonisolated(nonsending) func finish() async -> End { await outbox.finish() }

  /// Commits the waiting records, accepts no more, and releases a caller that waits for room. Does not wait, even for
  /// another program's lock. For any thread.
  public func cancel() { outbox.close() }
}
