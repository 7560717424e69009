import Foundation
import Rx
import RxTestSupport
import Testing
import TestSupport

/// The page "Coming from RxSwift": the names that it says are here are, those that it says are absent are not, and what it
/// says to write for these works.
@Suite struct ComingFromRxSwiftTests {
  private let page: String
  private let declared: Set<Substring>

  init() throws {
    page = try String(contentsOf: Checkout.file("Sources/Reactive/Rx/Rx.docc/ComingFromRxSwift.md"), encoding: .utf8)
    let folder = Checkout.file("Sources/Reactive")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    var declared: Set<Substring> = []
    for file in files ?? [] where file.pathExtension == "swift" {
      let words = try String(contentsOf: file, encoding: .utf8).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      for (kind, name) in zip(words, words.dropFirst()) where Self.kinds.contains(kind) { declared.insert(name) }
    }
    self.declared = declared
  }

  private static let kinds: Set<Substring> = [
    "func", "var", "let", "class", "struct", "enum", "protocol", "typealias", "case", "associatedtype",
  ]

  @Test func theNamesThatAreTheSameAreDeclared() throws {
    let names = try names(under: "### The same", until: "### What is different")
    #expect(names.count > 200)
    #expect(names.filter { !isDeclared($0) } == [])
  }

  @Test func theNamesThatAreAbsentAreNotDeclared() throws {
    let names = try names(under: "### What is absent", until: nil) { $0.split(separator: "|").first ?? "" }
    #expect(names.count >= 11)
    #expect(names.filter { !$0.contains(".") && isDeclared($0) } == [])
  }

  /// The counts of the table are those of the lists.
  @Test func theTableCounts() throws {
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| Rx") }.compactMap { row -> (String, [Int])? in
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return cells.count == 5 ? (cells[0], cells.dropFirst().compactMap { Int($0) }) : nil
    }
    #expect(rows.count == 11)
    for (area, counts) in rows {
      #expect(counts[0] == counts[1...].reduce(0, +), "\(area)")
      let list = try #require(page.range(of: "\n- \(area): "))
      let names = page[list.upperBound...].prefix { $0 != "." }.split(separator: ",").count
      #expect(names == counts[1], "\(area)")
    }
  }

  @Test func aRelayTakesThePlaceOfAnObservedProperty() {
    final class Thermometer: Sendable {
      let temperature = BehaviorRelay(value: 20)
    }
    let (thermometer, log) = (Thermometer(), Recorder<Int>())
    let subscription = thermometer.temperature.subscribe(onNext: { log.record($0) })
    thermometer.temperature.accept(21)
    #expect(log.values == [20, 21])
    subscription.dispose()
  }

  @Test func didSetTakesThePlaceOfAnObservedProperty() {
    final class Thermometer {
      let changes = PublishSubject<Int>()
      var temperature = 20 {
        didSet { changes.onNext(temperature) }
      }
    }
    let (thermometer, log) = (Thermometer(), Recorder<Int>())
    let subscription = thermometer.changes.startWith(thermometer.temperature).subscribe(onNext: { log.record($0) })
    thermometer.temperature = 21
    #expect(log.values == [20, 21])
    subscription.dispose()
  }

  private func names(
    under heading: String, until end: String?, in part: (Substring) -> Substring = { $0 }
  ) throws -> [String] {
    let start = try #require(page.range(of: heading)).upperBound
    let stop = try end.map { try #require(page.range(of: $0)).lowerBound } ?? page.endIndex
    return page[start..<stop].split(separator: "\n").flatMap { line in
      part(line).split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }
  }

  private func isDeclared(_ name: String) -> Bool {
    declared.contains(name[...])
  }
}
