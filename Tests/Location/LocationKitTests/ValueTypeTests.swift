import Foundation
import TestSupport
import Testing

@testable import LocationKit

@Suite(.inTurn) struct ValueTypeTests {
  private func full() -> Location {
    Location(
      coordinate: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417), altitude: 10.1,
      ellipsoidalAltitude: -22.4, horizontalAccuracy: 5, verticalAccuracy: 9, course: 10.3, courseAccuracy: 4.1,
      speed: 1.2, speedAccuracy: 0.4, climb: -0.1, timestamp: Date(timeIntervalSince1970: 1_708_760_163),
      mode: .threeDimensional, satellitesUsed: 9, satellitesSeen: 14,
      sourceInformation: LocationSourceInformation(device: "/dev/ttyACM0", isSimulatedBySoftware: true))
  }

  private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  @Test func codable() throws {
    #expect(try roundTrip(full()) == full())
    let bare = Location(latitude: 1, longitude: 2)
    #expect(try roundTrip(bare) == bare)
    let heading = Heading(magneticHeading: 1, trueHeading: 2, headingAccuracy: 3, timestamp: Date())
    #expect(try roundTrip(heading).trueHeading == 2)
    let region = CircularRegion(center: bare.coordinate, radius: 3, identifier: "x", notifyOnExit: false)
    #expect(try roundTrip(region) == region)
    let visit = Visit(coordinate: bare.coordinate, horizontalAccuracy: 3, hasDeparted: true)
    #expect(try roundTrip(visit) == visit)
    for code in LocationError.Code.allCases {
      #expect(try roundTrip(LocationError(code, "why")) == LocationError(code, "why"))
    }
  }

  @Test func unknownIsAbsentWhenEncoded() throws {
    let json = try JSONEncoder().encode(Location(latitude: 1, longitude: 2))
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(Set(object.keys) == ["coordinate", "mode"])
  }

  @Test func hashable() {
    var other = full()
    #expect(Set([full(), other]).count == 1)
    other.climb = nil
    #expect(Set([full(), other]).count == 2)
  }

  @Test(arguments: [
    (0.0, 0.0, true), (90, 180, true), (-90, -180, true), (90.000001, 0, false), (0, 180.000001, false),
    (.nan, 0, false), (0, .nan, false), (.infinity, 0, false), (0, -.infinity, false),
  ])
  func validCoordinates(latitude: Double, longitude: Double, isValid: Bool) {
    #expect(LocationCoordinate2D(latitude: latitude, longitude: longitude).isValid == isValid)
  }

  @Test func regionContains() {
    let region = CircularRegion(
      center: LocationCoordinate2D(latitude: 0, longitude: 180), radius: 111_320, identifier: "x")
    #expect(region.contains(LocationCoordinate2D(latitude: 0, longitude: -179)))
    #expect(!region.contains(LocationCoordinate2D(latitude: 0, longitude: -178.99)))
    #expect(!region.contains(LocationCoordinate2D(latitude: .nan, longitude: 0)))
  }

  @Test func printsAsCoreLocationDoes() {
    #expect(
      "\(full())"
        == "<+37.78583400,-122.40641700> +/- 5.00m (speed 1.20 mps / course 10.30) @ 2024-02-24T07:36:03.000Z")
    #expect("\(full().coordinate)" == "<+37.78583400,-122.40641700>")
  }

  @Test func unknownPartsAreLeftOut() {
    var location = Location(latitude: -0.5, longitude: 0)
    #expect("\(location)" == "<-0.50000000,+0.00000000>")
    location.course = 359.999
    #expect("\(location)" == "<-0.50000000,+0.00000000> (course 360.00)")
    (location.speed, location.course) = (0.005, nil)
    #expect("\(location)" == "<-0.50000000,+0.00000000> (speed 0.01 mps)")
    location.horizontalAccuracy = 12.345
    location.timestamp = Date(timeIntervalSince1970: 0.25)
    #expect("\(location)" == "<-0.50000000,+0.00000000> +/- 12.35m (speed 0.01 mps) @ 1970-01-01T00:00:00.250Z")
  }

  @Test(arguments: [
    (-0.000000001, "+0.00000000"), (-0.000000006, "-0.00000001"), (179.999999996, "+180.00000000"),
    (.nan, "nan"), (-.infinity, "-inf"), (1e300, "1e+300"),
  ])
  func anyCoordinatePrints(degrees: Double, text: String) {
    #expect("\(LocationCoordinate2D(latitude: degrees, longitude: 0))" == "<\(text),+0.00000000>")
  }

  @Test @MainActor func whatCanBeAskedBeforeStarting() {
    #expect(LocationManager.locationServicesEnabled() && LocationManager.headingAvailable())
    #expect(LocationManager.isMonitoringAvailable(for: CircularRegion.self))
    #expect(LocationManager.isMonitoringAvailable(for: PolygonalRegion.self))
    #expect(!LocationManager.isMonitoringAvailable(for: Visit.self))
  }
}
