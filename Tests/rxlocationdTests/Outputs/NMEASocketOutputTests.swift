import FoundationEssentials
import LocationKit
import Serving
import TestSupport
import Testing

@testable import rxlocationd

@MainActor @Suite(.inTurn) struct NMEASocketOutputTests {
  private let folder = TemporaryFolder()

  private func open() async throws -> OutputStage<NMEASocketOutput> {
    let stage = try await OutputStage(NMEASocketOutput.self, ["--nmea", "unix:\(folder.path("s"))"])
    stage.pipeline.start(knowing: [])
    return stage
  }

  /// A fix some seconds after eight o'clock.
  private func fix(_ second: Int?) -> LocationSourceEvent {
    .location(
      Location(
        coordinate: LocationCoordinate2D(latitude: 1, longitude: 2),
        timestamp: second.map { Date(timeIntervalSince1970: 1_800_000_000 + Double($0)) }))
  }

  private func readers(_ stage: OutputStage<NMEASocketOutput>) -> Double? {
    let registry = MetricsRegistry()
    stage.output.addMetrics(to: registry)
    return value("rxlocationd_nmea_readers", in: registry.text())
  }

  @Test func aReaderGetsNoSatellitesOfTheOneBefore() async throws {
    let stage = try await open()
    for round in 1...2 {
      var client: Client? = try Client.unix(folder.path("s"))
      try #require(await eventually(within: 10) { readers(stage) == 1 }, "the reader is not there")
      stage.source.send(fix(10 * round))
      if round == 1 { stage.source.send(.satellites([Satellite(system: .gps, number: 5, isUsed: true)])) }
      for second in 1...2 { stage.source.send(fix(10 * round + second)) }
      var lines: [String] = []
      while let line = await client?.line(), !line.hasPrefix("$GPRMC,0800\(10 * round + 2)") { lines.append(line) }
      #expect(lines.contains { $0.hasPrefix("$GPGSV") } == (round == 1), "\(lines)")
      client = nil
      try #require(await eventually(within: 10) { readers(stage) == 0 }, "the reader does not leave")
      stage.source.send(fix(10 * round + 3))
    }
    await stage.close()
  }

  /// Nothing is invented for a receiver that no longer reports the time.
  @Test(arguments: [1, nil]) func aLossHasTheTimeOfTheLastFix(second: Int?) async throws {
    let stage = try await open()
    for event in [fix(0), fix(second)] { stage.source.send(event) }
    (stage.source.clock as? VirtualClock)?.advance(by: 3)
    stage.source.send(.noFix)
    let client = try Client.unix(folder.path("s"))
    let line = await client.line()
    #expect(line?.hasPrefix("$GPRMC,\(second == nil ? "" : "080004.000"),V,") == true, "\(line ?? "no line")")
    await stage.close()
  }
}
