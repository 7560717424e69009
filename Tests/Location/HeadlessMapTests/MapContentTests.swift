import HeadlessMap
import LocationKit
import Testing

/// What stands on a map besides its region.
@MainActor
@Suite struct MapContentTests {
  private final class Delegate: MapViewDelegate {
    var calls: [String] = []

    func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {
      calls.append("region \(mapView.region.center.latitude)")
    }
    func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) { calls.append("user") }
    func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) { calls.append("\(mode)") }
    func mapView(_ mapView: MapView, didAdd overlays: [any Overlay]) { calls.append("+\(overlays.count)") }
    func mapView(_ mapView: MapView, didRemove overlays: [any Overlay]) { calls.append("-\(overlays.count)") }
  }

  private let mapView = MapView()
  private let delegate = Delegate()
  private let place = Location(latitude: 1, longitude: 2)

  init() {
    mapView.delegate = delegate
  }

  @Test func theUserIsShownOnlyWhereTheMapShowsTheUser() {
    mapView.updateUserLocation(place)
    #expect(mapView.userLocation.location == nil && delegate.calls.isEmpty)
    mapView.showsUserLocation = true
    mapView.updateUserLocation(place)
    #expect(mapView.userLocation.location == place && mapView.userLocation.isUpdating)
    mapView.updateUserLocation(nil)
    #expect(mapView.userLocation.location == place && !mapView.userLocation.isUpdating)
    mapView.showsUserLocation = false
    #expect(mapView.userLocation.location == nil)
    #expect(delegate.calls == ["user", "user"])
  }

  @Test func theMapFollowsTheUserUntilSomebodyMovesIt() {
    mapView.region = CoordinateRegion(
      center: LocationCoordinate2D(latitude: 50, longitude: 50),
      span: CoordinateSpan(latitudeDelta: 1, longitudeDelta: 1))
    mapView.userTrackingMode = .follow
    #expect(mapView.showsUserLocation)
    mapView.updateUserLocation(place)
    #expect(mapView.centerCoordinate == place.coordinate && mapView.region.span.latitudeDelta == 1)
    mapView.centerCoordinate = LocationCoordinate2D(latitude: 9, longitude: 9)
    #expect(mapView.userTrackingMode == .none)
    mapView.updateUserLocation(place)
    #expect(mapView.centerCoordinate.latitude == 9)
    mapView.userTrackingMode = .follow
    #expect(mapView.centerCoordinate == place.coordinate)
    mapView.showsUserLocation = false
    #expect(mapView.userTrackingMode == .none)
    #expect(
      delegate.calls == [
        "region 50.0", "follow", "user", "region 1.0", "region 9.0", "none", "user", "follow", "region 1.0", "none",
      ])
  }

  @Test func overlaysAreThereOnce() {
    let line = Polyline(coordinates: [place.coordinate, LocationCoordinate2D(latitude: 3, longitude: 4)])
    let circle = Circle(center: place.coordinate, radius: 5)
    mapView.addOverlays([line, circle])
    mapView.addOverlay(line)
    #expect(mapView.overlays.count == 2 && line.pointCount == 2 && line.coordinate.latitude == 3)
    mapView.removeOverlay(line)
    mapView.removeOverlay(line)
    #expect(mapView.overlays.count == 1 && mapView.overlays[0] === circle)
    #expect(delegate.calls == ["+2", "-1"])
  }

  @Test func annotationsStandWhereTheyAreMovedTo() {
    let point = PointAnnotation(coordinate: place.coordinate, title: "home", subtitle: "here")
    mapView.addAnnotation(point)
    point.coordinate = LocationCoordinate2D(latitude: 3, longitude: 4)
    #expect(mapView.annotations.first?.coordinate.latitude == 3 && mapView.annotations.first?.title == "home")
    mapView.removeAnnotations([point])
    #expect(mapView.annotations.isEmpty)
  }
}
