import Testing

@testable import LocationKit

@Suite struct GeodesicTests {
  private func distance(_ row: GeodSolveTable.Row) -> Double {
    LocationCoordinate2D(latitude: row.latitude1, longitude: row.longitude1)
      .distance(from: LocationCoordinate2D(latitude: row.latitude2, longitude: row.longitude2))
  }

  @Test func agreesWithGeodSolve() {
    #expect(GeodSolveTable.rows.count > 150)
    for row in GeodSolveTable.rows {
      let difference = abs(distance(row) - row.distance)
      #expect(difference <= 1e-4, "\(row): \(difference) m off")
    }
  }

  @Test func isTheSameInEverySymmetry() {
    for row in GeodSolveTable.rows {
      let expected = distance(row)
      let mirrored = [
        GeodSolveTable.Row(row.latitude2, row.longitude2, row.latitude1, row.longitude1, 0),
        GeodSolveTable.Row(-row.latitude1, row.longitude1, -row.latitude2, row.longitude2, 0),
        GeodSolveTable.Row(row.latitude1, -row.longitude1, row.latitude2, -row.longitude2, 0),
        GeodSolveTable.Row(row.latitude1, row.longitude1 + 360, row.latitude2, row.longitude2 - 720, 0),
      ]
      for other in mirrored {
        #expect(abs(distance(other) - expected) <= 1e-4, "\(row) and \(other)")
      }
    }
  }

  @Test func isNoGreatCircle() {
    // The haversine formula on the mean radius says 111194.93 m for both.
    let equator = LocationCoordinate2D(latitude: 0, longitude: 0)
    let north = equator.distance(from: LocationCoordinate2D(latitude: 1, longitude: 0))
    let east = equator.distance(from: LocationCoordinate2D(latitude: 0, longitude: 1))
    #expect(abs(north - 110_574.388_558) < 1e-4)
    #expect(abs(east - 111_319.490_793) < 1e-4)
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
