import Foundation
import HeadlessMap
import LocationKit
import TestSupport
import Testing

@Suite(.inTurn) struct MapGeometryTests {
  @Test func metresOfAMapPointAsMapKitPublishedThem() {
    #expect(abs(metersPerMapPoint(atLatitude: 33.861315) / 0.123522 - 1) < 1e-4)
    #expect(metersPerMapPoint(atLatitude: 33.861315) == metersPerMapPoint(atLatitude: -33.861315))
    #expect(mapPointsPerMeter(atLatitude: 33.861315) * metersPerMapPoint(atLatitude: 33.861315) == 1)
  }

  @Test func metresOfAMapPointAtTheEdges() {
    #expect(metersPerMapPoint(atLatitude: 90) == 0)
    #expect(abs(metersPerMapPoint(atLatitude: 0) - 0.14829166) < 1e-8)
    #expect(metersPerMapPoint(atLatitude: 91).isNaN)
    #expect(metersPerMapPoint(atLatitude: .nan).isNaN)
  }

  /// Mercator's projection, written down independently of the source.
  private func mercator(_ latitude: Double) -> Double { log(tan(.pi / 4 + latitude * .pi / 360)) }

  private func aspect(_ region: CoordinateRegion) -> Double {
    region.span.longitudeDelta * .pi / 180
      / (mercator(region.center.latitude + region.span.latitudeDelta / 2)
        - mercator(region.center.latitude - region.span.latitudeDelta / 2))
  }

  @MainActor
  @Test(
    arguments: [0.0, 37.78, -51.5, 69.65, 84, -88],
    [(1024.0, 1024.0), (390, 844), (2560, 1080), (1, 10), (10, 1)])
  func fittedRegions(latitude: Double, size: (Double, Double)) {
    let mapView = MapView(size: MapSize(width: size.0, height: size.1))
    for span in [(0.01, 0.01), (0.5, 0.02), (0.02, 0.5), (3, 3), (0.000_01, 0.000_03)] {
      let region = CoordinateRegion(
        center: LocationCoordinate2D(latitude: latitude, longitude: 179.9),
        span: CoordinateSpan(latitudeDelta: span.0, longitudeDelta: span.1))
      let fitted = mapView.regionThatFits(region)
      #expect(fitted.isValid)
      #expect(fitted.center == region.center)
      #expect(fitted.span.latitudeDelta >= region.span.latitudeDelta)
      #expect(fitted.span.longitudeDelta >= region.span.longitudeDelta)
      // One of both is as it was, so it is the smallest.
      #expect(
        fitted.span.latitudeDelta == region.span.latitudeDelta
          || fitted.span.longitudeDelta == region.span.longitudeDelta)
      if fitted.span.longitudeDelta < 360 { #expect(abs(aspect(fitted) / (size.0 / size.1) - 1) < 1e-6) }
      let again = mapView.regionThatFits(fitted)
      #expect(abs(again.span.latitudeDelta / fitted.span.latitudeDelta - 1) < 1e-9)
      #expect(abs(again.span.longitudeDelta / fitted.span.longitudeDelta - 1) < 1e-9)
    }
  }

  @MainActor
  @Test func fittedAtTheEndsOfTheWorld() {
    let mapView = MapView(size: MapSize(width: 2, height: 1))
    #expect(mapView.regionThatFits(.world) == .world)
    for latitude in [90.0, -90, 89.99999] {
      let region = CoordinateRegion(
        center: LocationCoordinate2D(latitude: latitude, longitude: 0), latitudinalMeters: 1000, longitudinalMeters: 10)
      let fitted = mapView.regionThatFits(region)
      #expect(fitted.isValid)
      #expect(fitted.span.longitudeDelta == 360)
      #expect(fitted.span.latitudeDelta == region.span.latitudeDelta)
    }
  }

  @MainActor
  @Test func whatCannotBeFittedComesBack() {
    let region = CoordinateRegion(
      center: LocationCoordinate2D(latitude: 1, longitude: 2), latitudinalMeters: 1000, longitudinalMeters: 10)
    for size in [(0.0, 1.0), (1, 0), (0, 0), (-1, 1), (.nan, 1), (1, .infinity), (.infinity, 1)] {
      let mapView = MapView(size: MapSize(width: size.0, height: size.1))
      #expect(mapView.regionThatFits(region) == region)
    }
    var bad = region
    bad.span.latitudeDelta = -1
    #expect(MapView().regionThatFits(bad) == bad)
  }
}
