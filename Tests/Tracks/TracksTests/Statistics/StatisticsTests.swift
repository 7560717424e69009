import Foundation
import LocationKit
import TestSupport
import Testing

@testable import Tracks

@Suite(.inTurn) struct StatisticsTests {
  private let start = Date(timeIntervalSince1970: 1_750_000_000)

  @Test func nothingHasNothing() {
    #expect(summary([]) == TrackSummary())
    #expect(summary([.gap, .gap]) == TrackSummary())
    #expect(TrackStatistics().duration == nil)
  }

  @Test func oneFixHasNoWay() {
    let found = summary([.fix(fix(0, altitude: 7))])
    let statistics = found.statistics
    #expect(found.parts.isEmpty)
    #expect((statistics.fixCount, statistics.segmentCount) == (1, 1))
    #expect((statistics.duration, statistics.distance, statistics.greatestSpeed) == (0, 0, nil))
    #expect(statistics.lowestAltitude == 7)
  }

  @Test func theTripUnderWayIsKnownAndThereIsNoneAtAStop() {
    var summarizer = TrackSummarizer()
    summarizer.add(.fix(fix(0)))
    #expect(summarizer.currentTrip == nil)
    for second in 1...20 { summarizer.add(.fix(fix(Double(second), east: 10 * Double(second)))) }
    #expect(summarizer.currentTrip.map { ($0.distance * 100).rounded() } == 20_000)
    #expect(summarizer.currentTrip?.duration == 20)
    for second in 21...330 { summarizer.add(.fix(fix(Double(second), east: 200))) }
    #expect(summarizer.currentTrip == nil)
    for second in 331...380 { summarizer.add(.fix(fix(Double(second), east: 200 + 10 * Double(second - 330)))) }
    #expect((40...60).contains(summarizer.currentTrip?.duration ?? 0))
  }

  @Test func fixesAreCountedByHowTheyWereFound() {
    let statuses: [GNSSQuality.Status?] = [.rtkFixed, nil, .rtkFixed, .differential]
    let events = statuses.enumerated().map { index, status in
      var fix = fix(Double(index))
      fix.quality = GNSSQuality(status: status, hdop: 1)
      return TrackEvent.fix(fix)
    }
    #expect(summary(events).statistics.fixesByStatus == [.rtkFixed: 2, .differential: 1])
  }

  /// One of five minutes ends the trip.
  @Test(arguments: [(60, [0..<4]), (299, [0..<4]), (300, [0..<2, 2..<4])] as [(Double, [Range<Int>])])
  func aGapIsNeitherDistanceNorMovingTimeNorSpeed(seconds: Double, trips: [Range<Int>]) throws {
    let found = summary([
      .fix(fix(0)), .fix(fix(10, east: 100)), .gap, .gap, .fix(fix(10 + seconds, east: 9000)),
      .fix(fix(20 + seconds, east: 9100)),
    ])
    let statistics = found.statistics
    #expect(abs(statistics.distance - 200) < 0.02 && abs(statistics.gapDistance - 8900) < 10)
    #expect((statistics.movingTime, statistics.gapTime, statistics.duration) == (20, seconds, 20 + seconds))
    #expect(abs(try #require(statistics.greatestSpeed) - 10) < 0.01)
    #expect(statistics.segmentCount == 2 && found.trips.map(\.fixes) == trips)
  }

  @Test func withoutAGapTheWayIsContinuousHoweverLongAStepTakes() throws {
    let whole = summary([fix(0), fix(10, east: 100), fix(320, east: 9000), fix(330, east: 9100)])
    #expect(abs(whole.statistics.distance - 9100) < 10)
    #expect(abs(try #require(whole.statistics.movingDistance) - 9100) < 10)
    #expect(whole.statistics.gapTime == 0 && whole.statistics.gapDistance == 0 && whole.statistics.movingTime == 330)
    #expect(whole.trips.map(\.fixes) == [0..<4])
  }

