import Foundation
import Rx
import RxTestSupport
import Testing

/// The page "Coming from RxSwift": the names that it says are here are, and those that it says are absent are not.
@Suite(.inTurn) struct ComingFromRxSwiftTests {
  private let page: String

  init() throws {
    page = try String(contentsOf: Checkout.file("Sources/Reactive/Rx/Rx.docc/ComingFromRxSwift.md"), encoding: .utf8)
  }

  /// The areas of the page with their names.
  private func same() throws -> [(area: String, names: [String])] {
    try section("### The same", until: "### What is different").components(separatedBy: "\n- ").dropFirst().map {
      item in
      (String(item.prefix { $0 != ":" }), quoted(item))
    }
  }

  /// The rows of the table under `heading`, with the names of their second column.
  private func rows(under heading: String, until end: String?) throws -> [(area: String, names: [String])] {
    try section(heading, until: end).split(separator: "\n").filter { $0.hasPrefix("| Rx") }.map { row in
      let cells = row.split(separator: "|")
      return (cells[0].trimmingCharacters(in: .whitespaces), quoted(cells[1]))
    }
  }

  private func different() throws -> [(area: String, names: [String])] {
    try rows(under: "### What is different", until: "### When a subscription")
  }

  private func absent() throws -> [(area: String, names: [String])] {
    try rows(under: "### What is absent", until: nil)
  }

  @Test func theNamesThatAreTheSameOrDifferentAreDeclared() throws {
    let (names, declared) = (try (same() + different()).flatMap(\.names), try DeclaredNames.here.get())
    #expect(names.count > 270)
    #expect(names.filter { !declared.contains($0) } == [])
  }

  @Test func theNamesThatAreAbsentAreNotDeclared() throws {
    let (names, declared) = (try absent().flatMap(\.names), try DeclaredNames.here.get())
    #expect(names.count >= 16)
    // `observe(on:)` and a test's `responds` are others.
    #expect(names.filter { $0 != "observe" && declared.contains($0) } == [])
  }

  @Test func theTableCounts() throws {
    let lists = try [same(), different(), absent()]
    let counts = try section("| area | names |", until: "### The same").split(separator: "\n")
      .filter { $0.hasPrefix("| Rx") }
      .map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    #expect(counts.count == 11)
    for row in counts {
      let expected = lists.map { list in list.filter { $0.area == row[0] }.map(\.names.count).reduce(0, +) }
      #expect(row.dropFirst().compactMap { Int($0) } == [expected.reduce(0, +)] + expected, "\(row[0])")
    }
    for area in lists.flatMap({ $0 }).map(\.area) { #expect(counts.contains { $0[0] == area }, "\(area)") }
  }

  @Test func eachNameIsOneOfTheThree() throws {
    var places: [String: Int] = [:]
    for entry in try same() + different() + absent() {
      // `element` is a member of an event and an operator, in areas of their own.
      for name in entry.names { places["\(entry.area): \(name)", default: 0] += 1 }
    }
    #expect(places.filter { $0.value > 1 }.keys.sorted() == [])
  }

  private func section(_ heading: String, until end: String?) throws -> Substring {
    let start = try #require(page.range(of: heading)).upperBound
    let stop = try end.map { try #require(page[start...].range(of: $0)).lowerBound } ?? page.endIndex
    return page[start..<stop]
  }

  /// What stands in backticks.
  private func quoted(_ text: some StringProtocol) -> [String] {
    text.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
  }
}
