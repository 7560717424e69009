/// The keys of a TOML document with the lines they stand in: the top level, `[table]` and `[[array of tables]]`.
///
/// This is the part of TOML 1.0 that a flat configuration needs. Dates, dotted keys, inline tables and
/// multi-line strings are refused with the line they stand in. The packages that read all of TOML bring in
/// full Foundation, which would triple the daemon.
struct TOMLDocument: Equatable {
  /// One key with its value.
  struct Entry: Equatable {
    var key: String
    var value: TOMLValue
    var line: Int
  }

  /// The entries under one header; the first table is the top level and has no name.
  struct Table: Equatable {
    var name: String
    /// Whether the header was `[[name]]`.
    var isArrayElement: Bool
    var line: Int
    var entries: [Entry] = []
  }

  /// In the order of the file.
  var tables = [Table(name: "", isArrayElement: false, line: 1)]

  /// Reads a document.
  ///
  /// - Throws: `TOMLError` for the first thing that is not understood.
  init(parsing text: String) throws(TOMLError) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      var scanner = TOMLScanner(Substring(line), line: index + 1)
      scanner.skipBlanks()
      if scanner.isAtEndOrComment { continue }
      if scanner.peek == "[" {
        try append(scanner.header())
      } else {
        try append(scanner.entry())
      }
      try scanner.expectEnd()
    }
  }

  private mutating func append(_ table: Table) throws(TOMLError) {
    if let earlier = tables.first(where: { $0.name == table.name && !($0.isArrayElement && table.isArrayElement) }) {
      throw TOMLError(line: table.line, "table '\(table.name)' is defined twice; the first is in line \(earlier.line)")
    }
    tables.append(table)
  }

  private mutating func append(_ entry: Entry) throws(TOMLError) {
    if let earlier = tables[tables.count - 1].entries.first(where: { $0.key == entry.key }) {
      throw TOMLError(line: entry.line, "key '\(entry.key)' is given twice; the first is in line \(earlier.line)")
    }
    tables[tables.count - 1].entries.append(entry)
  }
}

/// Where a TOML document is wrong, and what was expected.
struct TOMLError: Error, Equatable {
  var line: Int
  var message: String

  init(line: Int, _ message: String) {
    self.line = line
    self.message = message
  }
}
