import CSQLite

/// An error of SQLite: a result code and its text.
struct SQLiteError: Error {
  let code: Int32
  let text: String

  /// SQLITE_READONLY_DBMOVED, which Swift does not import: the path no longer names the open file.
  static let moved = SQLITE_READONLY | 4 << 8

  /// The primary result code.
  var primaryCode: Int32 { code & 0xFF }
}
