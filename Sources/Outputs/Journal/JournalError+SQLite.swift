import CSQLite
import Glibc

extension JournalError {
  /// Creates an error from SQLite's error for the journal at `path`.
  init(_ error: SQLiteError, path: String) {
    if error.code == SQLiteError.moved {
      self.init(
        .inputOutput, path: path, "was removed or replaced while it was open; put it back, or start the program again")
      return
    }
    if [SQLITE_IOERR, SQLITE_FULL].contains(error.primaryCode), Self.hasReachedSizeLimit(path) {
      self.init(
        .inputOutput, path: path,
        "has reached the size that a file may have here; raise the limit (ulimit -f, LimitFSIZE=) or name another disk")
      return
    }
    switch error.primaryCode {
    case SQLITE_ERROR:
      self.init(
        .damaged, path: path,
        "has other tables than a journal and stays as it is: \(error.text); move it away, or name another file")
    case SQLITE_NOTADB:
      self.init(.notADatabase, path: path, Self.isNoDatabase)
    case SQLITE_CORRUPT:
      self.init(.damaged, path: path, Self.isDamaged(error.text))
    case SQLITE_READONLY:
      self.init(.readOnly, path: path, "can only be read; change the permissions of the file and of its folder")
    case SQLITE_CANTOPEN:
      self.init(.cannotOpen, path: path, "cannot be opened: \(error.text); check the file and its folder")
    case SQLITE_BUSY, SQLITE_LOCKED:
      let holder = LockHolder.ofTransaction(in: path)?.description ?? "another program"
      self.init(.locked, path: path, "is locked by \(holder); end that, or name another file")
    case SQLITE_FULL:
      self.init(.inputOutput, path: path, "cannot be written: no space is left on its disk")
    default:
      self.init(.inputOutput, path: path, "cannot be read or written: \(error.text)")
    }
  }

  /// Whether one of the journal's files has reached the size limit of this process. SQLite does not pass on the
  /// system's EFBIG.
  private static func hasReachedSizeLimit(_ path: String) -> Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt64(Int64.max) else {
      return false
    }
    return ["", "-wal", "-shm"].contains { JournalHeader.size(of: path + $0) + 8192 > Int64(limit.rlim_cur) }
  }

  static let isNoDatabase = "is not an SQLite database and stays as it is; move it away, or name another file"

  static func isDamaged(_ detail: String) -> String {
    "is damaged and stays as it is: \(detail); move it away, and save what is left with sqlite3's .recover"
  }
}

/// Calls SQLite and converts its error for the journal at `path`.
func naming<Result>(
  _ path: String, _ body: () throws(SQLiteError) -> Result
) throws(JournalError) -> Result {
  do throws(SQLiteError) {
    return try body()
  } catch {
    throw JournalError(error, path: path)
  }
}
