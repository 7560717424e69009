import Foundation
import Testing

@testable import NMEA

@Suite struct TimelineTests {
  private func positions(_ times: [Double]) -> [Double] {
    var timeline = RecordingTimeline()
    return times.map {
      timeline.move(to: $0)
      return timeline.now
    }
  }

  @Test(
    arguments: [
      ([100, 101, 102.5], [0, 1, 2.5]),
      // A gap lasts what it lasted, up to an hour.
      ([100, 101, 701, 4301, 4302], [0, 1, 601, 4201, 4202]),
      // A jump lasts as long as the step before it, at most a second.
      ([100, 101, 50, 51], [0, 1, 2, 3]), ([100, 101, 9000, 9001], [0, 1, 2, 3]),
      ([100, 130, 50, 51], [0, 30, 31, 32]),
      ([100, 100.2, 50, 50.2], [0, 0.2, 0.4, 0.6]),
      // Without dates midnight is a step back; with them it is none.
      ([86_399, 0, 1], [0, 1, 2]), ([1_711_238_399, 1_711_238_400], [0, 1]),
      // The date becomes known.
      ([45_000, 1_711_238_399, 1_711_238_400], [0, 0, 1]),
      ([5, 5, 5, 6], [0, 0, 0, 1]),
    ] as [([Double], [Double])])
  func moves(_ times: [Double], _ expected: [Double]) {
    for (position, value) in zip(positions(times), expected) { #expect(abs(position - value) < 1e-9) }
  }

  @Test func silenceCountsOnce() {
    var timeline = RecordingTimeline()
    timeline.move(to: 100)
    timeline.idle(until: 0.8)
    #expect(timeline.now == 0.8)
    #expect(timeline.position(of: 101) == 1)
    timeline.move(to: 101)
    #expect(timeline.now == 1)
    timeline.idle(until: 3)
    timeline.move(to: 102)
    #expect(timeline.now == 3)
    timeline.move(to: 103)
    #expect(timeline.now == 4)
  }

  @Test func daysAreFoundations() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for year in [1900, 1970, 1979, 1980, 1999, 2000, 2004, 2024, 2079, 2100, 2200] {
      for month in 1...12 {
        for day in [1, 15, 28, 29, 30, 31] {
          let components = DateComponents(year: year, month: month, day: day)
          let isValid = components.isValidDate(in: calendar)
          let expected = isValid ? calendar.date(from: components).map { Int($0.timeIntervalSince1970 / 86_400) } : nil
          #expect(CivilDate.days(year: year, month: month, day: day) == expected, "\(year)-\(month)-\(day)")
        }
      }
    }
    #expect(CivilDate.days(year: 2024, month: 0, day: 1) == nil)
    #expect(CivilDate.days(year: 2024, month: 13, day: 1) == nil)
    #expect(CivilDate.days(year: 2024, month: 1, day: 0) == nil)
    #expect(CivilDate.days(year: 2201, month: 1, day: 1) == nil)
  }

  /// Lengths of a degree, from the ellipsoid's own tables.
  @Test func distancesOnTheEllipsoid() {
    func distance(_ a: (Double, Double), _ b: (Double, Double)) -> Double {
      var from = Fix()
      var to = Fix()
      (from.latitude, from.longitude) = a
      (to.latitude, to.longitude) = b
      return Geodesic.distance(from: from, to: to)
    }
    #expect(abs(distance((0, 0), (0, 1)) - 111_319.491) < 0.001)
    #expect(abs(distance((0, 0), (1, 0)) - 110_574.389) < 0.001)
    #expect(abs(distance((89, 0), (90, 0)) - 111_693.865) < 0.001)
    #expect(distance((48, 11), (48, 11)) == 0)
    #expect(abs(distance((0, 179.5), (0, -179.5)) - 111_319.491) < 0.001)
  }
}
