public import Dispatch
public import LocationKit
public import Rx
public import RxBinding

extension LocationManager: ReactiveCompatible {}

/// The calls of a manager's delegate as streams: each has its elements after the user's own delegate was called, on the main
/// actor, and completes when the manager goes.
@MainActor
extension Reactive where Base: LocationManager {
  /// The manager's delegate proxy.
  public var delegate: DelegateProxy<LocationManager, any LocationManagerDelegate> {
    RxLocationManagerDelegateProxy.proxy(for: base)
  }

  /// Has a delegate called besides the streams, until the result is disposed. It is held weakly.
  public func setDelegate(_ delegate: any LocationManagerDelegate) -> any Disposable {
    RxLocationManagerDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }

  // MARK: Locations

  /// New locations, oldest first, never empty.
  public var didUpdateLocations: Observable<[Location]> {
    delegate.methodInvoked(.didUpdateLocations).map { $0.locations }
  }

  /// Why the manager could not get what it was asked for.
  public var didFailWithError: Observable<LocationError> {
    delegate.methodInvoked(.didFailWithError).map { $0.error }
  }

  /// Whether there is a fix, and why not, whenever that has changed.
  public var didChangeFixState: Observable<FixState> {
    delegate.methodInvoked(.didChangeFixState).map { $0.state }
  }

  /// The manager's last location, at once and whenever there is a new one; `nil` before the first.
  ///
  /// Like `LocationManager.location` it stays as it is when there are no fixes any more; `didChangeFixState` reports that.
  public var location: Driver<Location?> {
    let updates = didUpdateLocations
    return Observable<Location?>.deferred { [weak base] in
      let current = MainActor.assumeIsolated { base?.location }
      return updates.map { $0.last }.startWith(current)
    }
    .subscribe(on: ConcurrentMainScheduler.instance)
    .asDriver(onErrorDriveWith: .empty())
  }

  /// The manager holds back updates, because the receiver has not moved for a while.
  public var didPauseLocationUpdates: Observable<Void> {
    delegate.methodInvoked(.didPauseLocationUpdates).map { _ in }
  }

  /// Updates go on after a pause.
  public var didResumeLocationUpdates: Observable<Void> {
    delegate.methodInvoked(.didResumeLocationUpdates).map { _ in }
  }

  /// A stay at a place began or ended.
  public var didVisit: Observable<Visit> {
    delegate.methodInvoked(.didVisit).map { $0.visit }
  }

  // MARK: Authorization

  /// Whether this process may use the source, whenever that was determined or has changed.
  public var didChangeAuthorization: Observable<AuthorizationStatus> {
    delegate.methodInvoked(.didChangeAuthorization).map { $0.status }
  }

  // MARK: Headings

  /// New headings.
  public var didUpdateHeading: Observable<Heading> {
    delegate.methodInvoked(.didUpdateHeading).map { $0.heading }
  }

  // MARK: Regions

  /// Regions that the receiver has crossed into.
  public var didEnterRegion: Observable<CircularRegion> {
    delegate.methodInvoked(.didEnterRegion).map { $0.region }
  }

  /// Regions that the receiver has crossed out of.
  public var didExitRegion: Observable<CircularRegion> {
    delegate.methodInvoked(.didExitRegion).map { $0.region }
  }

  /// Regions that the receiver has crossed, each with the location that showed it.
  ///
  /// That location need not be among `didUpdateLocations`, which `distanceFilter` may hold back.
  public var didCrossRegion: Observable<RegionCrossing> {
    Observable.merge(
      delegate.methodInvoked(.didEnterRegion).compactMap { call in
        call.location.map { RegionCrossing(call.region, .inside, at: $0) }
      },
      delegate.methodInvoked(.didExitRegion).compactMap { call in
        call.location.map { RegionCrossing(call.region, .outside, at: $0) }
      })
  }

  /// The states of regions: the first one known, each change, and the answers to `requestState(for:)`.
  public var didDetermineState: Observable<(state: RegionState, region: CircularRegion)> {
    delegate.methodInvoked(.didDetermineState).map { ($0.state, $0.region) }
  }

  /// Regions that are being watched from now on.
  public var didStartMonitoring: Observable<CircularRegion> {
    delegate.methodInvoked(.didStartMonitoring).map { $0.region }
  }

  /// Regions that cannot be watched, and why.
  public var monitoringDidFail: Observable<(region: CircularRegion?, error: LocationError)> {
    delegate.methodInvoked(.monitoringDidFail).map { ($0.region, $0.error) }
  }

  // MARK: The source

  /// What the source is doing: it connects, waits for its next try, ends.
  public var didChangeSourceStatus: Observable<LocationSourceStatus> {
    delegate.methodInvoked(.didChangeSourceStatus).map { $0.status }
  }

  /// The satellites in view, each once, whenever something about them has changed: after `startUpdatingSatellites()`, as
  /// headings come after `startUpdatingHeading()`.
  public var didUpdateSatellites: Observable<[Satellite]> {
    delegate.methodInvoked(.didUpdateSatellites).map { $0.satellites }
  }

  /// The recording is at its end and no event follows. A live source never ends.
  public var didReachEndOfRecording: Observable<Void> {
    delegate.methodInvoked(.didReachEndOfRecording).map { _ in }
  }
}

@MainActor
extension Reactive where Base: LocationManager {
  /// Asks for one location, for each subscription.
  ///
  /// It succeeds with the first location that the manager delivers, and fails with the `LocationError` that the manager
  /// reports instead, which it does after `staleAfter` seconds at the latest, or with `RxError.timeout`. An error of
  /// headings is none of its own. When it is disposed before, the manager's request goes on until it is answered.
  ///
  /// - Parameter timeout: How long to wait, in the time of the manager's source; by default as long as the manager
  ///   does.
  public func requestLocation(timeout: RxTimeInterval = .never) -> Single<Location> {
    let locations = delegate.methodInvoked(.didUpdateLocations).compactMap { $0.locations.last }
    let failures = delegate.methodInvoked(.didFailWithError)
      .filter { $0.error.code != .headingFailure }
      .flatMap { Observable<Location>.error($0.error) }
    let answer = Observable.merge(locations, failures).take(1)
    let seconds = timeout.seconds

    return Observable.create { [weak base] observer in
      MainActor.assumeIsolated {
        let subscription = answer.subscribe(observer)
        var timer: LocationTimer?
        if seconds.isFinite {
          timer = base?.source.clock.schedule(after: seconds) { observer.onError(RxError.timeout) }
        }
        base?.requestLocation()
        return Disposables.create { [timer] in
          subscription.dispose()
          MainQueue.run { timer?.cancel() }
        }
      }
    }
    .subscribe(on: ConcurrentMainScheduler.instance)
    .asSingle()
  }
}
