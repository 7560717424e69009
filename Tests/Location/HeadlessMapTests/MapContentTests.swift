import HeadlessMap
import LocationKit
import TestSupport
import Testing

/// What stands on a map besides its region.
@MainActor @Suite(.inTurn) struct MapContentTests {
  private final class Delegate: MapViewDelegate {
    var calls: [String] = []

    /// Whether the calls say if a change is animated.
    var tellsAnimation = false

    func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {
      calls.append("region \(mapView.region.center.latitude)" + (tellsAnimation ? " \(animated)" : ""))
    }
    func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) { calls.append("user") }
    func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) {
      calls.append("\(mode)" + (tellsAnimation ? " \(animated)" : ""))
    }
    func mapView(_ mapView: MapView, didAdd annotations: [any Annotation]) { calls.append("+a\(annotations.count)") }
    func mapView(_ mapView: MapView, didRemove annotations: [any Annotation]) { calls.append("-a\(annotations.count)") }
    func mapView(_ mapView: MapView, didAdd overlays: [any Overlay]) { calls.append("+\(overlays.count)") }
    func mapView(_ mapView: MapView, didRemove overlays: [any Overlay]) { calls.append("-\(overlays.count)") }
    func mapView(_ mapView: MapView, didSelect annotation: any Annotation) {
      calls.append("select \(annotation.title ?? "")")
    }
    func mapView(_ mapView: MapView, didDeselect annotation: any Annotation) {
      calls.append("deselect \(annotation.title ?? "")")
      if let next { mapView.selectAnnotation(next, animated: false) }
    }

    /// What is selected when another one is no longer.
    var next: (any Annotation)?
  }

  private let mapView = MapView()
  private let delegate = Delegate()
  private let place = Location(latitude: 1, longitude: 2)

  init() { mapView.delegate = delegate }

  private func point(_ title: String) -> PointAnnotation { PointAnnotation(coordinate: place.coordinate, title: title) }

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
    #expect(mapView.annotations.first?.subtitle == "here")
    mapView.addAnnotations([point, PointAnnotation(coordinate: place.coordinate)])
    #expect(mapView.annotations.count == 2 && mapView.annotations.first === point)
    mapView.removeAnnotations([point])
    mapView.removeAnnotation(point)
    #expect(mapView.annotations.count == 1 && mapView.annotations.first?.title == nil)
    #expect(delegate.calls == ["+a1", "+a1", "-a1"])
  }

  @Test func aLossAndALocationThatIsNotOnEarthDoNotMoveTheMapThatFollows() {
    mapView.userTrackingMode = .follow
    mapView.updateUserLocation(place)
    let region = mapView.region
    delegate.calls = []
    for latitude in [nil, Double.nan, 90.1, .infinity] {
      mapView.updateUserLocation(latitude.map { Location(latitude: $0, longitude: 0) })
      #expect(mapView.region == region && mapView.userTrackingMode == .follow)
    }
    #expect(delegate.calls == ["user", "user", "user", "user"])
    // The pole itself is a place.
    mapView.updateUserLocation(Location(latitude: 90, longitude: 180))
    #expect(mapView.centerCoordinate == LocationCoordinate2D(latitude: 90, longitude: 180))
  }

  @Test func aMapThatShowsTheUserNoMoreForgetsWhereThatWas() {
    mapView.showsUserLocation = true
    #expect(mapView.userLocation.coordinate == LocationCoordinate2D(latitude: 0, longitude: 0))
    mapView.updateUserLocation(place)
    #expect(mapView.userLocation.coordinate == place.coordinate)
    mapView.showsUserLocation = false
    #expect(!mapView.userLocation.isUpdating && mapView.userLocation.location == nil)
    delegate.calls = []
    // Following again shows the user, and has no place to go to yet.
    mapView.setUserTrackingMode(.follow, animated: true)
    mapView.setUserTrackingMode(.follow, animated: true)
    #expect(mapView.showsUserLocation && delegate.calls == ["follow"])
    mapView.setUserTrackingMode(.none, animated: false)
    #expect(mapView.showsUserLocation, "ceasing to follow goes on showing")
  }

  @Test func followingIsAnimatedAsItIsAskedFor() {
    delegate.tellsAnimation = true
    mapView.showsUserLocation = true
    mapView.updateUserLocation(place)
    mapView.setUserTrackingMode(.follow, animated: true)
    mapView.updateUserLocation(place)
    mapView.setRegion(.world, animated: true)
    mapView.userTrackingMode = .follow
    #expect(
      delegate.calls.filter { $0 != "user" } == [
        "follow true", "region 1.0 true", "region 1.0 true", "region 0.0 true", "none true", "follow false",
        "region 1.0 false",
      ])
  }

  @Test func shapesAreMadeAsMapKitMakesThem() {
    let zero = LocationCoordinate2D(latitude: 0, longitude: 0)
    let point = PointAnnotation()
    #expect(point.coordinate == zero && point.title == nil)
    point.coordinate = place.coordinate
    #expect(point.coordinate == place.coordinate)
    let coordinates = (0..<4).map { LocationCoordinate2D(latitude: Double($0), longitude: 1) }
    for (count, points) in [(4, 4), (2, 2), (0, 0), (9, 4), (-1, 0)] {
      let line = Polyline(coordinates: coordinates, count: count)
      #expect(line.coordinates == Array(coordinates.prefix(points)))
    }
    #expect(Polyline(coordinates: coordinates).coordinate == coordinates[2])
    #expect(Polyline(coordinates: [coordinates[3]]).coordinate == coordinates[3])
    #expect(Polyline(coordinates: []).coordinate == zero)
    let circle = Circle(center: coordinates[3], radius: 7)
    #expect(circle.coordinate == coordinates[3] && circle.radius == 7 && circle.title == nil)
    #expect(mapView.size == MapSize(width: 1024, height: 1024))
  }

  // MARK: Selecting

  @Test func oneAnnotationOfTheMapIsSelected() {
    let (first, second) = (point("1"), point("2"))
    mapView.selectAnnotation(first, animated: true)
    #expect(mapView.selectedAnnotations.isEmpty && delegate.calls.isEmpty, "it is not on the map")
    mapView.addAnnotations([first, second])
    delegate.calls = []
    mapView.selectAnnotation(first, animated: true)
    mapView.selectAnnotation(first, animated: true)
    mapView.deselectAnnotation(second, animated: true)
    mapView.deselectAnnotation(nil, animated: true)
    mapView.selectAnnotation(second, animated: true)
    #expect(mapView.selectedAnnotations.count == 1 && mapView.selectedAnnotations[0] === second)
    mapView.selectedAnnotations = [first, second]
    #expect(mapView.selectedAnnotations.count == 1 && mapView.selectedAnnotations[0] === first)
    mapView.selectedAnnotations = []
    #expect(mapView.selectedAnnotations.isEmpty)
    #expect(delegate.calls == ["select 1", "deselect 1", "select 2", "deselect 2", "select 1", "deselect 1"])
  }

  @Test func anAnnotationThatIsRemovedIsNotSelectedAnyMore() {
    let point = point("1")
    mapView.addAnnotation(point)
    mapView.selectAnnotation(point, animated: false)
    mapView.removeAnnotation(point)
    #expect(mapView.selectedAnnotations.isEmpty)
    #expect(delegate.calls == ["+a1", "select 1", "deselect 1", "-a1"])
  }

  /// The delegate hears last of the one that is selected in the end.
  @Test func aDelegateMaySelectAnotherOneMeanwhile() {
    let points = ["1", "2", "3"].map(point)
    mapView.addAnnotations(points)
    mapView.selectAnnotation(points[0], animated: false)
    delegate.calls = []
    delegate.next = points[2]
    mapView.selectAnnotation(points[1], animated: false)
    #expect(mapView.selectedAnnotations.count == 1 && mapView.selectedAnnotations[0] === points[2])
    #expect(delegate.calls == ["deselect 1", "deselect 2", "select 3"])
  }

  // MARK: Showing

  @Test(
    arguments: [
      // The region's middle and its extent without the margin, in degrees.
      ([(10.0, 20.0), (12, 26), (11, 21)], (11.0, 23.0), (2.0, 6.0)),
      ([(0, 175), (4, -175)], (2, 180), (4, 10)),
      ([(0, -180), (4, 180)], (2, 180), (4, 0)),
      ([(0, -120), (0, 0), (0, 120)], (0, 0), (0, 240)),
      ([(-90, 0), (90, 0)], (0, 0), (180, 0)),
      ([(1, 2), (.nan, 2), (91, 2)], (1, 2), (0, 0)),
    ] as [([(Double, Double)], (Double, Double), (Double, Double))])
  func annotationsAreShown(places: [(Double, Double)], middle: (Double, Double), extent: (Double, Double)) {
    let points = places.map { PointAnnotation(coordinate: LocationCoordinate2D(latitude: $0.0, longitude: $0.1)) }
    mapView.addAnnotation(points[0])
    mapView.userTrackingMode = .follow
    mapView.showAnnotations(points, animated: true)
    let region = mapView.region
    #expect(mapView.annotations.count == points.count)
    #expect(mapView.userTrackingMode == .none)
    #expect(abs(region.center.latitude - middle.0) < 1e-9 && abs(abs(region.center.longitude) - abs(middle.1)) < 1e-9)
    let least = CoordinateRegion(center: region.center, latitudinalMeters: 500, longitudinalMeters: 500).span
    #expect(abs(region.span.latitudeDelta - min(180, max(extent.0 * 1.2, least.latitudeDelta))) < 1e-9)
    #expect(abs(region.span.longitudeDelta - min(360, max(extent.1 * 1.2, least.longitudeDelta))) < 1e-9)
    for point in points where point.coordinate.isValid { #expect(region.contains(point.coordinate)) }
  }

  @Test func noPlaceToShowMovesNothing() {
    let region = mapView.region
    mapView.showAnnotations([], animated: true)
    mapView.showAnnotations(
      [PointAnnotation(coordinate: LocationCoordinate2D(latitude: .nan, longitude: 0))], animated: true)
    #expect(mapView.region == region && delegate.calls == ["+a1"])
  }
}
