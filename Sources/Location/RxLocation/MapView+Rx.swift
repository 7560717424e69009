public import FoundationEssentials
public import HeadlessMap
public import LocationKit
public import Rx
public import RxBinding

extension MapView: ReactiveCompatible {}

/// The properties of a map as binders, and the calls of its delegate as control events. Each sends its elements on the
/// main actor, after the user's own delegate was called, and completes when the map is released.
@MainActor
extension Reactive where Base: MapView {
  /// The map's delegate proxy.
  public var delegate: DelegateProxy<MapView, any MapViewDelegate> { RxMapViewDelegateProxy.proxy(for: base) }

  /// Sets a delegate that is called in addition to the streams, until the result is disposed. It is held weakly.
  public func setDelegate(_ delegate: any MapViewDelegate) -> any Disposable {
    RxMapViewDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }

  private func event<Arguments: Sendable, Element: Sendable>(
    _ method: MapMethod<Arguments>, _ element: @escaping @Sendable (Arguments) -> Element
  ) -> ControlEvent<Element> {
    ControlEvent(events: delegate.methodInvoked(method).map(element))
  }

  // MARK: The region

  /// Shows each location in the centre of a region of 10000 m by 10000 m.
  public var center: Binder<Location> { center(latitudinalMeters: 10_000, longitudinalMeters: 10_000) }

  /// Shows each location in the centre of a region of this height and width in metres.
  public func center(latitudinalMeters: LocationDistance, longitudinalMeters: LocationDistance) -> Binder<Location> {
    Binder(base) { mapView, location in
      mapView.setCenter(
        location, latitudinalMeters: latitudinalMeters, longitudinalMeters: longitudinalMeters, animated: true)
    }
  }

  /// The region that the map shows: now, and whenever it changes. The map shows each region that is bound to it.
  public var region: ControlProperty<CoordinateRegion> {
    property(.regionDidChange, { $0.region }, get: { $0.region }, set: { $0.region = $1 })
  }

  /// A property of the map: its value now, and at each call of a method of the delegate.
  private func property<Arguments: Sendable, Value: Equatable & Sendable>(
    _ method: MapMethod<Arguments>, _ value: @escaping @Sendable (Arguments) -> Value,
    get: @escaping @MainActor @Sendable (MapView) -> Value, set: @escaping @MainActor @Sendable (MapView, Value) -> Void
  ) -> ControlProperty<Value> {
    let changes = delegate.methodInvoked(method).map(value)
    // A control property subscribes on the main queue.
    let values = Observable<Value>.deferred { [weak base] in
      guard let current = MainActor.assumeIsolated({ base.map { get($0) } }) else { return changes }
      return changes.startWith(current)
    }
    return ControlProperty(
      // Without this, a map and a relay that are bound both ways would send each other the same value forever.
      values: values.distinctUntilChanged(), valueSink: Binder(base) { set($0, $1) })
  }

  // MARK: Changes

  /// The region is about to change; the element is the old region.
  public var regionWillChange: ControlEvent<CoordinateRegion> { event(.regionWillChange) { $0.region } }

  /// The region has changed; the element is the new region.
  public var regionDidChange: ControlEvent<CoordinateRegion> { event(.regionDidChange) { $0.region } }

  /// The region has changed; the element is the new region and the time of the location in its centre. The time is
  /// `nil` if the region was not set from a location, or the receiver gave no time.
  public var timedRegionDidChange: ControlEvent<(region: CoordinateRegion, timestamp: Date?)> {
    event(.regionDidChange) { ($0.region, $0.timestamp) }
  }

  /// The visible region has changed; the element is the new region.
  public var didChangeVisibleRegion: ControlEvent<CoordinateRegion> { event(.didChangeVisibleRegion) { $0.region } }

  // MARK: The user

  /// Updates the user's location, if the map shows it; `nil` means that the fix is lost.
  public var userLocation: Binder<Location?> {
    Binder(base) { mapView, location in mapView.updateUserLocation(location) }
  }

  /// Whether the map shows the user's location.
  public var showsUserLocation: Binder<Bool> { Binder(base) { mapView, shows in mapView.showsUserLocation = shows } }

  /// How the map follows the user: now, and whenever it changes. The map takes each mode that is bound to it.
  public var userTrackingMode: ControlProperty<UserTrackingMode> {
    property(.didChangeUserTrackingMode, { $0.mode }, get: { $0.userTrackingMode }, set: { $0.userTrackingMode = $1 })
  }

  /// The user's location has changed, or the fix is lost and `isUpdating` is `false`.
  public var didUpdateUserLocation: ControlEvent<UserLocation> { event(.didUpdateUserLocation) { $0.userLocation } }

  /// The map has started or stopped following the user.
  public var didChangeUserTrackingMode: ControlEvent<UserTrackingMode> { event(.didChangeUserTrackingMode) { $0.mode } }

  // MARK: Annotations and overlays

  /// Replaces the annotations of the map by those of each array.
  public var annotations: Binder<[any Annotation]> {
    Binder(base) { mapView, annotations in
      mapView.removeAnnotations(mapView.annotations.filter { one in !annotations.contains { $0 === one } })
      mapView.addAnnotations(annotations)
    }
  }

  /// Replaces the overlays of the map by those of each array.
  public var overlays: Binder<[any Overlay]> {
    Binder(base) { mapView, overlays in
      mapView.removeOverlays(mapView.overlays.filter { one in !overlays.contains { $0 === one } })
      mapView.addOverlays(overlays)
    }
  }

  /// Annotations were added.
  public var didAddAnnotations: ControlEvent<[any Annotation]> { event(.didAddAnnotations) { $0.annotations } }

  /// Annotations were removed.
  public var didRemoveAnnotations: ControlEvent<[any Annotation]> { event(.didRemoveAnnotations) { $0.annotations } }

  /// An annotation was selected.
  public var didSelectAnnotation: ControlEvent<any Annotation> { event(.didSelectAnnotation) { $0.annotation } }

  /// An annotation was deselected.
  public var didDeselectAnnotation: ControlEvent<any Annotation> { event(.didDeselectAnnotation) { $0.annotation } }

  /// Overlays were added.
  public var didAddOverlays: ControlEvent<[any Overlay]> { event(.didAddOverlays) { $0.overlays } }

  /// Overlays were removed.
  public var didRemoveOverlays: ControlEvent<[any Overlay]> { event(.didRemoveOverlays) { $0.overlays } }
}
