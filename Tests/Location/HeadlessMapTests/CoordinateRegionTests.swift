import Foundation
import LocationKit
import TestSupport
import Testing

@testable import HeadlessMap

@Suite(.inTurn) struct CoordinateRegionTests {
  private func region(
    _ latitude: Double, _ longitude: Double = 0, latitudinal: Double = 1000, longitudinal: Double = 1000
  ) -> CoordinateRegion {
    CoordinateRegion(
      center: LocationCoordinate2D(latitude: latitude, longitude: longitude), latitudinalMeters: latitudinal,
      longitudinalMeters: longitudinal)
  }

  private func point(_ latitude: Double, _ longitude: Double) -> LocationCoordinate2D {
    LocationCoordinate2D(latitude: latitude, longitude: longitude)
  }

  @Test(arguments: [
    (0.0, 0.0090437, 0.0089832), (51.5, 0.0089881, 0.0144008), (69.65, 0.0089640, 0.0257558),
    (-51.5, 0.0089881, 0.0144008),
  ])
  func kilometresByTheRadiiOfTheEllipsoid(latitude: Double, latitudeDelta: Double, longitudeDelta: Double) {
    let span = region(latitude).span
    #expect(abs(span.latitudeDelta - latitudeDelta) < 0.000_000_051)
    #expect(abs(span.longitudeDelta - longitudeDelta) < 0.000_000_051)
  }

  @Test(arguments: [0.0, 12, -45, 60, 85])
  func agreesWithTheGeodesic(latitude: Double) {
    let region = region(latitude, 30, latitudinal: 800, longitudinal: 500)
    let height = point(region.northLatitude, 30).distance(from: point(region.southLatitude, 30))
    let width = point(latitude, region.eastLongitude).distance(from: point(latitude, region.westLongitude))
    #expect(abs(height - 800) < 0.001 && abs(width - 500) < 0.001)
  }

  /// The middle between two coordinates may lie beyond 180°.
  @Test(arguments: [(170.0, -160.0, -175.0), (160, -170, 175), (-170, 170, 180), (10, 30, 20)])
  func theCentreOfARegionAroundCoordinatesIsALongitude(_ west: Double, _ east: Double, _ middle: Double) throws {
    let coordinates = [point(1, west), point(1, east)]
    for order in [coordinates, coordinates.reversed()] {
      let region = try #require(CoordinateRegion(around: order))
      #expect(region.isValid && region.span.longitudeDelta < 40)
      #expect(abs((region.center.longitude - middle).remainder(dividingBy: 360)) < 1e-9)
      for coordinate in coordinates { #expect(region.contains(coordinate)) }
    }
  }

  @Test func wrapsAcrossThe180thMeridian() {
    for longitude in [179.999, -179.999, 180, -180] {
      let region = region(-17, longitude, latitudinal: 10_000, longitudinal: 10_000)
      #expect(region.isValid)
      #expect(region.center.longitude == longitude)
      #expect(region.westLongitude > 179.9 && region.westLongitude <= 180)
      #expect(region.eastLongitude < -179.9 && region.eastLongitude >= -180)
      for place in [point(-17, 180), point(-17, -180), point(-17.01, -179.96)] { #expect(region.contains(place)) }
      #expect(!region.contains(point(-17, 0)))
    }
  }

  @Test func isClampedAtThePoles() {
    for latitude in [90.0, -90, 89.9999999, -89.9999] {
      let region = region(latitude, 12, latitudinal: 10_000, longitudinal: 10_000)
      #expect(region.isValid)
      #expect(region.northLatitude <= 90 && region.southLatitude >= -90)
      #expect(abs(region.span.latitudeDelta - 0.0895) < 0.0001)
    }
    #expect([region(90), region(-90), region(90, longitudinal: 0)].map(\.span.longitudeDelta) == [360, 360, 0])
    #expect(region(90).contains(point(89.999, -150)))
  }

  @Test func isNeverMoreThanTheEarth() {
    #expect(region(0, latitudinal: 1e9, longitudinal: 1e9) == .world)
    #expect(CoordinateRegion.world.isValid)
    #expect(CoordinateRegion.world.contains(point(-90, -180)))
  }

  @Test func isNotValidWithoutMeaning() {
    for value in [Double.nan, .infinity, -.infinity, -1] {
      #expect(!region(51, latitudinal: value).isValid)
      #expect(!region(51, longitudinal: value).isValid)
    }
    for bad in [region(.nan), region(90.1), region(0, 180.1), region(.infinity)] { #expect(!bad.isValid, "\(bad)") }
    let center = point(0, 0)
    let spans: [(Double, Double)] = [(180.1, 1), (1, 360.1), (-1, 1), (1, -1), (.nan, 1), (1, .nan), (.infinity, 1)]
    for (latitudeDelta, longitudeDelta) in spans {
      let span = CoordinateSpan(latitudeDelta: latitudeDelta, longitudeDelta: longitudeDelta)
      let region = CoordinateRegion(center: center, span: span)
      #expect(!region.isValid)
      #expect(!region.contains(center))
    }
  }

  @Test func codable() throws {
    let region = region(51.5, -0.12)
    let json = try JSONEncoder().encode(region)
    #expect(try JSONDecoder().decode(CoordinateRegion.self, from: json) == region)
  }

  @Test func theEdgeItselfIsWithin() {
    func region(_ longitude: Double, _ latitudeDelta: Double = 2, _ longitudeDelta: Double = 4) -> CoordinateRegion {
      CoordinateRegion(
        center: point(10, longitude),
        span: CoordinateSpan(latitudeDelta: latitudeDelta, longitudeDelta: longitudeDelta))
    }
    let within = [point(9, 0), point(11, 0), point(10, -2), point(10, 2)]
    let beyond = [point(8.99, 0), point(11.01, 0), point(10, -2.01), point(10, 2.01), point(91, 0)]
    #expect((within + beyond).filter(region(0).contains) == within)
    // Across the 180th meridian, where the other side's longitudes go on.
    #expect(region(179).contains(point(10, -179)) && !region(179).contains(point(10, -178.99)))
    #expect(region(179).eastLongitude == -179 && region(179).westLongitude == 177)
    #expect(region(178).eastLongitude == 180 && region(-178).westLongitude == -180)
    #expect(region(0, 180, 360).isValid && region(0, 0, 0).isValid)
    #expect(region(0, 180, 360).northLatitude == 90 && region(0, 180, 360).southLatitude == -80)
  }
}
