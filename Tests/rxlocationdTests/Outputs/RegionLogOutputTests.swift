import ArgumentParser
import Foundation
import Serving
import LocationKit
import Logging
import Writing
import TestSupport
import Testing

@testable import rxlocationd

@MainActor @Suite(.inTurn) struct RegionLogOutputTests {
  @Test func regionsAndBytesAreCounted() async throws {
    let folder = TemporaryFolder()
    let path = folder.path("regions")
    let stage = try await OutputStage(RegionLogOutput.self, ["--region-log", path], isReplay: true)
    let registry = MetricsRegistry()
    stage.output.addMetrics(to: registry)
    stage.pipeline.start(knowing: [])
    for number in 1...3 { stage.source.send(.location(Location(latitude: Double(number), longitude: 2))) }
    #expect(stage.output.summary == "3 to the region log, 0 dropped")
    await stage.close()
    let text = registry.text()
    let labels = #"{output="region log"}"#
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path)).count
    #expect(value("rxlocationd_written_bytes_total\(labels)", in: text) == Double(bytes))
    #expect(value("rxlocationd_records_total\(labels)", in: text) == 3)
    #expect(value("rxlocationd_dropped_records_total\(labels)", in: text) == 0)
    #expect(stage.output.loss == nil)
  }

  /// The span of before the reload would give each fix a second record.
  @Test func aFixAfterAReloadHasOneRegionOfTheNewSpan() async throws {
    let folder = TemporaryFolder()
    let path = folder.path("regions")
    let stage = try await OutputStage(RegionLogOutput.self, ["--region-log", path, "--span", "1000"], isReplay: true)
    stage.pipeline.start(knowing: [])
    stage.source.send(.location(Location(latitude: 1, longitude: 2)))
    stage.pipeline.apply(try Settings.parse(["--span", "2000"]))
    stage.source.send(.location(Location(latitude: 3, longitude: 2)))
    await stage.close()
    let spans = try String(contentsOfFile: path, encoding: .utf8).matches(of: /"latitudeDelta":([0-9.]+)/)
      .map { Double($0.output.1) ?? 0 }
    try #require(spans.count == 2, "\(spans)")
    #expect(spans[1] > 1.5 * spans[0])
  }

  @Test func aNoticeIsLoggedAsWhatItIs() {
    #expect([OutputNotice.Severity.notice, .warning, .error].map(\.level) == [.notice, .warning, .error])
  }
}
