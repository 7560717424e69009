import LocationKit

/// The delegate of a `MapView`: MapKit's `MKMapViewDelegate` without the events that need a screen.
///
/// All methods are called on the main actor and have a default implementation that does nothing. A change of the region
/// calls three of them in this order: will change, did change the visible region, did change. If a delegate proxy does
/// not implement a method, the default implementation calls the delegate behind the proxy.
@MainActor
public protocol MapViewDelegate: AnyObject {
  /// The region is about to change; `mapView.region` is still the old one.
  func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool)

  /// The region has changed.
  func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool)

  /// The visible region has changed.
  func mapViewDidChangeVisibleRegion(_ mapView: MapView)

  /// The user's location has changed, or the fix is lost and `isUpdating` is `false`.
  func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation)

  /// The map has started or stopped following the user.
  func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool)

  /// Annotations were added. MapKit's `mapView(_:didAdd:)` passes their views.
  func mapView(_ mapView: MapView, didAdd annotations: [any Annotation])

  /// Annotations were removed. Not MapKit's.
  func mapView(_ mapView: MapView, didRemove annotations: [any Annotation])

  /// Overlays were added. MapKit's `mapView(_:didAdd:)` passes their renderers.
  func mapView(_ mapView: MapView, didAdd overlays: [any Overlay])

  /// Overlays were removed. Not MapKit's.
  func mapView(_ mapView: MapView, didRemove overlays: [any Overlay])

  /// An annotation was selected.
  func mapView(_ mapView: MapView, didSelect annotation: any Annotation)

  /// An annotation was deselected.
  func mapView(_ mapView: MapView, didDeselect annotation: any Annotation)
}

extension MapViewDelegate {
  private func delegateBehind(_ method: String = #function) -> (any MapViewDelegate)? {
    (self as? any DelegateForwarder)?.forwardToDelegate(as: (any MapViewDelegate).self, method: method)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) {
    delegateBehind()?.mapView(mapView, regionWillChangeAnimated: animated)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {
    delegateBehind()?.mapView(mapView, regionDidChangeAnimated: animated)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapViewDidChangeVisibleRegion(_ mapView: MapView) {
    delegateBehind()?.mapViewDidChangeVisibleRegion(mapView)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {
    delegateBehind()?.mapView(mapView, didUpdate: userLocation)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) {
    delegateBehind()?.mapView(mapView, didChange: mode, animated: animated)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didAdd annotations: [any Annotation]) {
    delegateBehind()?.mapView(mapView, didAdd: annotations)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didRemove annotations: [any Annotation]) {
    delegateBehind()?.mapView(mapView, didRemove: annotations)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didAdd overlays: [any Overlay]) {
    delegateBehind()?.mapView(mapView, didAdd: overlays)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didRemove overlays: [any Overlay]) {
    delegateBehind()?.mapView(mapView, didRemove: overlays)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didSelect annotation: any Annotation) {
    delegateBehind()?.mapView(mapView, didSelect: annotation)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didDeselect annotation: any Annotation) {
    delegateBehind()?.mapView(mapView, didDeselect: annotation)
  }
}
