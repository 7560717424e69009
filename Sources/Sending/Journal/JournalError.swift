import CSQLite
import Glibc

/// The reason why a journal cannot be opened, read or written, with a message.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of problem.
  public enum Reason: Sendable, Hashable {
    /// The path cannot be used: its folder is missing, or it is not a regular file, or access is refused.
    case cannotOpen
    /// The file is not an SQLite database.
    case notADatabase
    /// The file is a database of another program.
    case foreign
    /// A newer version of this library made it.
    case newerVersion
    /// The file or its folder can be read but not written.
    case readOnly
    /// The file is damaged: its end is missing, or SQLite calls it malformed.
    case damaged
    /// Another process writes this journal.
    case locked
    /// Reading or writing failed. It may work later, for example when the disk has room again.
    case inputOutput
    /// Another program has removed or changed the open file or its log. It works again after a restart.
    case removed
    /// The database's server cannot be reached; it may come back.
    case unavailable
  }

  /// The kind of problem.
  public var reason: Reason
  /// The journal's path.
  public var path: String
  /// One sentence that names the path and the remedy.
  public var message: String

  /// Creates an error; `detail` is the text after the path.
  public init(_ reason: Reason, path: String, _ detail: String) {
    self.reason = reason
    self.path = path
    message = "journal \(path.isEmpty ? "''" : path) \(detail)"
  }

  /// The message.
  public var description: String { message }
}

extension JournalError {
  init(_ code: Int32, _ text: String, path: String) {
    let (reason, detail): (Reason, String) =
      switch code & 0xFF {
      // SQLITE_READONLY_DBMOVED, which Swift does not import.
      case SQLITE_READONLY where code == SQLITE_READONLY | 4 << 8: (.removed, Self.isRemoved)
      case let code where [SQLITE_IOERR, SQLITE_FULL].contains(code) && Self.hasReachedSizeLimit(path):
        (
          .inputOutput,
          "has reached the size that a file may have here; raise the limit (ulimit -f, LimitFSIZE=) or name another disk"
        )
      case SQLITE_ERROR:
        (.damaged, "has other tables than a journal and stays as it is: \(text); move it away, or name another file")
      case SQLITE_NOTADB: (.notADatabase, Self.isNoDatabase)
      case SQLITE_CORRUPT: (.damaged, Self.isDamaged(text))
      case SQLITE_READONLY: (.readOnly, "can only be read; change the permissions of the file and of its folder")
      case SQLITE_CANTOPEN: (.cannotOpen, "cannot be opened: \(text); check the file and its folder")
      case SQLITE_BUSY, SQLITE_LOCKED: (.locked, "is locked by another program; end that, or name another file")
      case SQLITE_FULL: (.inputOutput, "cannot be written: no space is left on its disk")
      default: (.inputOutput, "cannot be read or written: \(text)")
      }
    self.init(reason, path: path, detail)
  }

  /// Whether one of the journal's files has reached the size limit of this process. SQLite does not pass on the
  /// system's EFBIG.
  private static func hasReachedSizeLimit(_ path: String) -> Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt64(Int64.max) else {
      return false
    }
    return ["", "-wal", "-shm"].contains {
      JournalHeader.size(of: JournalHeader.companion($0, of: path)) + 8192 > Int64(limit.rlim_cur)
    }
  }

  static let isRemoved = "was removed or replaced while it was open; put it back, or start the program again"
  static let isNoDatabase = "is not an SQLite database and stays as it is; move it away, or name another file"

  static func isDamaged(_ detail: String) -> String {
    "is damaged and stays as it is: \(detail); move it away, and save what is left with sqlite3's .recover"
  }
}
