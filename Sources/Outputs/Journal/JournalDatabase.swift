import CSQLite
import Records

/// What a journal is for.
enum JournalKind {
  /// It keeps what one receiver says.
  case receiver
  /// It keeps what many devices say.
  case devices
  /// It holds what its readers have not taken, and ends with the process.
  case queue
}

/// A journal's database as its writer has it open: the connection and the statements that write.
final class JournalDatabase {
  let connection: Connection
  let bound: JournalBound
  /// The newest sequence number when it was opened.
  let newest: Int64
  /// Tables and views that were missing and have been made again.
  let mended: [String]
  private let transaction: Transaction
  private let insertion: Insertion

  /// Opens the database of a journal, and makes its tables where there are none.
  ///
  /// - Throws: `JournalError`; what is no journal stays as it is.
  init(path: String, limit: Int, kind: JournalKind) throws(JournalError) {
    connection = try naming(path) { () throws(SQLiteError) in
      let connection = try Connection(path: path)
      connection.setBusyTimeout(milliseconds: 2000)
      return connection
    }
    mended = try Self.prepare(connection, path: path, kind: kind)
    let newest = try naming(path) { [connection] () throws(SQLiteError) in
      try connection.integer(JournalSchema.newestSequence) ?? 0
    }
    try JournalSchema.checkNewest(newest, path: path)
    self.newest = newest
    (bound, transaction, insertion) = try naming(path) { [connection] () throws(SQLiteError) in
      // Rows of many devices are found by device and time, all over an index.
      let cache = kind == .devices ? 4096 : 1024
      try connection.execute("\(JournalSchema.safety(of: kind)); PRAGMA cache_size = -\(cache)")
      if kind == .devices {
        try Transaction(connection).run { () throws(SQLiteError) in try DeviceTables.make(connection) }
      }
      let bound = try JournalBound(connection, limit: limit)
      // The limit may have been a higher one before.
      _ = try bound.enforce(newest: newest, steps: .max)
      return (bound, try Transaction(connection), try Insertion(connection, isForDevices: kind == .devices))
    }
    connection.watchLog()
    // What is in the database does not depend on its log: the tables first of all.
    try naming(path) { [connection] () throws(SQLiteError) in
      _ = try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }
  }

  /// Makes the tables, or checks that they are a journal's, makes those again that are missing and adds the columns that are
  /// new. Returns the tables that it has made again.
  private static func prepare(
    _ connection: Connection, path: String, kind: JournalKind
  ) throws(JournalError) -> [String] {
    let isNew = try JournalSchema.isMissing(connection, path: path)
    if isNew {
      try naming(path) { () throws(SQLiteError) in try connection.execute(JournalSchema.beforeTables(of: kind)) }
    } else {
      try JournalSchema.check(connection, path: path)
    }
    return try naming(path) { () throws(SQLiteError) in
      let lost = try JournalSchema.missingParts(connection)
      // First the columns that an older program did not make, because the view names them.
      let additions = try JournalSchema.additions(connection)
      if !additions.isEmpty {
        try Transaction(connection).run { () throws(SQLiteError) in
          for statement in additions { try connection.execute(statement) }
        }
      }
      let missing = try JournalSchema.missingParts(connection)
      if !missing.isEmpty {
        try Transaction(connection).run { () throws(SQLiteError) in try connection.execute(JournalSchema.tables) }
      }
      return isNew ? [] : lost
    }
  }

  /// Writes all batches in one transaction. The rows of a batch have the numbers after its own.
  ///
  /// - Parameter first: Rows after this number are deleted before; `nil` when there are none.
  /// - Returns: The last sequence number.
  func write(_ batches: [JournalBatch], inPlaceOfRowsAfter first: Int64? = nil) throws(SQLiteError) -> Int64 {
    insertion.untimed = 0
    return try transaction.run { () throws(SQLiteError) in
      if let first {
        try connection.execute("DELETE FROM locations WHERE sequence > \(first)")
        try connection.execute("DELETE FROM events WHERE sequence > \(first)")
      }
      var sequence: Int64 = 0
      for batch in batches {
        sequence = batch.after
        for operation in batch.operations { try insertion.run(operation, after: &sequence) }
      }
      return sequence
    }
  }

  /// How many records the last transaction wrote without a time, because they have none that can be kept.
  var untimed: Int { insertion.untimed }

  /// The least size that the log can have now.
  var leastLogSize: Int64 { bound.logSize(frames: connection.logFrames) }
}

/// What is written in one transaction.
struct JournalBatch {
  /// The newest sequence number before it.
  var after: Int64
  var operations: [JournalOperation]
}
