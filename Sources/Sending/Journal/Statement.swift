import CSQLite

/// A prepared statement: `sqlite3_stmt *`. Parameters count from 1, columns from 0, as in SQLite.
final class Statement {
  private let handle: OpaquePointer
  private let connection: Connection

  init(_ handle: OpaquePointer, of connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(handle)
  }

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

  func text(_ column: Int) -> String? {
    sqlite3_column_text(handle, Int32(column)).map { String(cString: $0) }
  }
}
