import Testing

@testable import rxlocationd

@Suite struct TOMLDocumentTests {
  private func entries(_ text: String) throws -> [TOMLDocument.Entry] {
    try #require(TOMLDocument(parsing: text).tables.first).entries
  }

  @Test func readsEveryTypeOfValue() throws {
    let text = """
      # settings
      text = "a \\"b\\" \\u00e9\\n"   # behind a value
      literal = 'C:\\path'
      whole = -1_000
      hex-like = 12
      real = 2.5e1
      yes = true
      "quoted key" = false
      many = ["a", 'b', 3, ]
      none = []
      """
    #expect(
      try entries(text).map(\.value) == [
        .string("a \"b\" é\n"), .string("C:\\path"), .integer(-1000), .integer(12), .float(25), .boolean(true),
        .boolean(false), .array([.string("a"), .string("b"), .integer(3)]), .array([]),
      ])
    #expect(try entries(text).map(\.line) == Array(2...10))
  }

  @Test func readsTablesAndArraysOfTables() throws {
    let document = try TOMLDocument(parsing: "a = 1\r\n[one]\nb = 2\n[[many]]\nc = 3\n [[ many ]] # again\nc = 4\n")
    #expect(document.tables.map(\.name) == ["", "one", "many", "many"])
    #expect(document.tables.map(\.isArrayElement) == [false, false, true, true])
    #expect(
      document.tables.map { $0.entries.map(\.value) } == [[.integer(1)], [.integer(2)], [.integer(3)], [.integer(4)]])
  }

  @Test(arguments: [
    ("a", "expected '=' after 'a'"),
    ("a =", "'a' has no value"),
    ("a = b", "'a': 'b' is no number, true or false; a text stands in quotes"),
    ("a = 1 2", "'2' is not expected here; each key has a line of its own"),
    ("a = \"x", "a text is not closed by \""),
    ("a = \"\\q\"", "'\\q' is no escape; write '\\\\' for a backslash"),
    ("a = [1", "'a': expected ',' or ']'"),
    ("a = [1,", "'a': expected ']' in the same line"),
    ("a = [1 2]", "'a': expected ',' or ']'"),
    ("a = nan", "'a': 'nan' is no number, true or false; a text stands in quotes"),
    ("= 1", "expected a key, found '= 1'"),
    ("[a", "expected ']' after 'a'"),
    ("[[a]", "expected ']]' after 'a'"),
    ("a.b = 1", "expected '=' after 'a'"),
  ])
  func refusesWithTheLineAndWhatWasExpected(text: String, message: String) {
    #expect(throws: TOMLError(line: 2, message)) { try TOMLDocument(parsing: "# first\n" + text) }
  }

  @Test func refusesTwoOfAKind() {
    #expect(throws: TOMLError(line: 3, "key 'a' is given twice; the first is in line 1")) {
      try TOMLDocument(parsing: "a = 1\nb = 2\na = 3")
    }
    #expect(throws: TOMLError(line: 2, "table 't' is defined twice; the first is in line 1")) {
      try TOMLDocument(parsing: "[t]\n[t]")
    }
  }
}
