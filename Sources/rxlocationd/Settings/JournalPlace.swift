import Journal

/// The place of a journal.
enum JournalPlace: Sendable, Hashable, CustomStringConvertible {
  /// An SQLite file.
  case file(String)
  /// A PostgreSQL database, by its URL without a password.
  case database(String)

  /// Parses a path or a URL.
  init(parsing text: String) throws(SettingError) {
    guard PostgreSQLJournal.isAddress(text) else {
      guard text != "-" else { throw SettingError("a journal is a file or a database, which '-' is not; name one") }
      self = .file(try Bounds.path(text))
      return
    }
    let hasPassword: Bool
    do throws(JournalError) {
      hasPassword = try PostgreSQLJournal.hasPassword(text)
    } catch {
      throw SettingError(error.message)
    }
    guard !hasPassword else {
      throw SettingError(
        "a password in a URL is seen by everybody on this host; leave it out, and name its file with journal-password-file"
      )
    }
    self = .database(text)
  }

  var description: String {
    switch self {
    case .file(let path): path
    case .database(let url): url
    }
  }

  /// The path of a file; `nil` for a database.
  var path: String? { if case .file(let path) = self { path } else { nil } }
}
