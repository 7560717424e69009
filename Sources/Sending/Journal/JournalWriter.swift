import FoundationEssentials
import Glibc
import LocationKit
import Writing
import Platform
import SystemPackage

/// Writes a journal. Any thread appends records to an outbox, whose thread commits them.
///
/// A committed record survives any end of the process, and readers see it. A live record is committed at once, unless an
/// interval is given. A replay commits the records of a tenth of a second together and waits for another program's lock.
/// A power cut loses the fixes of about the last ten seconds.
package final class JournalWriter: ReceiverJournal {
  package typealias End = OutboxEnd<JournalError>

  package struct Statistics: Sendable, Hashable {
    package var account = Account()
    /// Rows that the size limit deleted before a reader had read them, for all readers together.
    package var unread = 0
    /// Records stored without a time, because they have none, or one outside the years 1678 to 2261.
    package var untimed = 0
    package var bytes = 0
    /// How often committing began to fail.
    package var failures = 0
    package var isFailing = false
    package var newest: Int64 = 0

    package var rows: Int { account.written }
    package var dropped: Int { account.dropped }
  }

  package let path: String
  package var name: String { "journal \(path)" }
  package let fences: [FenceState]

  private let outbox: Outbox<JournalDestination>
  private let status = JournalStatus()

  /// The most records that wait, in addition to as many being committed: less than a mebibyte.
  private static let capacity = 2048

  /// Opens a journal or creates it, with `PATH-wal` and `PATH-shm` beside it. A foreign, newer or damaged file is
  /// not changed.
  ///
  /// - Parameters:
  ///   - limit: The size limit of the database in bytes, at which the oldest rows are deleted. The write-ahead log takes
  ///     a few mebibytes more.
  ///   - interval: Seconds from one commit to the next when many records come; `nil` for the mode's.
  ///   - onNotice: Called on the writing thread, as `onEnd` is once, when the journal will write no more.
  package init(
    path: String, limit: Int, mode: OutboxMode, interval: Double? = nil, host: Host = .system,
    onNotice: @escaping OutputNotice.Handler = { _ in }, onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(JournalError) {
    self.path = path
    let file = try JournalFile(path: path, limit: limit, host: host)
    fences = file.fences
    let destination = JournalDestination(file, path: path, status: status, host: host, onNotice: onNotice)
    do throws(Errno) {
      outbox = try Outbox(
        to: destination, mode: mode, limit: Self.capacity, interval: interval ?? (mode == .replay ? 0.1 : 0),
        host: host, onNotice: onNotice, onEnd: onEnd)
    } catch {
      throw JournalError(.cannotOpen, path: path, "cannot be written: no thread: \(error.description)")
    }
  }

  /// Checks a journal by the steps of `init` and a write of each kind, and leaves everything unchanged. May wait.
  ///
  /// - Returns: Its rows; `nil` without a check while another process writes it.
  package static func trial(path: String) throws(JournalError) -> JournalWaiting? {
    let exists = FileIdentity(path: path) != nil
    let lock: JournalLock
    do throws(JournalError) {
      lock = try JournalLock(path: path)
    } catch {
      if error.reason == .locked { return nil }
      throw error
    }
    // From here on no other process writes the journal.
    let isEmpty = JournalHeader.size(of: path) == 0
    // A log stays, and SQLite then leaves its index.
    let index = JournalHeader.companion("-shm", of: path)
    let leavesIndex =
      JournalHeader.size(of: JournalHeader.companion("-wal", of: path)) > 0 && FileIdentity(path: index) == nil
    defer {
      if isEmpty { _ = exists ? truncate(path, 0) : unlink(path) }
      if leavesIndex { unlink(index) }
      withExtendedLifetime(lock) {}
    }
    let database = try JournalDatabase(path: path, limit: 1 << 22, isForDevices: false, isTrial: !isEmpty)
    try database.tryWriting()
    if !isEmpty { try database.connection.execute("ROLLBACK") }
    // A journal of an older program may lack tables.
    return (try? JournalRows(database.connection).waiting(after: 0)) ?? JournalWaiting(count: 0)
  }

  package func reader(named name: String) throws(JournalError) -> JournalReader {
    try JournalReader(path: path, name: name)
  }

  // MARK: Writing

  package func append(_ record: JournalRecord) {
    if case .location(let location) = record, !location.coordinate.isValid { return }
    append(.insert(record))
  }

  package func remember(_ fence: FenceState) { append(.remember(fence)) }
  package func keepFences(_ regions: Set<CircularRegion>) { append(.keepFences(regions)) }
  package func confirmFences(at time: Date) { append(.confirmFences(time)) }

  private func append(_ operation: JournalOperation) {
    outbox.append(size: 1, isRecord: operation.isRecord) { $0.append(operation) }
  }

  /// The writing thread calls the handler.
  package func onCommit(_ handler: @escaping @Sendable (_ newest: Int64) -> Void) { status.onCommit(handler) }

  package var statistics: Statistics {
    let outbox = outbox.statistics
    var statistics = status.statistics
    (statistics.account, statistics.failures, statistics.isFailing) = (
      outbox.account, outbox.failures, outbox.isFailing
    )
    return statistics
  }

  var isIdle: Bool { outbox.isIdle }

  @discardableResult
  package nonisolated(nonsending) func finish() async -> End { await outbox.finish() }

  /// Does not wait, even for another program's lock.
  package func cancel() { outbox.close() }
}
