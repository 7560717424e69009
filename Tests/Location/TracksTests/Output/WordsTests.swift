import Foundation
import LocationKit
import Testing

@testable import Tracks

/// Numbers, axes and times as a person reads them.
@Suite struct WordsTests {
  @Test(arguments: [
    (0.0, 0, "0"), (-0.04, 1, "0.0"), (0.05, 1, "0.1"), (-12.345, 2, "-12.35"), (999.95, 1, "1000.0"),
    (0.001, 3, "0.001"),
    (.nan, 1, "?"),
  ]) func decimals(_ value: Double, _ places: Int, _ text: String) { #expect(Words.decimal(value, places) == text) }

  @Test(arguments: [
    (0.0, "0 m"), (999.4, "999 m"), (999.6, "1.00 km"), (8545.5, "8.55 km"), (99_994, "99.99 km"), (99_996, "100.0 km"),
    (1_240_000, "1240 km"),
  ]) func distances(_ metres: Double, _ text: String) { #expect(Words.distance(metres) == text) }

  @Test(arguments: [
    (0.0, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (719, "11 min 59 s"), (3599.7, "1 h 00 min"),
    (7500, "2 h 05 min"),
    (172_799, "2 d 00 h"), (273_600, "3 d 04 h"), (-5, "0 s"),
  ]) func durations(_ seconds: Double, _ text: String) { #expect(Words.duration(seconds) == text) }

  @Test(arguments: [(0.0, 1.0), (1, 1), (1.01, 2), (2.5, 5), (7, 10), (0.03, 0.05), (130, 200), (1e-5, 1e-5)])
  func stepsAreAtLeast(_ value: Double, _ step: Double) {
    #expect((RoundStep.atLeast(value) / step - 1).magnitude < 1e-9)
  }

  @Test(arguments: [(1.0, 1.0), (1.9, 1), (4.9, 2), (5, 5), (99, 50), (0.3, 0.2)])
  func stepsAreAtMost(_ value: Double, _ step: Double) {
    #expect((RoundStep.atMost(value) / step - 1).magnitude < 1e-9)
  }

  @Test(arguments: [(0.5, 1.0), (16, 30), (61, 120), (4000, 7200), (50_000, 86_400), (100_000, 172_800)])
  func stepsOfTime(_ seconds: Double, _ step: Double) { #expect(RoundStep.ofTime(atLeast: seconds) == step) }

  @Test func multiplesHaveNoDriftAndAnEnd() {
    let tenths = RoundStep.multiples(of: 0.1, from: 0.1, to: 0.7)
    #expect(tenths.map { Words.decimal($0, step: 0.1) } == ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"])
    #expect(RoundStep.multiples(of: 1e-9, from: 0, to: 1).isEmpty)
    #expect(RoundStep.multiples(of: 1, from: .nan, to: 1).isEmpty)
  }

  @Test func timesBefore1970AndInZones() {
    let zone = TrackTimeZone { _ in (-5 * 3600, "EST") }
    #expect(zone.text(Date(timeIntervalSince1970: 0)) == "1969-12-31 19:00:00")
    #expect(TrackTimeZone.utc.text(Date(timeIntervalSince1970: -1)) == "1969-12-31 23:59:59")
    #expect(TrackTimeZone.utc.text(Date(timeIntervalSince1970: 1e300)) == "9999-12-31 23:59:59")
  }

  @Test func thePageHasColumnsOnlyForWhatIsKnown() {
    let page = Writing.document(.text, Writing.stops(2))
    let table = page.split(separator: "\n").drop { !$0.contains("from") }
    #expect(table.count == 5)
    #expect(
      table.dropFirst().map { $0.trimmingCharacters(in: .whitespaces).prefix(6) } == [
        "Stop 1", "Trip 1", "Stop 2", "Trip 2",
      ])
    #expect(page.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
    #expect(!Writing.document(.text, [Writing.fix(48, 11)]).contains("Time"))
  }

  @Test func aNameFromOutsideDoesNotReachTheTerminal() {
    #expect(!Writing.document(.text, [], name: "a\u{1B}[31m\n\u{9B}").contains { "\u{1B}\u{9B}".contains($0) })
  }

  @Test func daysAndZonesStandWhereTheyChange() {
    let zone = TrackTimeZone { $0.timeIntervalSince1970 < 1_790_000_000 + 100 ? (7200, "CEST") : (3600, "CET") }
    let page = Writing.document(.text, [Writing.fix(48, 11, 0), Writing.fix(48.01, 11, 200)], timeZone: zone)
    #expect(page.contains("2026-09-21 16:13:20 CEST to 15:16:40 CET"))
  }
}
