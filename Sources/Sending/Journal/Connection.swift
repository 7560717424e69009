import CSQLite
import Glibc
import Platform
import Synchronization

/// An open SQLite database: `sqlite3 *`. Used by one thread at a time.
final class Connection {
  private let handle: OpaquePointer
  private let path: String
  private let identity: FileIdentity?

  /// The number of this process's connections to each file, and whether they leave the log as it is when they close.
  private static let open = Mutex<[FileIdentity: (count: Int, leavesLog: Bool)]>([:])

  enum Access {
    case readWrite, readOnly
    /// The file cannot change and has no write-ahead log, as on read-only media. SQLite takes no locks.
    case immutable
  }

  /// How many frames the write-ahead log had after the last commit. Set after `watchLog`.
  private(set) var logFrames: Int64 = 0

  /// Runs `body` unless this process has a connection to a file. Nothing else runs meanwhile that opens one.
  static func unlessOpen(_ identity: FileIdentity?, _ body: () -> Void) {
    open.withLock { open in if identity.map({ open[$0] == nil }) ?? true { body() } }
  }

  private static func count(_ change: Int, _ identity: FileIdentity?) {
    guard let identity else { return }
    open.withLock { open in
      open[identity, default: (0, false)].count += change
      if open[identity]?.count == 0 { open[identity] = nil }
    }
  }

  init(path: String, _ access: Access = .readWrite) throws(JournalError) {
    let identity = FileIdentity(path: path)
    Self.count(1, identity)
    var handle: OpaquePointer?
    let escapedPath = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    let name = access == .immutable ? "file:\(escapedPath)?immutable=1" : path
    let flags =
      switch access {
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    // Only one thread uses a connection, so SQLite needs no mutex.
    let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle, code == SQLITE_OK else {
      let text = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
      sqlite3_close_v2(handle)
      Self.count(-1, identity)
      throw JournalError(code, text, path: path)
    }
    (self.handle, self.path, self.identity) = (handle, path, identity)
    sqlite3_extended_result_codes(handle, 1)
  }

  deinit {
    let leavesLog = Self.open.withLock { open in identity.flatMap { open[$0] }?.leavesLog }
    if leavesLog == true { _ = csqlite_leave_log_on_close(handle) }
    // The last statement has gone, since each keeps its connection.
    sqlite3_close_v2(handle)
    Self.count(-1, identity)
  }

  /// Counts the frames of the write-ahead log from now on. This turns off SQLite's automatic checkpoints.
  func watchLog() {
    let count: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
      connection, _, _, frames in
      if let connection { Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().logFrames = Int64(frames) }
      return SQLITE_OK
    }
    sqlite3_wal_hook(handle, count, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Writes the log back into the database as far as other connections allow. Returns whether the log is then empty.
  func checkpoint(_ mode: Int32) throws(JournalError) -> Bool {
    var (frames, written): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &written)
    guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw error(code) }
    let isDone = code == SQLITE_OK && frames == written
    if isDone, mode == SQLITE_CHECKPOINT_TRUNCATE { logFrames = 0 }
    return isDone
  }

  /// Keeps the log as it is when this process's connections to the file close.
  func leaveLogOnClose() { Self.open.withLock { open in if let identity { open[identity]?.leavesLog = true } } }

