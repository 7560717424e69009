public import LocationKit
public import RxBinding

extension DelegateProxies: DelegateObserver {}

extension DelegateProxy: DelegateForwarder {}

extension DelegateProxyHolder where Self: DelegateObservable {
  /// The object's delegate proxies, which it holds.
  public var delegateProxies: DelegateProxies {
    if let proxies = delegateObserver as? DelegateProxies { return proxies }
    let proxies = DelegateProxies()
    delegateObserver = proxies
    return proxies
  }
}

extension LocationManager: HasDelegate, DelegateProxyHolder {
  /// The delegate's type.
  public typealias Delegate = any LocationManagerDelegate
}

/// The delegate proxy of a location manager: it turns delegate calls into streams and forwards them.
public final class RxLocationManagerDelegateProxy:
  DelegateProxy<LocationManager, any LocationManagerDelegate>, DelegateProxyType, LocationManagerDelegate
{
  /// The user's own delegate.
  public weak var forwarded: (any LocationManagerDelegate)?

  /// The manager; `nil` after it is released.
  public private(set) weak var locationManager: LocationManager?

  /// Creates the proxy of `locationManager`. Use `proxy(for:)`, which does this once for each manager.
  public init(locationManager: LocationManager) {
    self.locationManager = locationManager
    super.init(parentObject: locationManager, delegateProxy: RxLocationManagerDelegateProxy.self)
  }

  /// Registers this class for `LocationManager` and its subclasses.
  public static func registerKnownImplementations() { register { RxLocationManagerDelegateProxy(locationManager: $0) } }

  // MARK: Locations

  /// Observed as `didUpdateLocations`.
  public func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    invoke(.didUpdateLocations, (manager, locations)) { $0.locationManager(manager, didUpdateLocations: locations) }
  }

  /// Observed as `didFailWithError`.
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    invoke(.didFailWithError, (manager, error)) { $0.locationManager(manager, didFailWithError: error) }
  }

  /// Observed as `didPauseLocationUpdates`.
  public func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {
    invoke(.didPauseLocationUpdates, manager) { $0.locationManagerDidPauseLocationUpdates(manager) }
  }

  /// Observed as `didResumeLocationUpdates`.
  public func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {
    invoke(.didResumeLocationUpdates, manager) { $0.locationManagerDidResumeLocationUpdates(manager) }
  }

  /// Observed as `didVisit`.
  public func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
    invoke(.didVisit, (manager, visit)) { $0.locationManager(manager, didVisit: visit) }
  }

  // MARK: Authorization

  /// Observed as `didChangeAuthorization`, with the status.
  public func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    invoke(.didChangeAuthorization, (manager, manager.authorizationStatus)) {
      $0.locationManagerDidChangeAuthorization(manager)
    }
  }

  // MARK: Headings

  /// Observed as `didUpdateHeading`.
  public func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading) {
    invoke(.didUpdateHeading, (manager, newHeading)) { $0.locationManager(manager, didUpdateHeading: newHeading) }
  }

  /// Observed as `shouldDisplayHeadingCalibration`. The user's delegate answers; the default is `false`.
  public func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool {
    invoke(.shouldDisplayHeadingCalibration, manager, default: false) {
      $0.locationManagerShouldDisplayHeadingCalibration(manager)
    }
  }

  // MARK: Regions

  /// Observed as `didEnterRegion`, with the location that showed the crossing.
  public func locationManager(_ manager: LocationManager, didEnterRegion region: Region) {
    invoke(.didEnterRegion, (manager, region, manager.location)) { $0.locationManager(manager, didEnterRegion: region) }
  }

  /// Observed as `didExitRegion`, with the location that showed the crossing.
  public func locationManager(_ manager: LocationManager, didExitRegion region: Region) {
    invoke(.didExitRegion, (manager, region, manager.location)) { $0.locationManager(manager, didExitRegion: region) }
  }

  /// Observed as `didDetermineState`.
  public func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: Region) {
    invoke(.didDetermineState, (manager, state, region)) {
      $0.locationManager(manager, didDetermineState: state, for: region)
    }
  }

  /// Observed as `didStartMonitoring`.
  public func locationManager(_ manager: LocationManager, didStartMonitoringFor region: Region) {
    invoke(.didStartMonitoring, (manager, region)) { $0.locationManager(manager, didStartMonitoringFor: region) }
  }

  /// Observed as `monitoringDidFail`.
  public func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: Region?, withError error: LocationError
  ) {
    invoke(.monitoringDidFail, (manager, region, error)) {
      $0.locationManager(manager, monitoringDidFailFor: region, withError: error)
    }
  }

  // MARK: The source

  /// Observed as `didChangeSourceStatus`.
  public func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus) {
    invoke(.didChangeSourceStatus, (manager, status)) { $0.locationManager(manager, didChangeSourceStatus: status) }
  }

  /// Observed as `didChangeFixState`.
  public func locationManager(_ manager: LocationManager, didChangeFixState state: FixState) {
    invoke(.didChangeFixState, (manager, state)) { $0.locationManager(manager, didChangeFixState: state) }
  }

  /// Observed as `didChangeDoubts`.
  public func locationManager(_ manager: LocationManager, didChangeDoubts doubts: Doubts) {
    invoke(.didChangeDoubts, (manager, doubts)) { $0.locationManager(manager, didChangeDoubts: doubts) }
  }

  /// Observed as `didUpdateSatellites`.
  public func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite]) {
    invoke(.didUpdateSatellites, (manager, satellites)) { $0.locationManager(manager, didUpdateSatellites: satellites) }
  }

  /// Observed as `didReachEndOfRecording`.
  public func locationManagerDidReachEndOfRecording(_ manager: LocationManager) {
    invoke(.didReachEndOfRecording, manager) { $0.locationManagerDidReachEndOfRecording(manager) }
  }
}

