public import FoundationEssentials
public import HeadlessMap
public import RxBinding

extension MapView: HasDelegate, DelegateProxyHolder {
  /// The delegate's type.
  public typealias Delegate = any MapViewDelegate
}

/// The delegate proxy of a map: it turns delegate calls into streams and forwards them.
public final class RxMapViewDelegateProxy:
  DelegateProxy<MapView, any MapViewDelegate>, DelegateProxyType, MapViewDelegate
{
  /// The user's own delegate.
  public weak var forwarded: (any MapViewDelegate)?

  /// The map; `nil` after it is released.
  public private(set) weak var mapView: MapView?

  /// Creates the proxy of `mapView`. Use `proxy(for:)`, which does this once for each map.
  public init(mapView: MapView) {
    self.mapView = mapView
    super.init(parentObject: mapView, delegateProxy: RxMapViewDelegateProxy.self)
  }

  /// Registers this class for `MapView` and its subclasses.
  public static func registerKnownImplementations() { register { RxMapViewDelegateProxy(mapView: $0) } }

  /// Observed as `regionWillChange`, with the old region.
  public func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) {
    invoke(.regionWillChange, (mapView, mapView.region, animated)) {
      $0.mapView(mapView, regionWillChangeAnimated: animated)
    }
  }

  /// Observed as `didChangeVisibleRegion`, with the new region.
  public func mapViewDidChangeVisibleRegion(_ mapView: MapView) {
    invoke(.didChangeVisibleRegion, (mapView, mapView.region)) { $0.mapViewDidChangeVisibleRegion(mapView) }
  }

  /// Observed as `regionDidChange`, with the new region and the time of the location in its centre.
  public func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {
    invoke(.regionDidChange, (mapView, mapView.region, animated, mapView.regionTimestamp)) {
      $0.mapView(mapView, regionDidChangeAnimated: animated)
    }
  }

  /// Observed as `didUpdateUserLocation`.
  public func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {
    invoke(.didUpdateUserLocation, (mapView, userLocation)) { $0.mapView(mapView, didUpdate: userLocation) }
  }

  /// Observed as `didChangeUserTrackingMode`.
  public func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) {
    invoke(.didChangeUserTrackingMode, (mapView, mode, animated)) {
      $0.mapView(mapView, didChange: mode, animated: animated)
    }
  }

  /// Observed as `didAddAnnotations`.
  public func mapView(_ mapView: MapView, didAdd annotations: [any Annotation]) {
    invoke(.didAddAnnotations, (mapView, annotations)) { $0.mapView(mapView, didAdd: annotations) }
  }

  /// Observed as `didRemoveAnnotations`.
  public func mapView(_ mapView: MapView, didRemove annotations: [any Annotation]) {
    invoke(.didRemoveAnnotations, (mapView, annotations)) { $0.mapView(mapView, didRemove: annotations) }
  }

  /// Observed as `didAddOverlays`.
  public func mapView(_ mapView: MapView, didAdd overlays: [any Overlay]) {
    invoke(.didAddOverlays, (mapView, overlays)) { $0.mapView(mapView, didAdd: overlays) }
  }

  /// Observed as `didRemoveOverlays`.
  public func mapView(_ mapView: MapView, didRemove overlays: [any Overlay]) {
    invoke(.didRemoveOverlays, (mapView, overlays)) { $0.mapView(mapView, didRemove: overlays) }
  }

  /// Observed as `didSelectAnnotation`.
  public func mapView(_ mapView: MapView, didSelect annotation: any Annotation) {
    invoke(.didSelectAnnotation, (mapView, annotation)) { $0.mapView(mapView, didSelect: annotation) }
  }

  /// Observed as `didDeselectAnnotation`.
  public func mapView(_ mapView: MapView, didDeselect annotation: any Annotation) {
    invoke(.didDeselectAnnotation, (mapView, annotation)) { $0.mapView(mapView, didDeselect: annotation) }
  }
}

/// Names a method of a map's delegate.
public typealias MapMethod<Arguments: Sendable> = DelegateMethod<any MapViewDelegate, Arguments>

extension DelegateMethod where Delegate == any MapViewDelegate {
  /// `mapView(_:regionWillChangeAnimated:)` with the old region.
  public static var regionWillChange: MapMethod<(mapView: MapView, region: CoordinateRegion, animated: Bool)> {
    .init()
  }

  /// `mapView(_:regionDidChangeAnimated:)` with the new region and the time of the location in its centre.
  public static var regionDidChange:
    MapMethod<(mapView: MapView, region: CoordinateRegion, animated: Bool, timestamp: Date?)>
  { .init() }

  /// `mapViewDidChangeVisibleRegion(_:)` with the new region.
  public static var didChangeVisibleRegion: MapMethod<(mapView: MapView, region: CoordinateRegion)> { .init() }

  /// `mapView(_:didUpdate:)`
  public static var didUpdateUserLocation: MapMethod<(mapView: MapView, userLocation: UserLocation)> { .init() }

  /// `mapView(_:didChange:animated:)`
  public static var didChangeUserTrackingMode: MapMethod<(mapView: MapView, mode: UserTrackingMode, animated: Bool)> {
    .init()
  }

  /// `mapView(_:didAdd:)` of annotations
  public static var didAddAnnotations: MapMethod<(mapView: MapView, annotations: [any Annotation])> { .init() }

  /// `mapView(_:didRemove:)` of annotations
  public static var didRemoveAnnotations: MapMethod<(mapView: MapView, annotations: [any Annotation])> { .init() }

  /// `mapView(_:didSelect:)`
  public static var didSelectAnnotation: MapMethod<(mapView: MapView, annotation: any Annotation)> { .init() }

  /// `mapView(_:didDeselect:)`
  public static var didDeselectAnnotation: MapMethod<(mapView: MapView, annotation: any Annotation)> { .init() }

  /// `mapView(_:didAdd:)` of overlays
  public static var didAddOverlays: MapMethod<(mapView: MapView, overlays: [any Overlay])> { .init() }

  /// `mapView(_:didRemove:)` of overlays
  public static var didRemoveOverlays: MapMethod<(mapView: MapView, overlays: [any Overlay])> { .init() }
}
