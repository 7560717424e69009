#if Macros
  import HeadlessMap
  import LocationKit
  import Rx
  import RxBinding
  import RxMacros

  // Proxies by macro in the place of those that RxLocation writes by hand. They are for subclasses, since RxLocation's own are
  // registered in the same process when all tests run. This module does not import RxLocation.

  class TestedManager: LocationManager, DelegateProxyHolder, HasDelegateProxy {
    typealias Proxy = LocationManagerCallsProxy

    var delegateProxies: DelegateProxies {
      if let proxies = delegateObserver as? DelegateProxies { return proxies }
      let proxies = DelegateProxies()
      delegateObserver = proxies
      return proxies
    }
  }

  extension DelegateProxies: DelegateObserver {}

  typealias ManagerProxy = LocationManagerCallsProxy

  @DelegateProxy(of: TestedManager.self, for: (any LocationManagerDelegate).self)
  @MainActor
  protocol LocationManagerCalls: AnyObject {
    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])
    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)
    func locationManagerDidChangeAuthorization(_ manager: LocationManager)
    func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading)
    @Answer(false) func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool
    func locationManager(_ manager: LocationManager, didEnterRegion region: Region)
    func locationManager(_ manager: LocationManager, didExitRegion region: Region)
    func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: Region)
    func locationManager(_ manager: LocationManager, didStartMonitoringFor region: Region)
    func locationManager(
      _ manager: LocationManager, monitoringDidFailFor region: Region?, withError error: LocationError)
    func locationManagerDidPauseLocationUpdates(_ manager: LocationManager)
    func locationManagerDidResumeLocationUpdates(_ manager: LocationManager)
    func locationManager(_ manager: LocationManager, didVisit visit: Visit)
    func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus)
    func locationManager(_ manager: LocationManager, didChangeFixState state: FixState)
    func locationManager(_ manager: LocationManager, didChangeDoubts doubts: Doubts)
    func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite])
    func locationManagerDidReachEndOfRecording(_ manager: LocationManager)
  }

  class TestedMap: MapView, DelegateProxyHolder, HasDelegateProxy {
    typealias Proxy = MapViewCallsProxy

    var delegateProxies: DelegateProxies {
      if let proxies = delegateObserver as? DelegateProxies { return proxies }
      let proxies = DelegateProxies()
      delegateObserver = proxies
      return proxies
    }
  }

  @DelegateProxy(of: TestedMap.self, for: (any MapViewDelegate).self)
  @MainActor
  protocol MapViewCalls: AnyObject {
    func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool)
    func mapViewDidChangeVisibleRegion(_ mapView: MapView)
    func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool)
  }
#endif