/// Names a method of a manager's delegate.
public typealias ManagerMethod<Arguments: Sendable> = DelegateMethod<any LocationManagerDelegate, Arguments>

extension DelegateMethod where Delegate == any LocationManagerDelegate {
  /// `locationManager(_:didUpdateLocations:)`
  public static var didUpdateLocations: ManagerMethod<(manager: LocationManager, locations: [Location])> { .init() }

  /// `locationManager(_:didFailWithError:)`
  public static var didFailWithError: ManagerMethod<(manager: LocationManager, error: LocationError)> { .init() }

  /// `locationManagerDidChangeAuthorization(_:)`
  public static var didChangeAuthorization: ManagerMethod<(manager: LocationManager, status: AuthorizationStatus)> {
    .init()
  }

  /// `locationManagerDidPauseLocationUpdates(_:)`
  public static var didPauseLocationUpdates: ManagerMethod<LocationManager> { .init() }

  /// `locationManagerDidResumeLocationUpdates(_:)`
  public static var didResumeLocationUpdates: ManagerMethod<LocationManager> { .init() }

  /// `locationManagerShouldDisplayHeadingCalibration(_:)`
  public static var shouldDisplayHeadingCalibration: ManagerMethod<LocationManager> { .init() }

  /// `locationManagerDidReachEndOfRecording(_:)`
  public static var didReachEndOfRecording: ManagerMethod<LocationManager> { .init() }

  /// `locationManager(_:didUpdateHeading:)`
  public static var didUpdateHeading: ManagerMethod<(manager: LocationManager, heading: Heading)> { .init() }

  /// `locationManager(_:didVisit:)`
  public static var didVisit: ManagerMethod<(manager: LocationManager, visit: Visit)> { .init() }

  /// `locationManager(_:didEnterRegion:)`
  public static var didEnterRegion: ManagerMethod<(manager: LocationManager, region: Region, location: Location?)> {
    .init()
  }

  /// `locationManager(_:didExitRegion:)`
  public static var didExitRegion: ManagerMethod<(manager: LocationManager, region: Region, location: Location?)> {
    .init()
  }

  /// `locationManager(_:didStartMonitoringFor:)`
  public static var didStartMonitoring: ManagerMethod<(manager: LocationManager, region: Region)> { .init() }

  /// `locationManager(_:didDetermineState:for:)`
  public static var didDetermineState: ManagerMethod<(manager: LocationManager, state: RegionState, region: Region)> {
    .init()
  }

  /// `locationManager(_:monitoringDidFailFor:withError:)`
  public static var monitoringDidFail: ManagerMethod<(manager: LocationManager, region: Region?, error: LocationError)>
  { .init() }

  /// `locationManager(_:didChangeSourceStatus:)`
  public static var didChangeSourceStatus: ManagerMethod<(manager: LocationManager, status: LocationSourceStatus)> {
    .init()
  }

  /// `locationManager(_:didChangeFixState:)`
  public static var didChangeFixState: ManagerMethod<(manager: LocationManager, state: FixState)> { .init() }

  /// `locationManager(_:didChangeDoubts:)`
  public static var didChangeDoubts: ManagerMethod<(manager: LocationManager, doubts: Doubts)> { .init() }

  /// `locationManager(_:didUpdateSatellites:)`
  public static var didUpdateSatellites: ManagerMethod<(manager: LocationManager, satellites: [Satellite])> { .init() }
}
