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
      let region = CoordinateRegion(
        center: location.coordinate, latitudinalMeters: latitudinalMeters, longitudinalMeters: longitudinalMeters)
      mapView.setRegion(region, animated: true)
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

  /// What is visible has changed: the new region.
  public var didChangeVisibleRegion: ControlEvent<CoordinateRegion> {
    ControlEvent(events: delegate.methodInvoked(.didChangeVisibleRegion).map { $0.region })
  }
}
