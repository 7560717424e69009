#if Macros
  import HeadlessMap
  import LocationKit
  import Rx
  import RxBinding
  import RxMacros

  // The streams whose names RxLocation chose otherwise; all others are there by themselves.
  @MainActor
  extension Reactive where Base: TestedManager {
    var didChangeAuthorization: Observable<AuthorizationStatus> {
      delegate.methodInvoked(.didChangeAuthorization)
        .map { manager in MainActor.assumeIsolated { manager.authorizationStatus } }
    }
    var didStartMonitoring: ControlEvent<Region> { self.didStartMonitoringFor }
    var monitoringDidFail: Observable<(region: Region?, error: LocationError)> {
      self.monitoringDidFailFor.map { ($0.region, $0.error) }
    }
  }

  // RxLocation's streams have the region, too.
  @MainActor
  extension Reactive where Base: TestedMap {
    var regionWillChange: Observable<CoordinateRegion> {
      delegate.methodInvoked(.regionWillChangeAnimated)
        .map { call in MainActor.assumeIsolated { call.mapView.region } }
    }
    var didChangeVisibleRegion: Observable<CoordinateRegion> {
      delegate.methodInvoked(.didChangeVisibleRegion)
        .map { mapView in MainActor.assumeIsolated { mapView.region } }
    }
    var regionDidChange: Observable<CoordinateRegion> {
      delegate.methodInvoked(.regionDidChangeAnimated)
        .map { call in MainActor.assumeIsolated { call.mapView.region } }
    }
  }

  // The test names the key as RxLocation does.
  extension MapViewCallsProxy.MethodKey {
    static var regionDidChange: MapViewCallsProxy.MethodKey<(mapView: MapView, animated: Bool)> {
      MapViewCallsProxy.MethodKey<(mapView: MapView, animated: Bool)>.regionDidChangeAnimated
    }
  }
#endif
