import CSQLite
import Records

/// The purpose of a journal.
enum JournalKind {
  /// It stores the records of one receiver.
  case receiver
  /// It stores the records of many devices.
  case devices
  /// It holds rows until its readers have taken them, and is deleted at the end of the process.
  case queue
}

/// The writer's open database: the connection and the statements that write.
final class JournalDatabase {
  let connection: Connection
  let bound: JournalBound
  /// The newest sequence number at opening.
  let newest: Int64
  /// Tables and views that were missing and have been created again.
  let mended: [String]
  private let transaction: Transaction
  private let insertion: Insertion

  /// Opens the database of a journal and creates missing tables.
  ///
  /// - Throws: `JournalError`; a foreign file is not changed.
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
      // Rows of many devices are looked up by device and time, which touches pages all over an index.
      let cache = kind == .devices ? 4096 : 1024
      try connection.execute("\(JournalSchema.safety(of: kind)); PRAGMA cache_size = -\(cache)")
      if kind == .devices {
        try Transaction(connection).run { () throws(SQLiteError) in try DeviceTables.make(connection) }
      }
      let bound = try JournalBound(connection, limit: limit)
      // The limit may have been higher before.
      _ = try bound.enforce(newest: newest, steps: .max)
      return (bound, try Transaction(connection), try Insertion(connection, isForDevices: kind == .devices))
    }
    connection.watchLog()
    // Writing the log back puts the tables into the database itself, where they do not depend on the log.
    try naming(path) { [connection] () throws(SQLiteError) in
      _ = try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }
  }

  /// Creates the tables, or checks that they are a journal's, creates missing ones again and adds new columns. Returns
  /// the tables created again.
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
      // The columns that an older program did not create come first, because the view names them.
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

  /// Writes all batches in one transaction. The rows of a batch get the numbers after its `after`.
  ///
  /// - Parameter first: Rows after this number are deleted first; `nil` to delete none.
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

  /// The number of records that the last transaction wrote without a time, because theirs is missing or cannot be
  /// stored.
  var untimed: Int { insertion.untimed }

  /// The minimum size that the log can have now.
  var leastLogSize: Int64 { bound.logSize(frames: connection.logFrames) }
}

/// The operations of one transaction.
struct JournalBatch {
  /// The newest sequence number before it.
  var after: Int64
  var operations: [JournalOperation]
}
