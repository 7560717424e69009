/// Why a journal cannot be opened, read or written: a reason, and a sentence for a person.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public enum Reason: Sendable, Hashable {
    /// The path cannot be used: its folder is missing, or it is not a regular file, or access is refused.
    case cannotOpen
    /// The file is something else than an SQLite database.
    case notADatabase
    /// The file is a database of another program.
    case foreign
    /// A newer version of this library made it.
    case newerVersion
    /// The file or its folder can be read, not written.
    case readOnly
    /// The file is damaged: its end is missing, or SQLite calls it malformed.
    case damaged
    /// Another process writes this journal.
    case locked
    /// Reading or writing failed; it may work later, when the disk has room again for one.
    case inputOutput
    /// The database's server cannot be reached; it may come back.
    case unavailable
  }

  /// What is wrong.
  public var reason: Reason
  /// The journal's path.
  public var path: String
  /// One sentence that names the path and the way out.
  public var message: String

  /// Creates an error; `detail` is what stands behind the path.
  public init(_ reason: Reason, path: String, _ detail: String) {
    self.reason = reason
    self.path = path
    message = "journal \(path.isEmpty ? "''" : path) \(detail)"
  }

  /// The message.
  public var description: String { message }
}
