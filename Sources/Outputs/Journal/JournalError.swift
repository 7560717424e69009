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
