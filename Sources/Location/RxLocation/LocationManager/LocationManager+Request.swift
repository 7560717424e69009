public import Dispatch
public import LocationKit
public import Rx
import RxBinding

@MainActor
extension Reactive where Base: LocationManager {
  /// Asks for one location, anew for each subscription.
  ///
  /// It succeeds with the first location that the manager delivers, and fails with the `LocationError` that the manager
  /// reports instead, which it does after `staleAfter` seconds at the latest, or with `RxError.timeout`. An error of
  /// headings is none of its own. When it is disposed before, the manager's request goes on until it is answered.
  ///
  /// - Parameter timeout: How long to wait, in the time of the manager's source; as long as the manager does unless told
  ///   otherwise.
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
