import ArgumentParser
import Journal

enum JournalPlace: Sendable, Hashable, CustomStringConvertible {
  /// An SQLite file.
  case file(String)
  /// A PostgreSQL database, by its URL without a password.
  case database(String)

  init(parsing text: String) throws(SettingError) {
    guard PostgreSQLJournal.isAddress(text) else {
      guard text != "-" else { throw SettingError("'-' is not a file or a database; name one") }
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
        "a password in a URL is visible to every user of this host; leave it out, and name its file with journal-password-file"
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

  var path: String? { if case .file(let path) = self { path } else { nil } }
}

struct JournalBoundOptions: ParsableArguments {
  @Option(
    "journal-limit", "size",
    "The greatest size of the journal's file, with K, M or G; then the oldest rows are removed. (default: 512M)",
    Bounds.journalLimit)
  private var givenLimit: Int?
  var limit: Int { givenLimit ?? 512 << 20 }

  @Option(
    "journal-keep", "days", "How many days a database keeps at least; older months are removed. (default: all)",
    Bounds.journalDays)
  var days: Int?

  /// `isPublishing` says whether records are stored for a broker or a server in any case.
  func check(_ place: JournalPlace?, isPublishing: Bool = false) throws(SettingError) {
    if case .database = place, givenLimit != nil, !isPublishing {
      throw SettingError("journal-limit is the size of a file; the limit of a database is journal-keep, in days")
    }
  }
}

struct DatabasePassword {
  static let help =
    "The file whose first line is the database's password. (default: systemd's credential journal-password, or ~/.pgpass)"

  private var file: String?

  init() {}

  init(parsing path: String) throws(SettingError) { file = try Bounds.path(path) }

  /// The journal in a database, not connected yet.
  func journal(at url: String) throws(JournalError) -> PostgreSQLJournal {
    try PostgreSQLJournal(url, passwordFile: file ?? credential("journal-password"))
  }

  func history(at place: JournalPlace) throws(JournalError) -> any DeviceHistory {
    switch place {
    case .file(let path): try JournalReader(path: path)
    case .database(let url): try journal(at: url)
    }
  }
}
