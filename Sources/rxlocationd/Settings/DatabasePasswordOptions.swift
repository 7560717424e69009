import ArgumentParser
import Journal

/// The password of a database.
struct DatabasePasswordOptions: ParsableArguments {
  @Option(
    "journal-password-file", "path",
    "The file whose first line is the database's password. (default: systemd's credential journal-password, or ~/.pgpass)",
    Bounds.path)
  var file: String?

  /// The journal in a database, not connected yet.
  func journal(at url: String) throws(JournalError) -> PostgreSQLJournal {
    try PostgreSQLJournal(url, passwordFile: file ?? PublishingOptions.credential("journal-password"))
  }

  /// The stored history of many devices.
  func history(at place: JournalPlace) throws(JournalError) -> any DeviceHistory {
    switch place {
    case .file(let path): try JournalReader(path: path)
    case .database(let url): try journal(at: url)
    }
  }

  /// Checks combinations of options.
  func check(_ place: JournalPlace?) throws(SettingError) {
    if case .database = place { return }
    try SettingError.refuse(
      ["journal-password-file": file != nil], for: "a database", without: "journal postgresql://USER@HOST/DATABASE")
  }
}
