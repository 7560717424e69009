public import LocationKit

/// The calls of a `MapView`: MapKit's `MKMapViewDelegate`, as far as a map without a screen has the events.
///
/// Every method has a default implementation that does nothing. All are called on the main actor, for each
/// change of the region in this order: will change, did change the visible region, did change. When a delegate
/// proxy does not write a method, the default implementation calls the delegate behind the proxy.
@MainActor
public protocol MapViewDelegate: MapKitSpelling {
  /// The region is about to change; `mapView.region` is still the old one.
  func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool)

  /// The region has changed.
  func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool)

  /// What is visible has changed.
  func mapViewDidChangeVisibleRegion(_ mapView: MapView)

  /// The user is elsewhere, or the fix is lost, which `isUpdating` says.
  func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation)

  /// The map follows the user from now on, or no longer.
  func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool)

  /// Annotations are on the map now. MapKit's `mapView(_:didAdd:)` with their views.
  func mapView(_ mapView: MapView, didAdd annotations: [any Annotation])

  /// Annotations are no longer on the map. Not MapKit's.
  func mapView(_ mapView: MapView, didRemove annotations: [any Annotation])

  /// Overlays are on the map now. MapKit's `mapView(_:didAdd:)` with their renderers.
  func mapView(_ mapView: MapView, didAdd overlays: [any Overlay])

  /// Overlays are no longer on the map. Not MapKit's.
  func mapView(_ mapView: MapView, didRemove overlays: [any Overlay])

  /// An annotation is selected now.
  func mapView(_ mapView: MapView, didSelect annotation: any Annotation)

  /// An annotation is no longer selected.
  func mapView(_ mapView: MapView, didDeselect annotation: any Annotation)
}

extension MapViewDelegate {
  /// The delegate behind this one, if this one is a proxy.
  private var delegateBehind: (any MapViewDelegate)? {
    (self as? any DelegateForwarder)?.forwardToDelegate(as: (any MapViewDelegate).self)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) {
    delegateBehind?.mapView(mapView, regionWillChangeAnimated: animated)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {
    delegateBehind?.mapView(mapView, regionDidChangeAnimated: animated)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapViewDidChangeVisibleRegion(_ mapView: MapView) {
    delegateBehind?.mapViewDidChangeVisibleRegion(mapView)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {
    delegateBehind?.mapView(mapView, didUpdate: userLocation)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) {
    delegateBehind?.mapView(mapView, didChange: mode, animated: animated)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didAdd annotations: [any Annotation]) {
    delegateBehind?.mapView(mapView, didAdd: annotations)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didRemove annotations: [any Annotation]) {
    delegateBehind?.mapView(mapView, didRemove: annotations)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didAdd overlays: [any Overlay]) {
    delegateBehind?.mapView(mapView, didAdd: overlays)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didRemove overlays: [any Overlay]) {
    delegateBehind?.mapView(mapView, didRemove: overlays)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didSelect annotation: any Annotation) {
    delegateBehind?.mapView(mapView, didSelect: annotation)
  }

  /// Does nothing; a proxy forwards the call.
  public func mapView(_ mapView: MapView, didDeselect annotation: any Annotation) {
    delegateBehind?.mapView(mapView, didDeselect: annotation)
  }
}

/// Refuses delegate methods of MapKit that a map without a screen never calls, as `CoreLocationSpelling` does.
@MainActor
public protocol MapKitSpelling: AnyObject {
  /// The result of the method after it: `NotWritten` unless somebody writes that method.
  associatedtype DidFinishLoadingMap
  /// Not to be written: nothing is loaded.
  func mapViewDidFinishLoadingMap(_ mapView: MapView) -> DidFinishLoadingMap
  /// Available to classes that do not write it.
  static func refuseDidFinishLoadingMap()

  /// The result of the method after it: `NotWritten` unless somebody writes that method.
  associatedtype DidFinishRenderingMap
  /// Not to be written: nothing is rendered.
  func mapViewDidFinishRenderingMap(_ mapView: MapView, fullyRendered: Bool) -> DidFinishRenderingMap
  /// Available to classes that do not write it.
  static func refuseDidFinishRenderingMap()
}

extension MapKitSpelling {
  /// Stands for a method that is not written.
  public func mapViewDidFinishLoadingMap(_ mapView: MapView) -> NotWritten { NotWritten() }

  /// Stands for a method that is not written.
  public func mapViewDidFinishRenderingMap(_ mapView: MapView, fullyRendered: Bool) -> NotWritten { NotWritten() }
}

extension MapKitSpelling where DidFinishLoadingMap == NotWritten {
  /// Does nothing.
  public static func refuseDidFinishLoadingMap() {}
}

extension MapKitSpelling where DidFinishLoadingMap == Void {
  /// Refused.
  @available(
    *, unavailable,
    message: "a map without a screen loads nothing; write mapView(_:regionDidChangeAnimated:)"
  )
  public static func refuseDidFinishLoadingMap() {}
}

extension MapKitSpelling where DidFinishRenderingMap == NotWritten {
  /// Does nothing.
  public static func refuseDidFinishRenderingMap() {}
}

extension MapKitSpelling where DidFinishRenderingMap == Void {
  /// Refused.
  @available(
    *, unavailable,
    message: "a map without a screen renders nothing; write mapView(_:regionDidChangeAnimated:)"
  )
  public static func refuseDidFinishRenderingMap() {}
}
