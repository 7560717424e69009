import ArgumentParser

/// The limits of a journal.
struct JournalBoundOptions: ParsableArguments {
  @Option(
    "journal-limit", "size",
    "How large the journal's file may become, with K, M or G: then the oldest rows go. (default: 512M)",
    Bounds.journalLimit)
  var givenLimit: Int?
  var limit: Int { givenLimit ?? 512 << 20 }

  @Option(
    "journal-keep", "days", "How many days a database keeps at least; months that are older go. (default: all)",
    Bounds.journalDays)
  var days: Int?

  /// Checks combinations of options.
  ///
  /// - Parameter isPublishing: Whether records are stored for a broker or a server in any case; `nil` for a command
  ///   without publishing.
  func check(_ place: JournalPlace?, isPublishing: Bool? = nil) throws(SettingError) {
    if case .database = place {
      if givenLimit != nil && isPublishing != true {
        throw SettingError("journal-limit is the size of a file; a database goes by journal-keep, which is in days")
      }
      return
    }
    try SettingError.refuse(
      ["journal-keep": days != nil], for: "a database", without: "journal postgresql://USER@HOST/DATABASE")
    if place == nil {
      try SettingError.refuse(
        ["journal-limit": givenLimit != nil && isPublishing != true], for: "a journal",
        without: isPublishing == nil ? "journal" : "journal or publish")
    }
  }
}

extension Bounds {
  /// The number of days for which rows are kept.
  static func journalDays(_ text: String) throws(SettingError) -> Int {
    guard let days = Int(text), (1...36_500).contains(days) else {
      throw SettingError("'\(text)' is no number of days; expected 1 to 36500")
    }
    return days
  }
}