  /// The size in bytes of the open log, even if its name now refers to another file.
  var logSize: Int64 {
    var file: UnsafeMutablePointer<sqlite3_file>?
    var size: sqlite3_int64 = 0
    guard sqlite3_file_control(handle, nil, SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK, let file,
      let measure = file.pointee.pMethods?.pointee.xFileSize, measure(file, &size) == SQLITE_OK
    else { return 0 }
    return size
  }

  func execute(_ sql: String) throws(JournalError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  func deleteRows(_ numbers: ClosedRange<Int64>) throws(JournalError) {
    for table in ["locations", "events"] {
      let delete = try prepare("DELETE FROM \(table) WHERE sequence BETWEEN ? AND ?")
      delete.bind(all: numbers.lowerBound, numbers.upperBound)
      try delete.run()
    }
  }

  func prepare(_ sql: String) throws(JournalError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard let statement, code == SQLITE_OK else { throw error(code) }
    return Statement(statement, of: self)
  }

  /// The first column of the first row; `nil` without a row or for NULL. `text` is its parameter.
  func integer(_ sql: String, _ text: String? = nil) throws(JournalError) -> Int64? {
    let statement = try prepare(sql)
    if let text { statement.bind(text, at: 1) }
    return try statement.first { $0.integer(0) }
  }

  func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Runs `body` in a write transaction, which is rolled back if it throws, or in the open transaction of a trial.
  func transaction<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
    if isInTransaction { return try body() }
    try execute("BEGIN IMMEDIATE")
    do throws(JournalError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // Some failures end the transaction by themselves.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  private var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  func error(_ code: Int32) -> JournalError {
    var text = String(cString: sqlite3_errmsg(handle))
    let system = sqlite3_system_errno(handle)
    if code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN, system != 0 {
      text += " (\(String(cString: strerror(system))))"
    }
    return JournalError(code, text, path: path)
  }
}

/// A prepared statement: `sqlite3_stmt *`. Parameters count from 1, columns from 0, as in SQLite.
final class Statement {
  private let handle: OpaquePointer
  private let connection: Connection

  init(_ handle: OpaquePointer, of connection: Connection) { (self.handle, self.connection) = (handle, connection) }

  deinit { sqlite3_finalize(handle) }

  func bind(_ value: Int64?, at index: Int) {
    if let value { sqlite3_bind_int64(handle, Int32(index), value) } else { sqlite3_bind_null(handle, Int32(index)) }
  }

  func bind(_ value: Double?, at index: Int) {
    // SQLite stores NaN as NULL.
    if let value { sqlite3_bind_double(handle, Int32(index), value) } else { sqlite3_bind_null(handle, Int32(index)) }
  }

  func bind(_ value: String?, at index: Int) {
    guard var value else {
      sqlite3_bind_null(handle, Int32(index))
      return
    }
    _ = value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(handle, Int32(index), $0.baseAddress, Int32(clamping: $0.count), csqlite_transient())
      }
    }
  }

  func step() throws(JournalError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    case let code:
      let error = connection.error(code)
      sqlite3_reset(handle)
      throw error
    }
  }

  func run() throws(JournalError) {
    while try step() {}
  }

  /// Returns `value` of the first row and ignores the others.
  func first<Value>(_ value: (Statement) -> Value?) throws(JournalError) -> Value? {
    defer { reset() }
    return try step() ? value(self) : nil
  }

  /// Returns the values of all rows that have one.
  func all<Value>(_ value: (Statement) -> Value?) throws(JournalError) -> [Value] {
    var values: [Value] = []
    while try step() {
      if let value = value(self) { values.append(value) }
    }
    return values
  }

  /// Ends a read early; an unfinished statement would keep the log from shrinking.
  func reset() { sqlite3_reset(handle) }

  func bind(all values: Int64...) {
    for (index, value) in values.enumerated() { bind(value, at: index + 1) }
  }

  // Other programs may have stored a text where a number belongs, which SQLite would return as 0.
  func integer(_ column: Int) -> Int64? {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_INTEGER ? sqlite3_column_int64(handle, Int32(column)) : nil
  }

  func double(_ column: Int) -> Double? {
    let type = sqlite3_column_type(handle, Int32(column))
    return [SQLITE_FLOAT, SQLITE_INTEGER].contains(type) ? sqlite3_column_double(handle, Int32(column)) : nil
  }

  func text(_ column: Int) -> String? { sqlite3_column_text(handle, Int32(column)).map { String(cString: $0) } }
}
