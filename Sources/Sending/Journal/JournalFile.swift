import CSQLite
import FoundationEssentials
import Glibc
import LocationKit
import Platform

enum JournalOperation: Sendable {
  case insert(JournalRecord)
  case remember(FenceState)
  case keepFences(Set<CircularRegion>)
  case confirmFences(Date)

  var isRecord: Bool { if case .insert = self { true } else { false } }
}

/// A journal that is open for writing. Once the writing thread runs, only it uses the journal.
final class JournalFile {
  let fences: [FenceState]
  private(set) var newest: Int64
  private(set) var untimed = 0
  private var notices: [String] = []

  private let path: String
  private let lock: JournalLock
  /// `nil` after another program has removed or changed its log.
  private var database: JournalDatabase?
  private let logPath: String
  /// The log's identity, and the minimum size that it has if only SQLite has written to it.
  private var log: (identity: FileIdentity?, leastSize: Int64)
  private var lastSync = 0.0
  private let host: Host
  /// How many rows were added since the file was last found to be below its limit.
  private var uncheckedRows: Int64 = 0

  /// The most seconds of fixes that a power cut loses while fixes come.
  private static let syncInterval = 10.0

  /// Opens the journal or creates it. `limit` is the size of the database in bytes. A foreign or damaged file is not
  /// changed.
  init(path: String, limit: Int, isForDevices: Bool = false, host: Host = .system) throws(JournalError) {
    (self.path, self.host) = (path, host)
    lock = try JournalLock(path: path)
    let database = try JournalDatabase(path: path, limit: limit, isForDevices: isForDevices)
    self.database = database
    newest = database.newest
    if !database.repaired.isEmpty {
      notices = ["lacked \(database.repaired.joined(separator: ", ")), which is created again"]
    }
    fences = try FenceState.all(database.connection)
    logPath = JournalHeader.companion("-wal", of: path)
    log = (FileIdentity(path: logPath), database.leastLogSize)
  }

  deinit {
    // The connection closes before the lock is released.
    database = nil
  }

  func read<Value>(_ body: (Connection) throws(JournalError) -> Value) throws(JournalError) -> Value {
    try body(soundDatabase().connection)
  }

  func commit(_ operations: [JournalOperation]) throws(JournalError) {
    try commit { insertion, sequence throws(JournalError) in try insertion.run(operations, after: &sequence) }
  }

  func commit(_ body: (Insertion, inout Int64) throws(JournalError) -> Void) throws(JournalError) {
    let database = try soundDatabase()
    let now = host.seconds()
    let syncs = now - lastSync >= Self.syncInterval
    if syncs { try database.connection.execute("PRAGMA synchronous = FULL") }
    defer { if syncs { try? database.connection.execute("PRAGMA synchronous = NORMAL") } }
    let last = try database.write(after: newest, body)
    uncheckedRows += last - newest
    newest = last
    log.leastSize = database.leastLogSize
    untimed += database.untimed
    if syncs { lastSync = now }
  }

  /// Deletes the oldest rows of a file at its limit, and writes a long log back. What fails is tried again later.
  /// Returns the number of rows that each reader lost.
  func enforceLimit() -> [String: Int] {
    var losses: [String: Int] = [:]
    try? enforceLimit(&losses)
    return losses
  }

  private func enforceLimit(_ losses: inout [String: Int]) throws(JournalError) {
    guard let database else { return }
    defer { log.leastSize = database.leastLogSize }
    // A page holds some tens of rows, so the size need not be checked after each fix.
    if uncheckedRows >= 64 {
      uncheckedRows = 0
      try database.bound.enforce(newest: newest, &losses)
    }
    if database.connection.logFrames >= database.bound.logPages, isLogSound {
      _ = try database.connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }
  }

  /// Writes the write-ahead log back into the database. SQLite only does so when the last connection closes. While
  /// another program reads, the log stays.
  func finish() throws(JournalError) {
    let connection = try soundDatabase().connection
    connection.setBusyTimeout(milliseconds: 200)
    do throws(JournalError) {
      _ = try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    } catch {
      var failure = error
      failure.message += "; its newest rows are in \(path)-wal, which belongs to it"
      throw failure
    }
  }

  // MARK: The log

  /// Whether the log exists and has all of its frames. Otherwise SQLite would write on after the gap, and finally copy
  /// the gap into the database.
  private var isLogSound: Bool {
    FileIdentity(path: logPath) == log.identity && JournalHeader.size(of: logPath) >= log.leastSize
  }

  /// The database, unless another program has removed or changed its files. SQLite would go on with what is left of them.
  private func soundDatabase() throws(JournalError) -> JournalDatabase {
    guard FileIdentity(path: path) == lock.identity else {
      throw JournalError(.removed, path: path, JournalError.isRemoved)
    }
    if let database, isLogSound { return database }
    close()
    throw JournalError(
      .removed, path: path,
      "had its \(path)-wal removed or cut off while it was open; new rows may be lost, so start the program again")
  }

  /// Closes the connection. A log that has lost only its name is first written back into the database.
  private func close() {
    guard let connection = database?.connection else { return }
    let isWhole = connection.logSize >= log.leastSize
    if !isWhole || (try? connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)) != true { connection.leaveLogOnClose() }
    database = nil
  }

  func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  var size: Int { database?.bound.size ?? 0 }
}
