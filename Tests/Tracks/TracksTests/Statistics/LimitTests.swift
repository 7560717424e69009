import Foundation
import LocationKit
import TestSupport
import Testing

@testable import Tracks

/// What happens exactly at a limit, and what is left of one part of a track in the next.
@Suite(.inTurn) struct LimitTests {
  private let start = Date(timeIntervalSince1970: 1_750_000_000)

  // MARK: Gaps, trips and stops

  /// Away for exactly half a minute is not away, for the receiver wanders.
  @Test func anExcursionOfExactlyTheLongestIsNoDeparture() {
    for (seconds, stops) in [(30.0, 1), (31, 2)] {
      let parked = stride(from: 0.0, through: 600, by: 10).map { fix($0) }
      let away = [fix(600 + seconds, east: 500)]
      let back = stride(from: 10.0, through: 600, by: 10).map { fix(600 + seconds + $0) }
      #expect(summary(parked + away + back).stops.count == stops)
    }
  }

  @Test func aPlaceExactlyStopWithinBelongsToTheStop() throws {
    let parked = stride(from: 0.0, through: 600, by: 10).map { fix($0, accuracy: 0) }
    for (metres, departure) in [(49.9, 620.0), (50.1, 600)] {
      let found = summary(parked + [fix(620, east: metres, accuracy: 0), fix(700, east: 2000), fix(710, east: 2200)])
      #expect(try #require(found.stops.first).departure == start + departure)
    }
  }

  @Test func aTripSaysWhereAndHow() throws {
    let found = summary([
      fix(0, altitude: 100, speed: 10), fix(10, east: 100, altitude: 120, speed: 15),
      fix(20, east: 200, altitude: 90, speed: 5),
    ])
    let trip = try #require(found.trips.first)
    #expect(trip.start == start && trip.end == start + 20 && trip.duration == 20)
    #expect(trip.startCoordinate == fix(0).coordinate && trip.endCoordinate == fix(0, east: 200).coordinate)
    #expect(abs(trip.distance - 200) < 0.01 && trip.movingTime == 20 && trip.greatestSpeed == 15)
    #expect(trip.ascent == 20 && trip.descent == 30 && trip.fixes == 0..<3)
    #expect(abs((trip.averageSpeed ?? 0) - 10) < 0.001)
  }

  /// What one trip climbed and how fast it was is not the next one's.
  @Test func aTripBeginsWithNothingOfTheOneBefore() throws {
    var fixes = (0...10).map { fix(Double($0) * 10, east: Double($0) * 200, altitude: Double($0) * 10, speed: 20) }
    fixes += (11...70).map { fix(Double($0) * 10, east: 2000, altitude: 100, speed: 0) }
    fixes += (71...80).map { fix(Double($0) * 10, east: 2000 + Double($0 - 70) * 50, altitude: 100, speed: 5) }
    let trips = summary(fixes).trips
    try #require(trips.count == 2)
    #expect(trips[0].greatestSpeed == 20 && trips[0].ascent == 100)
    #expect(trips[1].greatestSpeed == 5 && trips[1].ascent == 0 && trips[1].descent == 0)
    // The first 50 m are still at the place.
    #expect(abs(trips[1].distance - 450) < 1)
  }

  @Test func whatWasSummarizedIsOver() {
    var summarizer = TrackSummarizer()
    summarizer.add(.fix(fix(0)))
    summarizer.add(.fix(fix(10, east: 100)))
    _ = summarizer.finish()
    // A fix after the end is no continuation: neither its distance nor its time.
    summarizer.add(.fix(fix(100, east: 900)))
    let found = summarizer.finish().statistics
    #expect(abs(found.distance - 100) < 0.01 && found.gapTime == 0 && found.movingTime == 10)
  }

  // MARK: Jumps and lines

  private func filtered(_ events: [TrackEvent]) -> (kept: [TrackEvent], jumps: Int) {
    var filter = JumpFilter(maximumSpeed: 50)
    return (events.passed(through: &filter), filter.jumpCount)
  }

  @Test func aStepOfTheGreatestSpeedIsNoJump() {
    // A step in time counts for at least a second, and the greater accuracy is taken off.
    for (seconds, metres, accuracy, jumps) in [
      (2.0, 99.9, nil, 0), (2, 100.1, nil, 1), (0.5, 49.9, nil, 0), (0.5, 50.1, nil, 1), (2, 107.9, 8, 0),
      (2, 108.1, 8, 1),
    ] as [(Double, Double, Double?, Int)] {
      let steady = (0..<12).map { fix(Double($0) * 10, accuracy: accuracy) }
      let last = fix(110 + seconds, east: metres, accuracy: accuracy)
      let found = filtered((steady + [last]).map(TrackEvent.fix))
      #expect(found.jumps == jumps, "\(seconds) \(metres)")
      #expect(found.kept.count == 13 - jumps)
    }
  }

  @Test func tenFixesSettleWhereTheReceiverIs() {
    // After ten, both places are believed, with a gap at each change.
    for (rivals, jumps) in [(9, 9), (10, 0)] {
      let there = 20..<20 + rivals
      let fixes = (0..<30 + rivals).map { TrackEvent.fix(fix(Double($0), east: there.contains($0) ? 9000 : 0)) }
      let pieces = [fixes[..<there.lowerBound], fixes[there], fixes[there.upperBound...]]
      let all = Array(pieces.joined(separator: [TrackEvent.gap]))
      let found = filtered(fixes)
      #expect(found.kept == (jumps > 0 ? Array(pieces[0] + pieces[2]) : all))
      #expect(found.jumps == jumps)
    }
  }

  /// Two fixes of a segment contradict each other: the first stays, wherever the segment before ended.
  @Test func aSegmentIsNotJudgedByTheOneBefore() {
    let (first, second) = (fix(13, east: 9000), fix(14))
    let before = (0..<12).map { TrackEvent.fix(fix(Double($0))) }
    let kept = filtered(before + [.gap, .fix(first), .fix(second)]).kept
    #expect(kept.last == .fix(first) && kept.count == 14)
    // The next segment begins where the rival was.
    let rival = filtered(before + [.fix(fix(12, east: 9000)), .gap, .fix(first), .fix(fix(14, east: 9010))])
    #expect(rival.jumps == 1 && rival.kept.count == 15)
  }

  @Test func boundsAreTheSmallest() {
    func bounds(_ longitudes: Double...) -> [Double] {
      var bounds = TrackBounds(LocationCoordinate2D(latitude: 0, longitude: longitudes[0]))
      for longitude in longitudes.dropFirst() {
        bounds.include(LocationCoordinate2D(latitude: 1, longitude: longitude))
      }
      return [bounds.west, bounds.east]
    }
    #expect(bounds(10, 20, 5) == [5, 20])
    #expect(bounds(180) == [-180, -180])
    #expect(bounds(179, -179) == [179, 181])
    #expect(bounds(-179, 179) == [179, 181])
    #expect(bounds(179.5, 180, -179.75, 179, -179.5) == [179, 180.5])
  }
}
