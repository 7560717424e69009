import CSQLite

/// What SQLite answered when something failed: a result code and its text.
struct SQLiteError: Error {
  let code: Int32
  let text: String

  /// SQLITE_READONLY_DBMOVED, which Swift does not import: the file that is open is no longer the one of that name.
  static let moved = SQLITE_READONLY | 4 << 8

  /// The code without SQLite's finer distinctions.
  var primaryCode: Int32 { code & 0xFF }
}
