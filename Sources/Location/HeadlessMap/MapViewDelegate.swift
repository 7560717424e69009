/// Who hears from a `MapView`. MapKit's `MKMapViewDelegate`, as far as a map without a screen has the events.
///
/// Every method has a default implementation that does nothing. All are called on the main actor, for each
/// change in this order: will change, did change the visible region, did change.
@MainActor
public protocol MapViewDelegate: AnyObject {
  /// The region is about to change; `mapView.region` is still the old one.
  func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool)

  /// The region has changed.
  func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool)

  /// What is visible has changed.
  func mapViewDidChangeVisibleRegion(_ mapView: MapView)
}

extension MapViewDelegate {
  /// Does nothing.
  public func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) {}

  /// Does nothing.
  public func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {}

  /// Does nothing.
  public func mapViewDidChangeVisibleRegion(_ mapView: MapView) {}
}
