import Foundation
import TestSupport
import Testing

@testable import LocationKit

@Suite(.inTurn) struct GeodesicTests {
  private typealias Point = LocationCoordinate2D

  /// Pairs of points, and the metres between them by `GeodSolve -i -p 9` of GeographicLib 2.1.2.
  private let lines: [(start: Point, end: Point, distance: Double)]

  init() throws {
    let table = try String(contentsOf: Checkout.file("Tests/Golden/geodesics.txt"), encoding: .utf8)
    lines = table.split(separator: "\n").map { row in
      let numbers = row.split(separator: " ").compactMap { Double($0) }
      return (
        Point(latitude: numbers[0], longitude: numbers[1]), Point(latitude: numbers[2], longitude: numbers[3]),
        numbers[4]
      )
    }
  }

  @Test func agreesWithGeodSolve() {
    #expect(lines.count > 150)
    for (start, end, distance) in lines {
      #expect(abs(start.distance(from: end) - distance) <= 1e-4, "\(start) \(end)")
    }
  }

  @Test func isTheSameInEverySymmetry() {
    func changed(_ point: Point, _ north: Double, _ east: Double, turned degrees: Double = 0) -> Point {
      Point(latitude: point.latitude * north, longitude: point.longitude * east + degrees)
    }
    for (start, end, _) in lines {
      let mirrored = [
        (end, start), (changed(start, -1, 1), changed(end, -1, 1)), (changed(start, 1, -1), changed(end, 1, -1)),
        (changed(start, 1, 1, turned: 360), changed(end, 1, 1, turned: -720)),
      ]
      for (first, second) in mirrored {
        #expect(abs(first.distance(from: second) - start.distance(from: end)) <= 1e-4, "\(first) \(second)")
      }
    }
  }

  @Test func isNotANumberForWhatIsNoCoordinate() {
    let here = LocationCoordinate2D(latitude: 1, longitude: 2)
    let others: [(Double, Double)] = [
      (.nan, 0), (0, .nan), (91, 0), (-90.0000001, 0), (.infinity, 0), (0, .infinity), (0, -.infinity),
    ]
    for (latitude, longitude) in others {
      let there = LocationCoordinate2D(latitude: latitude, longitude: longitude)
      #expect(here.distance(from: there).isNaN)
      #expect(there.distance(from: here).isNaN)
    }
  }

  @Test func growsSteadilyPastTheEndOfTheShortLineFormula() {
    var previous = 0.0
    for step in 1...400 {
      let here = LocationCoordinate2D(latitude: 60, longitude: 10)
      let there = LocationCoordinate2D(latitude: 60 + Double(step) * 2e-5, longitude: 10 + Double(step) * 2e-5)
      let distance = here.distance(from: there)
      #expect(abs(distance - previous - 2.4922) < 1e-3)
      previous = distance
    }
  }

  @Test func locationMeasuresItsCoordinateOnly() {
    var high = Location(latitude: 51, longitude: 7)
    high.altitude = 1000
    #expect(high.distance(from: Location(latitude: 51, longitude: 7)) == 0)
  }

  @Test(arguments: [(0.0, 6_335_439.327, 6_378_137.0), (90.0, 6_399_593.626, 6_399_593.626)])
  func radiiOfCurvature(latitude: Double, meridian: Double, primeVertical: Double) {
    #expect(abs(WGS84.meridianRadius(atLatitude: latitude) - meridian) < 0.001)
    #expect(abs(WGS84.primeVerticalRadius(atLatitude: latitude) - primeVertical) < 0.001)
  }
}
