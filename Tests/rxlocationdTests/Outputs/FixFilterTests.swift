import ArgumentParser
import Foundation
import Serving
import LocationKit
import TestSupport
import Testing

@testable import rxlocationd

/// `--max-speed` and `--hold` between the manager and the outputs.
@MainActor @Suite(.inTurn) struct FixFilterTests {
  private func fix(_ second: Int, north metres: Double) -> Location {
    Location(
      coordinate: LocationCoordinate2D(latitude: 48 + metres / 111_200, longitude: 11),
      timestamp: Date(timeIntervalSince1970: 1_750_000_000 + Double(second)))
  }

  private func latitudes(_ path: String) throws -> [Double] {
    try String(contentsOfFile: path, encoding: .utf8).matches(of: /"latitude":([0-9.]+)/)
      .map { ((Double($0.output.1) ?? 0) - 48) * 111_200 }
  }

  @Test func aJumpReachesNoOutputButEveryFence() async throws {
    let folder = TemporaryFolder()
    let path = folder.path("regions")
    let stage = try await OutputStage(
      RegionLogOutput.self,
      ["--region-log", path, "--max-speed", "50", "--fence", "far=48.05,11,1000"], isReplay: true)
    stage.pipeline.start(knowing: [])
    for second in 0..<20 { stage.source.send(.location(fix(second, north: second == 10 ? 5560 : Double(second)))) }
    #expect(stage.pipeline.filter?.jumpCount == 1)
    await stage.close()
    let places = try latitudes(path)
    #expect(places.count == 19)
    #expect(places.allSatisfy { $0 < 30 })
    #expect(stage.pipeline.locationManager.location?.timestamp == fix(19, north: 0).timestamp)
  }

  /// The manager, and with it the fences, sees the positions as they were.
  @Test func aHeldPositionStaysUntilTheReceiverHasMoved() async throws {
    let folder = TemporaryFolder()
    let path = folder.path("regions")
    let stage = try await OutputStage(RegionLogOutput.self, ["--region-log", path, "--hold", "20"], isReplay: true)
    stage.pipeline.start(knowing: [])
    for second in 0..<10 { stage.source.send(.location(fix(second, north: Double(second % 3)))) }
    for second in 10..<20 { stage.source.send(.location(fix(second, north: Double(second) * 10))) }
    await stage.close()
    let places = try latitudes(path).map { $0.rounded() }
    #expect(places == Array(repeating: 0, count: 13) + [130, 140, 150, 160, 170, 180, 190])
    #expect(stage.pipeline.locationManager.location?.coordinate == fix(19, north: 190).coordinate)
  }

  @Test("after a loss the position is held at the next fix instead of the old place")
  func holdAfterALoss() throws {
    let filter = try #require(FixFilter(Settings.parse(["--hold", "20"])))
    for (start, metres) in [(0, 0.0), (10, 10)] {
      let kept = filter.filter([fix(start, north: metres), fix(start + 1, north: metres + 3)])
      #expect(kept.map(\.coordinate) == Array(repeating: fix(0, north: metres).coordinate, count: 2))
      filter.reset()
    }
  }

  @Test("a long and a repeated rejection are reported once each", arguments: [1, 2])
  func rejectionsAreReported(period: Int) throws {
    let filter = try #require(FixFilter(Settings.parse(["--max-speed", "50"])))
    var reports: [String] = []
    filter.report = { reports.append($0) }
    func send(_ seconds: Range<Int>, _ metres: (Int) -> Double) {
      for second in seconds { _ = filter.filter([fix(second, north: metres(second))]) }
    }
    send(0..<100) { _ in 0 }
    // A flight at 100 m/s, or an old place with each second fix.
    send(100..<400) { period == 1 ? Double($0) * 100 : $0 % 2 == 0 ? 9000 : 0 }
    #expect(reports.count == 1)
    #expect(reports.first?.contains("<+48.") == true)
    send(400..<600) { _ in period == 1 ? 40_000 : 0 }
    send(600..<900) { period == 1 ? Double($0) * 100 : $0 % 2 == 0 ? 9000 : 0 }
    #expect(reports.count == 2)
    // Jumps now and then are not worth a message.
    send(900..<1100) { _ in 0 }
    send(1100..<1500) { $0 % 4 == 0 ? 9000 : 0 }
    #expect(reports.count == 2)
  }

  @Test func withoutThemThereIsNoFilter() async throws {
    let stage = try await OutputStage(RegionLogOutput.self, ["--region-log", "/dev/null"], isReplay: true)
    #expect(stage.pipeline.filter == nil)
    await stage.close()
  }

  @Test func jumpsAreCountedInTheMetrics() async throws {
    let stage = try await OutputStage(
      MetricsOutput.self, ["--metrics", "127.0.0.1:\(LoopbackSocket.unusedPort())", "--max-speed", "50"])
    stage.pipeline.start(knowing: [])
    for second in 0..<20 { stage.source.send(.location(fix(second, north: second == 10 ? 5000 : 0))) }
    #expect(value("rxlocationd_jumps_total", in: stage.output.registry.text()) == 1)
    #expect(value("rxlocationd_locations_total", in: stage.output.registry.text()) == 19)
    await stage.close()
  }
}
