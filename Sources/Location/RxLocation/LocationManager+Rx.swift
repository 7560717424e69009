public import Dispatch
public import LocationKit
public import Rx
// Its operators are those of the streams, so a file that uses these has to see them.
@_exported public import RxBinding

extension LocationManager: ReactiveCompatible {}

/// The delegate calls of a manager as control events. Each sends its elements on the main actor, after the user's own
/// delegate was called, and completes when the manager is released. The closures of their operators belong to the main
/// actor, too; `asObservable()` makes an ordinary sequence.
@MainActor
extension Reactive where Base: LocationManager {
  /// The manager's delegate proxy.
  public var delegate: DelegateProxy<LocationManager, any LocationManagerDelegate> {
    RxLocationManagerDelegateProxy.proxy(for: base)
  }

  /// Sets a delegate that is called in addition to the streams, until the result is disposed. It is held weakly.
  public func setDelegate(_ delegate: any LocationManagerDelegate) -> any Disposable {
    RxLocationManagerDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }

  private func event<Arguments: Sendable, Element: Sendable>(
    _ method: ManagerMethod<Arguments>, _ element: @escaping @Sendable (Arguments) -> Element
  ) -> ControlEvent<Element> {
    ControlEvent(events: delegate.methodInvoked(method).map(element))
  }

  // MARK: Locations

  /// New locations, the oldest first; never empty.
  public var didUpdateLocations: ControlEvent<[Location]> { event(.didUpdateLocations) { $0.locations } }

  /// The errors of the manager.
  public var didFailWithError: ControlEvent<LocationError> { event(.didFailWithError) { $0.error } }

  /// The state of the fix, whenever it changes.
  public var didChangeFixState: ControlEvent<FixState> { event(.didChangeFixState) { $0.state } }

  /// The reasons to doubt the fix, whenever they change, after `startMonitoringDoubts()`.
  public var didChangeDoubts: ControlEvent<Doubts> { event(.didChangeDoubts) { $0.doubts } }

  /// The manager's last location, now and whenever there is a new one; `nil` before the first.
  ///
  /// Like `LocationManager.location`, it keeps the last location after the fix is lost; `didChangeFixState` reports the
  /// loss.
  public var location: Driver<Location?> {
    let updates = delegate.methodInvoked(.didUpdateLocations).map { $0.locations }
    return Observable<Location?>.deferred { [weak base] in
      let current = MainActor.assumeIsolated { base?.location }
      return updates.map { $0.last }.startWith(current)
    }
    .subscribe(on: ConcurrentMainScheduler.instance)
    .asDriver(onErrorDriveWith: .empty())
  }

  /// The manager pauses updates, because the receiver has not moved for a while.
  public var didPauseLocationUpdates: ControlEvent<Void> { event(.didPauseLocationUpdates) { _ in } }

  /// The manager resumes updates after a pause.
  public var didResumeLocationUpdates: ControlEvent<Void> { event(.didResumeLocationUpdates) { _ in } }

  /// A visit began or ended.
  public var didVisit: ControlEvent<Visit> { event(.didVisit) { $0.visit } }

  // MARK: Authorization

  /// Whether this process may use the source, once it is known and whenever it changes.
  public var didChangeAuthorization: ControlEvent<AuthorizationStatus> { event(.didChangeAuthorization) { $0.status } }

  // MARK: Headings

  /// New headings.
  public var didUpdateHeading: ControlEvent<Heading> { event(.didUpdateHeading) { $0.heading } }

  // MARK: Regions

  /// Regions that the receiver has entered.
  public var didEnterRegion: ControlEvent<Region> { event(.didEnterRegion) { $0.region } }

  /// Regions that the receiver has left.
  public var didExitRegion: ControlEvent<Region> { event(.didExitRegion) { $0.region } }

  /// Regions that the receiver has entered or left, each with the location that showed the crossing.
  ///
  /// `distanceFilter` may keep that location out of `didUpdateLocations`.
  public var didCrossRegion: ControlEvent<RegionCrossing> {
    ControlEvent(
      events: Observable.merge(
        delegate.methodInvoked(.didEnterRegion).compactMap { call in
          call.location.map { RegionCrossing(call.region, .inside, at: $0) }
        },
        delegate.methodInvoked(.didExitRegion).compactMap { call in
          call.location.map { RegionCrossing(call.region, .outside, at: $0) }
        }))
  }

  /// The states of regions: the first known one, each change, and the answers to `requestState(for:)`.
  public var didDetermineState: ControlEvent<(state: RegionState, region: Region)> {
    event(.didDetermineState) { ($0.state, $0.region) }
  }

  /// Regions that the manager has started to monitor.
  public var didStartMonitoring: ControlEvent<Region> { event(.didStartMonitoring) { $0.region } }

  /// Regions that the manager cannot monitor, and why.
  public var monitoringDidFail: ControlEvent<(region: Region?, error: LocationError)> {
    event(.monitoringDidFail) { ($0.region, $0.error) }
  }

  // MARK: The source

  /// The status of the source, such as connecting, waiting for the next try, or ended.
  public var didChangeSourceStatus: ControlEvent<LocationSourceStatus> { event(.didChangeSourceStatus) { $0.status } }

  /// The satellites in view, each once, whenever one of them changes. They need `startUpdatingSatellites()`, as
  /// headings need `startUpdatingHeading()`.
  public var didUpdateSatellites: ControlEvent<[Satellite]> { event(.didUpdateSatellites) { $0.satellites } }

  /// The recording has ended and no event follows; sent at once if that was before. A live source never ends.
  public var didReachEndOfRecording: ControlEvent<Void> {
    let ends = delegate.methodInvoked(.didReachEndOfRecording).map { _ in }
    // A control event subscribes on the main queue.
    return ControlEvent(
      events: Observable<Void>.deferred { [weak base] in
        MainActor.assumeIsolated { base?.source.status == .finished } ? ends.startWith(()).take(1) : ends
      })
  }

  // MARK: Requests

  /// Requests one location for each subscription.
  ///
  /// It succeeds with the first location that the manager delivers. It fails with the `LocationError` that the manager
  /// reports after `staleAfter` seconds at the latest, or with `RxError.timeout`. Heading errors are ignored. After an
  /// early disposal the manager's request goes on until it is answered.
  ///
  /// - Parameter timeout: The longest wait, in the time of the manager's source; by default the manager's own limit.
  public func requestLocation(timeout: RxTimeInterval = .never) -> Single<Location> {
    let locations = delegate.methodInvoked(.didUpdateLocations).compactMap { $0.locations.last }
    let failures = delegate.methodInvoked(.didFailWithError)
      .filter { $0.error.code != .headingFailure }
      .flatMap { Observable<Location>.error($0.error) }
    return Observable.merge(locations, failures).take(1)
      .timeout(timeout, scheduler: clock)
      .do(onSubscribed: { [weak base] in MainActor.assumeIsolated { base?.requestLocation() } })
      .subscribe(on: ConcurrentMainScheduler.instance)
      .asSingle()
  }
}
