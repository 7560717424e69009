import Foundation
import LocationKit
import TestSupport
import Testing
import Tracks

@Suite(.inTurn) struct StopTests {
  /// Fuzzed drives with one to six stops each, by town and by motorway, with and without the receiver's speed.
  @Test(arguments: 0..<(runsLongTests ? 36 : 12))
  func findsTheKnownStops(seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    var drive = Drive(
      from: .init(latitude: [48.1, -33.9, 69.6][seed % 3], longitude: [11.6, 179.99, -18.9][seed % 3]),
      seed: UInt64(seed), noise: [2, 4, 8][seed % 3], interval: [1, 1, 5, 1, 1, 0.2][seed % 6])
    drive.reportsSpeed = seed % 2 == 0
    for _ in 0..<(1 + random.next(6)) {
      for _ in 0..<(2 + random.next(5)) {
        drive.drive(Double(30 + random.next(200)), speed: Double(5 + random.next(30)), course: Double(random.next(360)))
        // A red light is no stop.
        drive.wait(Double(random.next(150)))
      }
      drive.drive(60, speed: 15, course: 45)
      drive.park(Double(400 + random.next(1200)))
    }
    drive.drive(300, speed: 12, course: 200)
    let found = summary(drive.fixes)
    try #require(found.stops.count == drive.stops.count)
    for (stop, known) in zip(found.stops, drive.stops) {
      #expect(abs(stop.arrival.timeIntervalSince(known.arrival)) <= 30)
      #expect(abs(stop.departure.timeIntervalSince(known.departure)) <= 30)
      #expect(stop.coordinate.distance(from: known.coordinate) < 25)
    }
    #expect(found.trips.count == drive.stops.count + 1)
    let statistics = found.statistics
    #expect(
      abs(statistics.movingTime + statistics.stoppedTime + statistics.gapTime - (statistics.duration ?? 0)) < 1e-3)
    let steps = zip(drive.fixes, drive.fixes.dropFirst()).map { $1.distance(from: $0) }
    #expect(statistics.stoppedDistance > 0)
    #expect(abs(steps.reduce(0, +) - statistics.distance - statistics.stoppedDistance) < 1e-3)
    #expect(abs(found.trips.map(\.distance).reduce(0, +) - statistics.distance) < 1e-3)
  }

  /// A receiver starts at its own beginning of time and learns the date later, at the same place.
  @Test func aLeapOfYearsBeginsAnew() throws {
    var drive = Drive()
    drive.park(20)
    drive.pause(44 * 365 * 86_400)
    drive.park(400)
    let found = summary(drive.fixes)
    #expect(found.stops.map { $0.fixes } == [20..<420])
    #expect(found.stops.allSatisfy { $0.duration < 500 })
    #expect(found.statistics.stoppedTime < 500 && found.statistics.movingTime < 500)
    // A season is none: the car stood there.
    drive = Drive()
    drive.park(400)
    drive.pause(300 * 86_400)
    drive.park(400)
    #expect(summary(drive.fixes).parts.count == 1)
  }

  /// The accuracy of a fix that came long before another counts between these two.
  @Test func anOlderFixesAccuracyHoldsItInTheStay() {
    var drive = Drive(noise: 0)
    drive.accuracy = 500
    drive.drive(1, speed: 0, course: 0)
    drive.accuracy = 5
    drive.drive(1, speed: 300, course: 90)
    drive.park(400)
    // 300 m from all others, within its own 500 m.
    #expect(summary(drive.fixes).stops.map(\.fixes) == [0..<402])
  }

  @Test(arguments: [(500.0, 691), (5.0, 400)]) func coarseFixesDoNotEndAStay(accuracy: Double, fixes: Int) {
    var drive = Drive(noise: 0)
    drive.park(400)
    drive.accuracy = accuracy
    drive.drive(1, speed: 300, course: 90)
    drive.wait(290)
    #expect(summary(drive.fixes).stops.map(\.fixes) == [0..<fixes])
  }

  @Test func aStopComparesTheClaimWithTheScatter() throws {
    var drive = Drive(seed: 8, noise: 5)
    drive.accuracy = 2
    drive.park(14_400)
    let count = Double(drive.fixes.count)
    let mean = LocationCoordinate2D(
      latitude: drive.fixes.reduce(0) { $0 + $1.coordinate.latitude } / count,
      longitude: drive.fixes.reduce(0) { $0 + $1.coordinate.longitude } / count)
    let distances = drive.fixes.map { $0.coordinate.distance(from: mean) }.sorted()
    let accuracy = try #require(summary(drive.fixes).stops.first?.accuracy)
    #expect(accuracy.claimed == 2 && accuracy.duration == 14_399)
    #expect(abs(accuracy.scatter / distances[Int(count * 0.95)] - 1) < 0.1, "\(accuracy.scatter)")
  }

  @Test(arguments: [(nil, false), (2, true)] as [(Double?, Bool)])
  func withoutClaimsAndForHeldPositionsTheScatterIsUnknown(accuracy: Double?, isHeld: Bool) {
    var drive = Drive(noise: 3)
    (drive.accuracy, drive.isHeld) = (accuracy, isHeld)
    drive.park(3600)
    #expect(summary(drive.fixes).stops.map(\.accuracy) == [nil])
  }

  @Test(arguments: 0..<(runsLongTests ? 24 : 8))
  func inventsNoStopWhileParked(seed: Int) throws {
    var drive = Drive(seed: UInt64(100 + seed), noise: [2, 4, 8, 12][seed % 4], interval: seed % 8 == 0 ? 0.2 : 1)
    drive.accuracy = seed % 5 == 0 && seed % 4 < 2 ? nil : [5, 8, 16, 24][seed % 4]
    drive.reportsSpeed = seed % 2 == 0
    drive.park(3600)
    let found = summary(drive.fixes)
    #expect(found.parts.count == 1)
    let stop = try #require(found.stops.first)
    #expect(stop.fixes == 0..<drive.fixes.count)
    #expect(found.statistics.distance == 0 && found.statistics.stoppedDistance > 0)
    #expect(found.statistics.movingTime == 0)
    #expect(found.statistics.ascent == 0)
  }
}
