import Serving
import LocationKit
import TestSupport
import Testing

@testable import rxlocationd

@MainActor @Suite(.inTurn) struct MetricsOutputTests {
  private let stage: OutputStage<MetricsOutput>

  init() async throws {
    stage = try await OutputStage(MetricsOutput.self, ["--metrics", "127.0.0.1:\(LoopbackSocket.unusedPort())"])
    stage.pipeline.start(knowing: [])
  }

  private func metric(_ name: String) -> Double? { value("rxlocationd_" + name, in: stage.output.registry.text()) }

  private func satellites(_ system: Satellite.System) -> [Double?] {
    ["visible", "used"].map { metric("satellites{system=\"\(system.rawValue)\",state=\"\($0)\"}") }
  }

  @Test func aConstellationThatIsLostHasAZero() async {
    stage.source.send(
      .satellites([
        Satellite(system: .gps, number: 1, isUsed: true), Satellite(system: .galileo, number: 1, isUsed: true),
        Satellite(system: .galileo, number: 2),
      ]))
    #expect(satellites(.gps) == [1, 1] && satellites(.galileo) == [2, 1])
    stage.source.send(.satellites([Satellite(system: .gps, number: 1)]))
    #expect(satellites(.gps) == [1, 0] && satellites(.galileo) == [0, 0])
    #expect(satellites(.beidou) == [nil, nil], "one that never was has none")
    #expect(metric("satellites_seen") == 1 && metric("satellites_used") == 0)
    stage.source.send(.status(.waiting(reason: "gone", retryIn: 1)))
    #expect(satellites(.gps) == [nil, nil] && satellites(.galileo) == [nil, nil])
    #expect(metric("satellites_seen") == nil && metric("satellites_used") == nil)
    await stage.close()
  }

  @Test func theAgeIsThatOfTheLastFix() async {
    #expect(metric("fix_age_seconds") == nil)
    stage.source.send(.location(Location(latitude: 1, longitude: 2)))
    var age = 0.0
    #expect(
      await eventually {
        age = metric("fix_age_seconds") ?? 0
        return age > 0.3
      })
    stage.source.send(.location(Location(latitude: 1.1, longitude: 2)))
    #expect(metric("fix_age_seconds").map { $0 < age } == true)
    await stage.close()
  }

  @Test func anAccuracyThatIsUnknownAgainHasNoMetric() async {
    var location = Location(latitude: 1, longitude: 2)
    location.horizontalAccuracy = 4.5
    stage.source.send(.location(location))
    #expect(metric("horizontal_accuracy_meters") == 4.5)
    location.horizontalAccuracy = nil
    location.coordinate.latitude = 1.1
    stage.source.send(.location(location))
    #expect(metric("locations_total") == 2)
    #expect(metric("horizontal_accuracy_meters") == nil)
    await stage.close()
  }

  private func doubt(_ doubt: Doubts) -> Double? { metric("fix_doubt{doubt=\"\(doubt.names)\"}") }

  @Test func aDoubtIsToldUntilTheFixIsLost() async {
    #expect(Doubts.all.allSatisfy { doubt($0) == nil })
    for second in 0..<60 { stage.sendStuckFix(second) }
    #expect(Doubts.all.map(doubt) == [0, 1, 0, 0, 0, 0])
    stage.source.send(.noFix)
    #expect(Doubts.all.allSatisfy { doubt($0) == nil })
    await stage.close()
  }

  private func status(_ name: String) -> Double? { metric("fix_status{status=\"\(name)\"}") }

  @Test func aFixIsToldWithItsStatusItsClimbAndItsGeoid() async {
    let figures = ["climb_meters_per_second", "geoid_separation_meters"]
    let names = GNSSQuality.Status.allCases.map(\.rawValue)
    #expect(names.allSatisfy { status($0) == nil } && figures.allSatisfy { metric($0) == nil }, "nothing is known yet")
    var location = Location(latitude: 1, longitude: 2)
    location.climb = -0.5
    for (index, present) in GNSSQuality.Status.allCases.enumerated() {
      location.coordinate.latitude = 1 + Double(index) / 10
      location.quality = GNSSQuality(status: present, geoidSeparation: 47.25)
      stage.source.send(.location(location))
      #expect(names.map(status) == names.map { $0 == present.rawValue ? 1 : 0 })
      #expect(metric("fix_differential") == (present.isDifferential ? 1 : 0))
      #expect(figures.map(metric) == [-0.5, 47.25])
    }
    location.coordinate.latitude = 3
    (location.climb, location.quality) = (nil, nil)
    stage.source.send(.location(location))
    #expect(names.allSatisfy { status($0) == 0 }, "a plain fix has none of them")
    #expect(figures.allSatisfy { metric($0) == nil })
    stage.source.send(.noFix)
    #expect(metric("fix_mode") == 1 && names.allSatisfy { status($0) == nil }, "and no fix has no status")
    await stage.close()
  }
}
