import Glibc
import TestSupport
import Testing

@testable import LocationKit

/// An hour on the boundary of a region of 50 m, with 8 m of noise; and drives through regions.
@MainActor @Suite(.inTurn) struct FlappingTests {
  private func crossings(
    radius: Double, policy: RegionMonitoringPolicy = RegionMonitoringPolicy(), _ send: (Stage) -> Void
  ) -> [RecordingDelegate.Call] {
    let stage = Stage()
    stage.manager.regionMonitoringPolicy = policy
    stage.manager.startMonitoring(for: Region(center: stage.location().coordinate, radius: radius, identifier: "fence"))
    send(stage)
    return stage.delegate.crossings
  }

  /// 8 m of standard deviation in both directions; noise of receivers wanders, so it also comes with a memory.
  private func standOnTheEdge(
    seed: Int, memory seconds: Double, accuracy: Double?, rate: Int, fixes: Int = 3600, _ stage: Stage
  ) {
    var generator = SplitMix(state: UInt64(seed))
    let keep = seconds > 0 ? exp(-1 / (seconds * Double(rate))) : 0
    let add = (1 - keep * keep).squareRoot() * 8
    var (north, east) = (generator.normal() * 8, generator.normal() * 8)
    for _ in 0..<fixes {
      stage.fix(after: 1 / Double(rate), north: 50 + north, east: east, accuracy: accuracy)
      north = keep * north + add * generator.normal()
      east = keep * east + add * generator.normal()
    }
  }

  @Test(arguments: [0.0, 5, 30, 120, 300], [nil, 8, 15] as [Double?])
  func standingOnTheEdgeForAnHour(memory: Double, accuracy: Double?) {
    for seed in 1...(runsLongTests ? 12 : 4) {
      let crossings = crossings(radius: 50) {
        standOnTheEdge(seed: seed, memory: memory, accuracy: accuracy, rate: 1, $0)
      }
      #expect(crossings.count <= 1, "seed \(seed)")
    }
  }

  @Test func standingOnTheEdgeWithTenFixesASecond() {
    let crossings = crossings(radius: 50) {
      standOnTheEdge(seed: 99, memory: 30, accuracy: nil, rate: 10, fixes: 9000, $0)
    }
    #expect(crossings.count <= 1)
  }

  @Test func withoutThePolicyTheSameNoiseFlaps() {
    let crossings = crossings(radius: 50, policy: RegionMonitoringPolicy(margin: 0, accuracy: 100, dwell: 0)) {
      standOnTheEdge(seed: 1, memory: 30, accuracy: nil, rate: 1, $0)
    }
    #expect(crossings.count > 100)
  }

  /// A straight line over the centre, with 8 m of noise.
  private func drive(speed: Double, length: Double, seed: Int, _ stage: Stage) {
    var generator = SplitMix(state: UInt64(seed))
    var position = -length / 2
    while position < length / 2 {
      stage.fix(north: position + generator.normal() * 8, east: generator.normal() * 8, accuracy: 10)
      position += speed
    }
  }

  @Test(arguments: [(50.0, 1.4), (50, 3), (100, 8), (150, 12), (200, 16), (500, 30), (2000, 40), (20_000, 250)])
  func aDriveThroughGivesExactlyTwo(radius: Double, speed: Double) {
    for seed in 1...8 {
      let crossings = crossings(radius: radius) { drive(speed: speed, length: 4 * radius + 60 * speed, seed: seed, $0) }
      #expect(crossings == [.enter("fence"), .exit("fence")], "seed \(seed)")
    }
  }

  @Test func aDriveThroughInLessThanTheDwellIsNotReportedUnlessTheDwellIsShorter() {
    let through: (Stage) -> Void = { drive(speed: 10, length: 800, seed: 3, $0) }
    #expect(crossings(radius: 50, through).isEmpty)
    let quick = RegionMonitoringPolicy(margin: 25, accuracy: 100, dwell: 3)
    #expect(crossings(radius: 50, policy: quick, through) == [.enter("fence"), .exit("fence")])
  }
}
