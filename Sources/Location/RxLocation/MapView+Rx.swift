public import FoundationEssentials
public import HeadlessMap
public import LocationKit
public import Rx
public import RxBinding

extension MapView: ReactiveCompatible {}

/// What can be bound to a map, and its delegate's calls as control events: each has its elements after the user's own
/// delegate was called, on the main actor, and completes when the map goes.
@MainActor
extension Reactive where Base: MapView {
  /// The map's delegate proxy.
  public var delegate: DelegateProxy<MapView, any MapViewDelegate> {
    RxMapViewDelegateProxy.proxy(for: base)
  }

  /// Has a delegate called besides the streams, until the result is disposed. It is held weakly.
  public func setDelegate(_ delegate: any MapViewDelegate) -> any Disposable {
    RxMapViewDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }

  // MARK: The region

  /// Shows each location in the middle of a region of 10000 m by 10000 m.
  public var center: Binder<Location> {
    center(latitudinalMeters: 10_000, longitudinalMeters: 10_000)
  }

  /// Shows each location in the middle of a region of that height and width, in metres.
  public func center(
    latitudinalMeters: LocationDistance, longitudinalMeters: LocationDistance
  ) -> Binder<Location> {
    Binder(base) { mapView, location in
      mapView.setCenter(
        location, latitudinalMeters: latitudinalMeters, longitudinalMeters: longitudinalMeters, animated: true)
    }
  }

  /// What the map shows: at once, and whenever that has changed, by whomever. What is bound to it is shown.
  public var region: ControlProperty<CoordinateRegion> {
    let changes = delegate.methodInvoked(.regionDidChange).map { $0.region }
    // A control property subscribes on the main queue.
    let values = Observable<CoordinateRegion>.deferred { [weak base] in
      guard let current = MainActor.assumeIsolated({ base?.region }) else { return changes }
      return changes.startWith(current)
    }
    return ControlProperty(
      // Without it, a map and a relay that are bound both ways would send each other the same region forever.
      values: values.distinctUntilChanged(),
      valueSink: Binder(base) { mapView, region in mapView.region = region })
  }

  // MARK: Changes

  /// The region is about to change: the one that is shown still.
  public var regionWillChange: ControlEvent<CoordinateRegion> {
    ControlEvent(events: delegate.methodInvoked(.regionWillChange).map { $0.region })
  }

  /// The region has changed: the new one.
  public var regionDidChange: ControlEvent<CoordinateRegion> {
    ControlEvent(events: delegate.methodInvoked(.regionDidChange).map { $0.region })
  }

  /// The region has changed: the new one, and when the location in its middle was, if it follows one and the receiver gave a
  /// time.
  public var timedRegionDidChange: ControlEvent<(region: CoordinateRegion, timestamp: Date?)> {
    ControlEvent(events: delegate.methodInvoked(.regionDidChange).map { ($0.region, $0.timestamp) })
  }

  /// What is visible has changed: the new region.
  public var didChangeVisibleRegion: ControlEvent<CoordinateRegion> {
    ControlEvent(events: delegate.methodInvoked(.didChangeVisibleRegion).map { $0.region })
  }

  // MARK: The user

  /// Shows the user at each location, if the map shows the user; `nil` says that the fix is lost.
  public var userLocation: Binder<Location?> {
    Binder(base) { mapView, location in mapView.updateUserLocation(location) }
  }

  /// Whether the map shows where the user is.
  public var showsUserLocation: Binder<Bool> {
    Binder(base) { mapView, shows in mapView.showsUserLocation = shows }
  }

  /// How the map follows the user: at once, and whenever that has changed. What is bound to it counts.
  public var userTrackingMode: ControlProperty<UserTrackingMode> {
    let changes = delegate.methodInvoked(.didChangeUserTrackingMode).map { $0.mode }
    let values = Observable<UserTrackingMode>.deferred { [weak base] in
      guard let current = MainActor.assumeIsolated({ base?.userTrackingMode }) else { return changes }
      return changes.startWith(current)
    }
    return ControlProperty(
      values: values.distinctUntilChanged(),
      valueSink: Binder(base) { mapView, mode in mapView.userTrackingMode = mode })
  }

  /// The user is elsewhere, or the fix is lost, which `isUpdating` says.
  public var didUpdateUserLocation: ControlEvent<UserLocation> {
    ControlEvent(events: delegate.methodInvoked(.didUpdateUserLocation).map { $0.userLocation })
  }

  /// The map follows the user from now on, or no longer.
  public var didChangeUserTrackingMode: ControlEvent<UserTrackingMode> {
    ControlEvent(events: delegate.methodInvoked(.didChangeUserTrackingMode).map { $0.mode })
  }

  // MARK: Annotations and overlays

  /// The annotations of the map: those of each array, in place of those of the one before.
  public var annotations: Binder<[any Annotation]> {
    Binder(base) { mapView, annotations in
      mapView.removeAnnotations(mapView.annotations.filter { one in !annotations.contains { $0 === one } })
      mapView.addAnnotations(annotations)
    }
  }

  /// The overlays of the map: those of each array, in place of those of the one before.
  public var overlays: Binder<[any Overlay]> {
    Binder(base) { mapView, overlays in
      mapView.removeOverlays(mapView.overlays.filter { one in !overlays.contains { $0 === one } })
      mapView.addOverlays(overlays)
    }
  }

  /// Annotations are on the map now.
  public var didAddAnnotations: ControlEvent<[any Annotation]> {
    ControlEvent(events: delegate.methodInvoked(.didAddAnnotations).map { $0.annotations })
  }

  /// Annotations are no longer on the map.
  public var didRemoveAnnotations: ControlEvent<[any Annotation]> {
    ControlEvent(events: delegate.methodInvoked(.didRemoveAnnotations).map { $0.annotations })
  }

  /// An annotation is selected now.
  public var didSelectAnnotation: ControlEvent<any Annotation> {
    ControlEvent(events: delegate.methodInvoked(.didSelectAnnotation).map { $0.annotation })
  }

  /// An annotation is no longer selected.
  public var didDeselectAnnotation: ControlEvent<any Annotation> {
    ControlEvent(events: delegate.methodInvoked(.didDeselectAnnotation).map { $0.annotation })
  }

  /// Overlays are on the map now.
  public var didAddOverlays: ControlEvent<[any Overlay]> {
    ControlEvent(events: delegate.methodInvoked(.didAddOverlays).map { $0.overlays })
  }

  /// Overlays are no longer on the map.
  public var didRemoveOverlays: ControlEvent<[any Overlay]> {
    ControlEvent(events: delegate.methodInvoked(.didRemoveOverlays).map { $0.overlays })
  }
}
