import CSQLite
import FoundationEssentials
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

  var isRecord: Bool { if case .insert = self { true } else { false } }
}

/// A journal that is open for writing. Only the writing thread uses it once that runs.
final class JournalFile {
  /// The states of fences when the file was opened.
  let fences: [FenceState]
  /// The newest sequence number that is committed.
  private(set) var newest: Int64

  private let path: String
  private let lock: JournalLock
  private let connection: Connection
  private let transaction: Transaction
  private let insertion: Insertion
  private let bound: JournalBound
  /// Which file is open: SQLite would go on writing to one that somebody has removed.
  private let identity: [UInt]?
  private var lastSync = 0.0
  /// How many rows have come since the file was last found to be below its limit.
  private var uncheckedRows: Int64 = 0

  /// How many seconds of fixes a power cut takes at most while fixes come.
  private static let syncInterval = 10.0

  /// Opens the journal, and makes it where there is none.
  ///
  /// - Parameter limit: How many bytes the database may have.
  /// - Throws: `JournalError`; a file that is no journal, or one that is damaged, stays as it is.
  init(path: String, limit: Int) throws(JournalError) {
    self.path = path
    let exists = try JournalHeader.check(path)
    lock = try JournalLock(path: path)
    if !exists { try JournalHeader.makeFile(path) }
    identity = JournalHeader.identity(of: path)
    connection = try naming(path) { () throws(SQLiteError) in
      let connection = try Connection(path: path)
      connection.setBusyTimeout(milliseconds: 2000)
      return connection
    }
    try Self.prepare(connection, path: path)
    (bound, transaction, insertion, newest, fences) = try naming(path) { [connection] () throws(SQLiteError) in
      // A commit is in the system's cache then, and survives the end of the process, not a power cut.
      try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1024")
      let bound = try JournalBound(connection, limit: limit)
      let newest = try connection.integer(JournalSchema.newestSequence) ?? 0
      // The limit may have been a higher one before.
      _ = try bound.enforce(newest: newest, steps: .max)
      return (
        bound, try Transaction(connection), try Insertion(connection), newest,
        try FenceTable.states(connection)
      )
    }
  }

  /// Makes the tables, or checks that they are a journal's.
  private static func prepare(_ connection: Connection, path: String) throws(JournalError) {
    if try JournalSchema.isMissing(connection, path: path) {
      return try naming(path) { () throws(SQLiteError) in
        try connection.execute(JournalSchema.beforeTables)
        try Transaction(connection).run { () throws(SQLiteError) in try connection.execute(JournalSchema.tables) }
      }
    }
    try JournalSchema.check(connection, path: path)
  }

  /// Writes everything in one transaction.
  func commit(_ operations: [JournalOperation]) throws(SQLiteError) {
    guard JournalHeader.identity(of: path) == identity else {
      throw SQLiteError(code: SQLiteError.moved, text: "")
    }
    let now = monotonicSeconds()
    let syncs = now - lastSync >= Self.syncInterval
    if syncs { try connection.execute("PRAGMA synchronous = FULL") }
    defer { if syncs { try? connection.execute("PRAGMA synchronous = NORMAL") } }
    let before = newest
    newest = try transaction.run { () throws(SQLiteError) in
      var sequence = newest
      for operation in operations { try insertion.run(operation, after: &sequence) }
      return sequence
    }
    uncheckedRows += newest - before
    if syncs { lastSync = now }
  }

  /// Takes the oldest rows when the file is at its limit.
  ///
  /// - Returns: For each reader that had not taken some of them, their number.
  func enforceLimit() throws(SQLiteError) -> [String: Int] {
    // A page holds some tens of rows, so a live fix need not look each time.
    guard uncheckedRows >= 64 else { return [:] }
    uncheckedRows = 0
    return try bound.enforce(newest: newest)
  }

  /// Brings the write-ahead log into the database, which SQLite does only for the last connection that closes.
  func checkpoint() {
    connection.setBusyTimeout(milliseconds: 200)
    try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Bytes of the database file.
  var size: Int { bound.size }
}
