// swift-format-ignore-file
// What this map does not have names what it has. Scripts/check-samples compiles this file.
import HeadlessMap
import LocationKit

@MainActor func use(_ mapView: MapView) {
  mapView.userTrackingMode = .followWithHeading  // ✗ use follow, and turn what you draw by the heading
  _ = mapView.visibleMapRect  // ✗ use region, and setRegion(_:animated:)
  mapView.setVisibleMapRect(mapView.region, animated: true)  // ✗ use setRegion(_:animated:)
  _ = LocationCoordinate2DMake(1, 2)  // ✗ LocationCoordinate2D.init(latitude:longitude:)
}
