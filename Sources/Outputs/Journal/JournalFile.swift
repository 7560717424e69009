import CSQLite
import FoundationEssentials
import Glibc
import LocationKit
import Platform

/// What the writing thread does with the tables.
enum JournalOperation: Sendable {
  case insert(JournalRecord)
  /// Remembers a fence's state.
  case remember(FenceState)
  /// Forgets the states of all other fences.
  case keepFences(Set<CircularRegion>)
  /// The states of all fences still held at that time.
  case confirmFences(Date)
  /// Inserts what one of many devices has said, unless it is there.
  case keep(DeviceRecord)
  /// Notes a device's location, unless a newer one is noted.
  case noteNewest(Location)

  var isRecord: Bool { if case .insert = self { true } else { false } }
}

/// A journal that is open for writing. Only the writing thread uses it once that runs.
final class JournalFile {
  /// The states of fences when the file was opened.
  let fences: [FenceState]
  /// The newest sequence number that is committed.
  private(set) var newest: Int64
  /// How many records were written without a time.
  private(set) var untimed = 0
  /// Committed rows that went with a log that another program removed or cut off.
  private(set) var lost = 0
  /// What another program did to the file and what was repaired, until it is taken.
  private var notices: [String] = []

  private let path: String
  private let limit: Int
  private let kind: JournalKind
  private let lock: JournalLock
  /// `nil` after a repair that failed.
  private var database: JournalDatabase?
  /// Which file is open: SQLite would go on writing to one that somebody has removed.
  private var identity: FileIdentity? { lock.identity }
  /// The same of the log, and the least size that it can have if nobody but SQLite has touched it.
  private var log: (identity: FileIdentity?, leastSize: Int64)
  /// What has been committed since the log was last written back, for as long as it is not too much.
  private var recent: [JournalBatch] = []
  private var recentCount = 0
  private var lastSync = 0.0
  /// How many rows have come since the file was last found to be below its limit.
  private var uncheckedRows: Int64 = 0

  /// How many seconds of fixes a power cut takes at most while fixes come.
  private static let syncInterval = 10.0
  /// How many operations are kept until the log is written back: those of a log that is as long as it becomes.
  private static let recentLimit = 16_384

  /// Opens the journal, and makes it where there is none.
  ///
  /// - Parameters:
  ///   - limit: How many bytes the database may have.
  ///   - kind: What it is for.
  /// - Throws: `JournalError`; a file that is no journal, or one that is damaged, stays as it is.
  init(path: String, limit: Int, kind: JournalKind = .receiver) throws(JournalError) {
    (self.path, self.limit, self.kind) = (path, limit, kind)
    lock = try JournalLock(path: path, database: JournalHeader.open(path))
    let database = try JournalDatabase(path: path, limit: limit, kind: kind)
    self.database = database
    newest = database.newest
    if !database.mended.isEmpty { notices = ["lacked \(database.mended.joined(separator: ", ")), which is made again"] }
    fences = try naming(path) { () throws(SQLiteError) in try FenceTable.states(database.connection) }
    log = (JournalHeader.identity(of: path + "-wal"), database.leastLogSize)
  }

  deinit {
    // Before the lock goes.
    database = nil
  }

  /// Reads with the connection that writes.
  func read<Value>(_ body: (Connection) throws(SQLiteError) -> Value) throws(JournalError) -> Value {
    let connection = try soundDatabase().connection
    return try naming(path) { () throws(SQLiteError) in try body(connection) }
  }

  /// How many operations are written in one transaction. On a small disk a queue may have no room for more.
  var mostOperations: Int { kind == .queue ? 256 : .max }

  /// Writes everything in one transaction.
  func commit(_ operations: [JournalOperation]) throws(JournalError) {
    do throws(JournalError) {
      try write(operations)
    } catch {
      try write(operations, after: error)
    }
  }

