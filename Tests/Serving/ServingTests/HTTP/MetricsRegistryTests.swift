import Foundation
import TestSupport
import Testing

@testable import Serving

@Suite(.inTurn) struct MetricsRegistryTests {
  @Test func theTextIsPrometheusExpositionFormat() {
    let registry = MetricsRegistry()
    let good = registry.counter("rxlocationd_locations_total", help: "Locations that were reported.")
    let bad = registry.counter(
      "rxlocationd_bad_lines_total", help: "Lines that were\nno \"sentences\" \\ at all.",
      labels: ["kind": "a\"b\\c\nd"])
    let other = registry.counter("rxlocationd_bad_lines_total", help: "", labels: ["kind": "checksum", "x": "y"])
    let gauge = registry.gauge("rxlocationd_horizontal_accuracy_meters", help: "Uncertainty.")
    registry.gauge("rxlocationd_fix_age_seconds", help: "Age.") { 0.25 }
    registry.gauge("rxlocationd_unknown", help: "Never known.") { nil }
    registry.counter("rxlocationd_regions_total", help: "Regions.") { 1e15 }
    good.increment()
    good.increment(by: 41)
    good.increment(by: -5)
    bad.increment()
    #expect(good.value == 42)
    #expect(other.value == 0)
    let expected = """
      # HELP rxlocationd_locations_total Locations that were reported.
      # TYPE rxlocationd_locations_total counter
      rxlocationd_locations_total 42
      # HELP rxlocationd_bad_lines_total Lines that were\\nno "sentences" \\\\ at all.
      # TYPE rxlocationd_bad_lines_total counter
      rxlocationd_bad_lines_total{kind="a\\"b\\\\c\\nd"} 1
      rxlocationd_bad_lines_total{kind="checksum",x="y"} 0
      # HELP rxlocationd_fix_age_seconds Age.
      # TYPE rxlocationd_fix_age_seconds gauge
      rxlocationd_fix_age_seconds 0.25
      # HELP rxlocationd_regions_total Regions.
      # TYPE rxlocationd_regions_total counter
      rxlocationd_regions_total 1000000000000000

      """
    #expect(registry.text() == expected)
    gauge.value = 2.5
    #expect(registry.text().contains("rxlocationd_horizontal_accuracy_meters 2.5\n"))
    gauge.value = nil
    #expect(registry.text() == expected)
  }

  private static let promtool = [ProcessInfo.processInfo.environment["PROMTOOL"], "/usr/bin/promtool"]
    .compactMap { $0 }.first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.enabled(if: promtool != nil, "promtool is not installed")) func promtoolFindsNothingWrong() throws {
    let tool = try #require(Self.promtool)
    let registry = MetricsRegistry()
    registry.counter("rxlocationd_locations_total", help: "Locations that were reported.").increment()
    registry.counter("rxlocationd_bad_lines_total", help: "Bad lines.", labels: ["kind": "a\"b\\c\nd"]).increment()
    registry.gauge("rxlocationd_fix_age_seconds", help: "Age of the last fix.").value = 1e-7
    let said = try Command.output(tool, ["check", "metrics"], input: Array(registry.text().utf8), withErrors: true)
    #expect(said == [])
  }
}