  /// The receiver is switched off where the car is parked, and on again some metres farther on.
  @Test func aSilenceAtOnePlaceIsAStop() throws {
    let found = summary([
      .fix(fix(0)), .fix(fix(10, east: 200)), .fix(fix(20, east: 400)), .gap, .fix(fix(4000, east: 420)),
      .fix(fix(4010, east: 620)), .fix(fix(4050, east: 1000)),
    ])
    let (stop, statistics) = (try #require(found.stops.first), found.statistics)
    #expect((stop.arrival, stop.departure, stop.fixes) == (start + 20, start + 4000, 2..<4))
    #expect(found.parts.count == 3 && found.trips.map(\.fixes) == [0..<3, 3..<6])
    #expect((statistics.gapTime, statistics.gapDistance, statistics.stoppedTime) == (0, 0, 3980))
  }

  @Test func aStopTakesStopAfterAndLiesWithinTheAccuracy() {
    func stops(seconds: Int, apart: Double, accuracy: Double?) -> Int {
      let fixes = stride(from: 0, through: seconds, by: 10).map { second in
        fix(Double(second), east: second % 20 == 0 ? 0 : apart, accuracy: accuracy)
      }
      return summary(fixes).stops.count
    }
    #expect(stops(seconds: 290, apart: 0, accuracy: nil) == 0)
    #expect(stops(seconds: 300, apart: 0, accuracy: nil) == 1)
    #expect(stops(seconds: 600, apart: 80, accuracy: 20) == 0)
    #expect(stops(seconds: 600, apart: 80, accuracy: 40) == 1)
  }

  /// Within a segment the way is continuous, but no time divides it where the time runs backwards; across a gap it is said
  /// to be left out.
  @Test func aStepBackInTimeLosesNoWay() throws {
    let fixes = [fix(1000), fix(1010, east: 100), fix(0, east: 5000), fix(10, east: 5100)].map { TrackEvent.fix($0) }
    let whole = summary(fixes)
    #expect(abs(whole.statistics.distance - 5100) < 1 && whole.statistics.gapDistance == 0)
    #expect(whole.statistics.movingTime == 20 && whole.statistics.duration == 1010)
    #expect(abs(try #require(whole.statistics.movingDistance) - 200) < 0.01)
    #expect(whole.trips.map { ($0.distance * 10).rounded() } == [1000, 1000] && whole.statistics.segmentCount == 1)
    let apart = summary(fixes[..<2] + [.gap] + fixes[2...]).statistics
    #expect(abs(apart.distance - 200) < 0.01 && abs(apart.gapDistance - 4900) < 1 && apart.segmentCount == 2)
  }

  /// Two drives with a night between them in one segment, as some devices write it.
  @Test func aNightWithinASegmentIsWayButNoMovingTime() throws {
    func drive(from start: Int, east: Double) -> [TrackEvent] {
      (0...600).map { .fix(fix(Double(start + $0), east: east + Double($0) * 10)) }
    }
    // A night's way, hardly any, and none: that is a stop.
    for (east, distance, parts) in [(46_000.0, 52_000.0, 2), (6400, 12_400, 2), (6000, 12_000, 3)] {
      let found = summary(drive(from: 0, east: 0) + [.silence] + drive(from: 50_000, east: east))
      let figures = found.statistics
      #expect(abs(figures.distance - distance) < 100)
      #expect(figures.segmentCount == 1 && figures.gapTime == 0 && found.parts.count == parts)
      #expect(abs(figures.movingTime - 1200) < 10 && abs((figures.averageSpeed ?? 0) - 10) < 0.1)
      #expect(abs(try #require(figures.movingDistance) - 12_000) < 100)
      #expect(abs(figures.movingTime + figures.silenceTime + figures.stoppedTime - 50_600) < 1e-6)
      #expect(abs(figures.silenceDistance - (parts == 2 ? east - 6000 : 0)) < 20)
    }
  }

  /// A tunnel, or a straight motorway of a line that was simplified.
  @Test func aSilenceAsFastAsTheRestIsMovingTime() throws {
    let fixes = (0...60).map { TrackEvent.fix(fix(Double($0), east: Double($0) * 30)) }
    for (speed, isMoving) in [(16.0, true), (14, false)] {
      let figures = summary(fixes + [.silence, .fix(fix(560, east: 1800 + 500 * speed))]).statistics
      #expect(figures.movingTime == (isMoving ? 560 : 60) && figures.silenceTime == (isMoving ? 0 : 500))
      #expect(abs(figures.distance - 1800 - 500 * speed) < 10)
      #expect(try #require(figures.averageSpeed) <= figures.greatestSpeed ?? 0)
    }
    // Nothing before it says how fast it was.
    let first = summary([.fix(fix(0)), .silence, .fix(fix(500, east: 9000)), .fix(fix(510, east: 9300))]).statistics
    #expect(first.movingTime == 10 && first.silenceTime == 500 && abs(first.distance - 9300) < 10)
    // One across a gap is the gap.
    let gap = summary([.fix(fix(0)), .silence, .gap, .fix(fix(500, east: 9000))]).statistics
    #expect(gap.gapTime == 500 && gap.silenceTime == 0 && gap.distance == 0)
  }

  @Test func withoutTimesThereIsDistanceOnly() {
    let found = summary([
      .fix(fix(nil)), .fix(fix(nil, east: 100, altitude: 5)), .fix(fix(nil, east: 200, altitude: 50)),
    ])
    let statistics = found.statistics
    #expect(abs(statistics.distance - 200) < 0.01 && statistics.ascent == 45)
    #expect((statistics.movingDistance, statistics.duration, statistics.movingTime) == (nil, nil, 0))
    #expect(found.parts.isEmpty)
  }

  @Test func noiseAtAStopIsNoWayAndNoSpeed() {
    var events: [TrackEvent] = (0...20).map { .fix(fix(Double($0), east: Double($0) * 20, speed: 20)) }
    for second in 21...400 {
      let (east, speed): (Double, Double) = (second % 2 == 0 ? 410 : 400, second == 200 ? 33 : 0.1)
      events.append(.fix(fix(Double(second), east: east, speed: speed)))
    }
    let found = summary(events)
    #expect(found.statistics.greatestSpeed == 20)
    #expect(abs(found.statistics.distance - 360) < 45)
    #expect(found.statistics.stoppedDistance > 3400)
  }

  /// Positions that wander by metres while the receiver says that it rests are no speed.
  @Test func theAverageIsOfTheSpeedsThatTheGreatestIsOf() throws {
    let found = summary(
      (0...60).map { second in
        let (east, speed): (Double, Double) = (second % 2 == 0 ? 0 : 15, second < 30 ? 0.1 : 0.3)
        return .fix(fix(Double(second), east: east, speed: speed))
      })
    let average = try #require(found.statistics.averageSpeed)
    #expect(found.statistics.greatestSpeed == 0.3 && average > 0.1 && average < 0.3)
    #expect(found.trips.map(\.averageSpeed) == [average])
    // The way that the average is of is another one than that of the positions.
    #expect(found.statistics.movingDistance == average * 60 && abs(found.statistics.distance - 900) < 1)
  }

  /// A tracker that reports its speed every six minutes, and stands at a light whenever it does.
  @Test func overALongStepBothSpeedsAreThoseOfTheWay() throws {
    let found = summary((0...5).map { .fix(fix(Double($0) * 360, east: Double($0) * 7200, speed: 0)) })
    #expect(abs(try #require(found.statistics.averageSpeed) - 20) < 0.1)
    #expect(abs(try #require(found.statistics.greatestSpeed) - 20) < 0.1)
  }

  @Test func fixesWithoutTimesDoNotLengthenTheWayThatTimesDivide() throws {
    let found = summary([
      .fix(fix(0)), .fix(fix(10, east: 100)), .fix(fix(nil, east: 5000)), .fix(fix(nil, east: 200)),
      .fix(fix(20, east: 200)), .gap, .fix(fix(nil, east: 300)), .fix(fix(30, east: 300)),
    ])
    #expect(abs(try #require(found.statistics.averageSpeed) - 10) < 0.01)
    #expect(found.statistics.movingTime == 20 && found.statistics.gapTime == 10)
    #expect(abs(try #require(found.statistics.movingDistance) - 200) < 0.1 && found.statistics.distance > 9000)
  }

  /// Two receivers of one drive in one file, and a third that went on for longer.
  @Test func overlappingSegmentsCountTheirTimeOnce() {
    func segment(_ seconds: ClosedRange<Int>) -> [TrackEvent] {
      seconds.map { .fix(fix(Double($0), east: Double($0) * 10)) } + [.gap]
    }
    let found = summary(segment(0...100) + segment(0...100) + segment(50...150) + segment(20...60))
    #expect(found.statistics.duration == 150 && found.statistics.movingTime == 150)
    #expect(found.trips.map(\.movingTime) == [100, 100, 100, 40])
    // So does the way that the average is of.
    #expect(abs((found.statistics.movingDistance ?? 0) - 1500) < 1 && abs(found.statistics.distance - 3400) < 1)
    let resting = (0...400).map { TrackEvent.fix(fix(Double($0))) }
    let stops = summary(resting + resting).statistics
    #expect(stops.stoppedTime == 400 && stops.movingTime == 0 && stops.gapTime == 0)
  }

  /// The speeds at fixes, to two decimals; `nil` stands for a gap.
  private func speeds(_ fixes: [Location?]) -> [Double?] {
    var meter = SpeedMeter()
    return fixes.map { fix in
      guard let fix else {
        meter.addGap()
        return nil
      }
      return meter.add(fix).map { ($0 * 100).rounded() / 100 }
    }
  }

  @Test func aSpeedWithoutReceiverIsMeasuredOverThreeSeconds() {
    func driven(_ seconds: Double) -> Location { fix(seconds, east: seconds * 10) }
    #expect(speeds([0, 0.1, 3, 3.5, 8].map(driven)) == [nil, nil, 10, 10, 10])
    #expect(speeds([0, 2.999, 3].map(driven)) == [nil, nil, 10])
    #expect(speeds([0, 3, 1].map(driven)) == [nil, 10, nil], "the clock runs backwards")
    #expect(speeds([driven(0), driven(3), nil, driven(4), driven(7)]) == [nil, 10, nil, nil, 10])
    // The reading before the receiver's own is not that after it.
    #expect(speeds([driven(0), driven(3), fix(4, speed: 1), driven(5)]) == [nil, 10, 1, nil])
  }

  @Test func climbsCountBetweenTurningPoints() {
    func climb(_ altitudes: [Double]) -> [Double] {
      var meter = ClimbMeter(threshold: 10)
      for altitude in altitudes { meter.add(altitude) }
      return [meter.ascent, meter.descent]
    }
    #expect(climb([100.0, 104, 99, 130, 127, 90]) == [31, 40])
    #expect(climb([]) == [0, 0])
    #expect(climb([5, 14.9, 5, 14.9]) == [0, 0])
    #expect(climb([5, 15]) == [10, 0])
    #expect(climb([15, 5]) == [0, 10])
    #expect(climb([0, 8, 16, 24, 15, 24, 14, 40]) == [50, 10])
    #expect(climb([0, .nan, 20, .infinity, 20]) == [20, 0])
    // A climb of exactly the threshold counts.
    #expect(climb([0, 20, 10]) == [20, 10] && climb([0, 20, 10.1]) == [20, 0])
    #expect(climb([20, 0, 10]) == [10, 20] && climb([20, 0, 9.9]) == [0, 20])
  }
}
