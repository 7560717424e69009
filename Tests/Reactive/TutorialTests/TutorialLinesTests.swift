import Foundation
import TestSupport
import Testing

/// The page "The tutorials" and the tests name lines of the tutorials; these are the lines that they say.
@Suite(.inTurn) struct TutorialLinesTests {
  /// Lines of a tutorial, and the tests that have them; none of what RxCocoa's own source is quoted for.
  private struct Row {
    let tutorial: Int
    let lines: ClosedRange<Int>
    let tests: [String]
  }

  private let rows: [Row]

  init() throws {
    let page = Checkout.file("Sources/Reactive/RxBinding/RxBinding.docc/TheTutorials.md")
    rows = try String(contentsOf: page, encoding: .utf8).matches(of: /(?m)^\| (\d), (\d+)–(\d+) \|(.*)$/).compactMap {
      guard let tutorial = Int($0.1), let first = Int($0.2), let last = Int($0.3) else { return nil }
      let tests = $0.4.matches(of: /`(\w+Tests)`/).map { String($0.1) }
      return Row(tutorial: tutorial, lines: first...last, tests: tests)
    }
  }

  @Test func everyRowNamesTestsThatNameItsLines() throws {
    #expect(rows.count > 25)
    for row in rows {
      for test in row.tests {
        let ranges = try ranges(in: test)
        #expect(
          ranges.contains { $0.tutorial == row.tutorial && $0.lines.overlaps(row.lines) },
          "\(test) names no line of \(row.tutorial), \(row.lines)")
      }
    }
  }

  @Test func theLinesThatATestNamesAreInARowOfThePage() throws {
    for test in Set(rows.flatMap(\.tests)) {
      let named = rows.filter { $0.tests.contains(test) }
      for range in try ranges(in: test) {
        #expect(
          named.contains { $0.tutorial == range.tutorial && $0.lines.overlaps(range.lines) },
          "\(test), \(range.lines)")
      }
    }
  }

  /// Every line of code of the five is in a row.
  @Test(.enabled(if: Self.haveTutorials, "the tutorials are not there")) func everyBlockOfTheTutorialsIsOnThePage()
    throws
  {
    for (index, name) in try Self.tutorials().enumerated() {
      let lines = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
      let own = rows.filter { $0.tutorial == index + 1 }
      for (offset, line) in lines.enumerated() where Self.isCode(line) {
        #expect(own.contains { $0.lines.contains(offset + 1) }, "tutorial \(index + 1), line \(offset + 1): \(line)")
      }
      for row in own {
        #expect(row.lines.upperBound <= lines.count)
        guard row.lines.upperBound <= lines.count else { continue }
        for end in [row.lines.lowerBound, row.lines.upperBound] {
          #expect(lines[end - 1].contains { !$0.isWhitespace }, "tutorial \(index + 1), line \(end) is empty")
        }
      }
    }
  }

  // MARK: Reading

  private static let folder = Checkout.shared.appending(path: "seeds")

  private static func tutorials() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".txt") }.sorted()
  }

  private static var haveTutorials: Bool {
    (try? tutorials().count) == 5
  }

  /// The lines that a test's comments name.
  private func ranges(in test: String) throws -> [(tutorial: Int, lines: ClosedRange<Int>)] {
    let source = try String(
      contentsOf: Checkout.file("Tests/Reactive/TutorialTests/\(test).swift"), encoding: .utf8)
    let ordinals = ["first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5]
    var tutorial: Int?
    return source.matches(of: /(?:(first|second|third|fourth|fifth)[^.:]{0,20}?, )?[Ll]ines (\d+) to (\d+)/)
      .compactMap { match in
        guard let first = Int(match.2), let last = Int(match.3), first <= last else { return nil }
        // Without a name they are the same tutorial's as before.
        tutorial = match.1.flatMap { ordinals[String($0)] } ?? tutorial
        return tutorial.map { ($0, first...last) }
      }
  }

  /// Whether a line is code: without comments and texts it has no Korean word, and it begins or ends as Swift does.
  private static func isCode(_ line: Substring) -> Bool {
    let code = line.replacing(/"[^"]*"/, with: "").replacing(/\/\/.*/, with: "")
      .trimmingCharacters(in: .whitespaces)
    guard !code.isEmpty, !code.hasPrefix("```") else { return false }
    if code.unicodeScalars.contains(where: {
      (0xAC00...0xD7A3).contains($0.value) || (0x3131...0x318E).contains($0.value)
    }) {
      return false
    }
    return code.hasSuffix("{") || code.wholeMatch(of: /[.})@].*/) != nil || code.prefixMatch(of: /\w+\.\w+[.(]/) != nil
      || code.prefixMatch(of: /(func|let|var|class|struct|extension|return|enum|case|public|self|switch|static|weak)\b/)
        != nil
  }
}
