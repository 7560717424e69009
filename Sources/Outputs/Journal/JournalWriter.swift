public import FoundationEssentials
public import LocationKit
public import Output
public import Platform
import SystemPackage

/// Writes a journal: records in from any thread, through an outbox whose thread commits them.
///
/// A record is kept for good once it is committed: it survives the end of the process, however sudden, and readers see it.
/// Live, every record is committed as soon as it comes; in a replay those of a tenth of a second go together, and another
/// program's lock is waited for. A power cut loses the fixes of about the last ten seconds.
public final class JournalWriter: Sendable {
  /// Why the writing ended.
  public typealias End = OutboxEnd<JournalError>

  /// What a journal has done so far.
  public struct Statistics: Sendable, Hashable {
    /// What became of the records that were appended.
    public var account = Account()
    /// Rows that the limit of the file's size took before a reader had taken them, of all readers together.
    public var unread = 0
    /// Records that are kept without a time, because they have none, or one outside the years from 1678 to 2261.
    public var untimed = 0
    /// Bytes of the database file.
    public var bytes = 0
    /// Failures, counted once each time committing begins to fail.
    public var failures = 0
    /// Whether committing fails just now.
    public var isFailing = false
    /// The sequence number of the newest row.
    public var newest: Int64 = 0

    /// Records that are committed.
    public var rows: Int { account.written }
    /// Records that are not committed and never will be.
    public var dropped: Int { account.dropped }
  }

  /// The journal's path.
  public let path: String
  /// The states of fences that the journal held when it was opened.
  public let fences: [FenceState]

  private let isQueue: Bool
  private let outbox: Outbox<JournalDestination>
  private let status = JournalStatus()

  /// How many records may wait, besides as many that are being committed: less than a mebibyte.
  private static let capacity = 2048

  private static func interval(_ mode: OutboxMode) -> Double { mode == .replay ? 0.1 : 0 }

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
    path: String, limit: Int, mode: OutboxMode, onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(JournalError) {
    try self.init(
      path: path, limit: limit, mode: mode, interval: Self.interval(mode), onNotice: onNotice, onEnd: onEnd)
  }

  /// Makes a journal in a private temporary folder, which goes when it ends. It is a queue: rows that all of its readers
  /// have taken are deleted.
  ///
  /// - Throws: `JournalError`.
  public static func temporary(
    limit: Int, mode: OutboxMode, onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(JournalError) -> JournalWriter {
    let folder = try TemporaryFolder()
    do throws(JournalError) {
      return try JournalWriter(
        path: folder.path + "/journal.db", in: folder, limit: limit, mode: mode, interval: interval(mode),
        onNotice: onNotice, onEnd: onEnd)
    } catch {
      folder.remove()
      throw error
    }
  }

  /// - Parameter interval: Seconds from one commit to the next when many records come.
  init(
    path: String, in folder: TemporaryFolder? = nil, limit: Int, mode: OutboxMode, interval: Double,
    onNotice: @escaping OutputNotice.Handler, onEnd: @escaping @Sendable (End) -> Void
  ) throws(JournalError) {
    self.path = path
    isQueue = folder != nil
    let file = try JournalFile(path: path, limit: limit, kind: isQueue ? .queue : .receiver)
    fences = file.fences
    let destination = JournalDestination(file, path: path, status: status, onNotice: onNotice)
    do throws(Errno) {
      outbox = try Outbox(
        to: destination, mode: mode, limit: Self.capacity, interval: interval, onNotice: onNotice
      ) { end in
        folder?.remove()
        onEnd(end)
      }
    } catch {
      throw JournalError(.cannotOpen, path: path, "cannot be written: no thread: \(error.description)")
    }
  }

  /// A reader that remembers in the file how far it has come, and begins behind the newest row when it is new.
  ///
  /// - Throws: `JournalError`.
  public func reader(named name: String) throws(JournalError) -> JournalReader {
    try JournalReader(path: path, optionalName: name, startingAt: .newest, kind: isQueue ? .queue : .receiver)
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
    outbox.append(size: 1, isRecord: operation.isRecord) { $0.append(operation) }
  }

  /// Has `handler` called after each commit with the newest row's sequence number, on the writing thread.
  public func onCommit(_ handler: @escaping @Sendable (_ newest: Int64) -> Void) { status.onCommit(handler) }

  /// What the journal has done so far.
  public var statistics: Statistics {
    var (outbox, file) = (outbox.statistics, status.counts)
    outbox.account.revoke(file.lost, .removed)
    return Statistics(
      account: outbox.account, unread: file.unread, untimed: file.untimed, bytes: file.bytes,
      failures: outbox.failures, isFailing: outbox.isFailing, newest: file.newest)
  }

  /// Whether everything that was appended is committed.
  var isIdle: Bool { outbox.isIdle }

  /// Commits what waits, closes the file, and says how the writing ended. What is appended later is dropped.
  @discardableResult
  public func finish() async -> End { await outbox.finish() }

  /// Commits what waits, takes nothing more, and releases a caller that waits for room. Does not wait, not for another
  /// program's lock either. From any thread.
  public func cancel() { outbox.close() }
}