  /// Writes to a queue that had no room. There is room again where rows were that all readers have taken, which is a matter
  /// of moments while a broker takes messages.
  private func write(_ operations: [JournalOperation], after failure: JournalError) throws(JournalError) {
    var failure = failure
    for _ in 0..<5 {
      guard isTemporary(failure), failure.reason != .locked else { break }
      guard (try? database?.bound.removeTaken()) == true else {
        usleep(50_000)
        continue
      }
      do throws(JournalError) {
        return try write(operations)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Whether a failure to write will pass by itself: another program's lock, and while readers take what is in a queue.
  func isTemporary(_ failure: JournalError) -> Bool {
    failure.reason == .locked || kind == .queue && (try? database?.bound.hasRows()) == true
  }

  private func write(_ operations: [JournalOperation]) throws(JournalError) {
    let database = try soundDatabase()
    let now = monotonicSeconds()
    let syncs = kind != .queue && now - lastSync >= Self.syncInterval
    let batch = JournalBatch(after: newest, operations: operations)
    newest = try naming(path) { () throws(SQLiteError) in
      if syncs { try database.connection.execute("PRAGMA synchronous = FULL") }
      defer { if syncs { try? database.connection.execute("PRAGMA synchronous = NORMAL") } }
      return try database.write([batch])
    }
    log.leastSize = database.leastLogSize
    uncheckedRows += newest - batch.after
    untimed += database.untimed
    if syncs { lastSync = now }
    // A queue has no log that could be lost.
    if kind != .queue { remember(batch) }
  }

  private func remember(_ batch: JournalBatch) {
    recent.append(batch)
    recentCount += batch.operations.count
    while recentCount > Self.recentLimit, recent.count > 1 { recentCount -= recent.removeFirst().operations.count }
  }

  /// Deletes the oldest rows when the file is at its limit and what all readers of a queue have taken, and writes the log
  /// back when it is long.
  ///
  /// - Returns: For each reader that had not taken some of the rows, their number.
  func enforceLimit() throws(JournalError) -> [String: Int] {
    guard let database else { return [:] }
    var losses: [String: Int] = [:]
    defer { log.leastSize = database.leastLogSize }
    // A page holds some tens of rows, so a live fix need not look each time.
    if uncheckedRows >= 64 {
      uncheckedRows = 0
      losses = try naming(path) { () throws(SQLiteError) in
        if kind == .queue { _ = try database.bound.removeTaken() }
        return try database.bound.enforce(newest: newest)
      }
    }
    if database.connection.logFrames >= database.bound.logPages, isLogSound {
      try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }
    return losses
  }

  /// Brings the write-ahead log into the database, which SQLite does only for the last connection that closes.
  ///
  /// - Throws: `JournalError` when that failed. While another program reads, the log just stays.
  func finish() throws(JournalError) {
    try soundDatabase().connection.setBusyTimeout(milliseconds: 200)
    do throws(JournalError) {
      try checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    } catch {
      var failure = error
      failure.message += "; its newest rows are in \(path)-wal, which belongs to it"
      throw failure
    }
  }

  private func checkpoint(_ mode: Int32) throws(JournalError) {
    guard let database else { return }
    let isDone = try naming(path) { () throws(SQLiteError) in try database.connection.checkpoint(mode) }
    if isDone { forget() }
  }

  private func forget() {
    recent.removeAll()
    recentCount = 0
  }

  // MARK: The log

  /// Whether the log is there and has all of its frames. SQLite would write on behind the gap, and copy the gap into the
  /// database in the end.
  private var isLogSound: Bool {
    JournalHeader.identity(of: path + "-wal") == log.identity && JournalHeader.size(of: path + "-wal") >= log.leastSize
  }

  /// The database, opened again when somebody has taken its log away.
  private func soundDatabase() throws(JournalError) -> JournalDatabase {
    guard JournalHeader.identity(of: path) == identity else {
      throw JournalError(SQLiteError(code: SQLiteError.moved, text: ""), path: path)
    }
    if let database, isLogSound { return database }
    return try repair()
  }

  /// Opens the database without the log that it had, and writes again what was in that.
  private func repair() throws(JournalError) -> JournalDatabase {
    let wasRemoved = JournalHeader.identity(of: path + "-wal") != log.identity
    try OpenReaders.closing(identity) { () throws(JournalError) in
      close()
      unlink(path + "-wal")
      unlink(path + "-shm")
      database = try JournalDatabase(path: path, limit: limit, kind: kind)
    }
    guard let database else { throw JournalError(.inputOutput, path: path, "cannot be opened again") }
    // Where a reader kept the log from being written back whole, pages of what came since may be older than others.
    let start = recent.first?.after ?? newest
    let lost = max(0, start - database.newest)
    do throws(SQLiteError) {
      _ = try database.write(recent, inPlaceOfRowsAfter: start)
    } catch {
      self.database = nil
      throw JournalError(error, path: path)
    }
    log = (JournalHeader.identity(of: path + "-wal"), database.leastLogSize)
    self.lost += Int(lost)
    let loss = lost == 0 ? "nothing was lost" : "\(counted(Int(lost), "record is", "records are")) lost"
    notices.append(
      "had its \(path)-wal \(wasRemoved ? "removed" : "cut off") while it was open; \(loss), and it goes on in a new one"
    )
    return database
  }

  /// Closes the connection. A log that has lost nothing but its name goes into the database before.
  private func close() {
    guard let connection = database?.connection else { return }
    let isWhole = connection.logSize >= log.leastSize
    if isWhole, (try? connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)) == true {
      forget()
    } else {
      connection.leaveLogOnClose()
    }
    database = nil
  }

  /// What another program did to the file and what was repaired since this was asked last, each without the file's name.
  func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// Whether it ends with the process.
  var isQueue: Bool { kind == .queue }

  /// Bytes of the database file.
  var size: Int { database?.bound.size ?? 0 }
}
