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
    let delegate = delegate
    let locations = delegate.methodInvoked(.didUpdateLocations).compactMap { $0.locations.last }
    let failures = delegate.methodInvoked(.didFailWithError)
      .filter { $0.error.code != .headingFailure }
      .flatMap { Observable<Location>.error($0.error) }
    return Observable.merge(locations, failures, expiry(after: timeout))
      .do(onSubscribed: { [weak base] in
        MainActor.assumeIsolated { base?.requestLocation() }
      })
      .take(1)
      .subscribe(on: ConcurrentMainScheduler.instance)
      .asSingle()
  }

  /// Fails after `timeout` of the source's time. Subscribed to on the main queue.
  private func expiry(after timeout: RxTimeInterval) -> Observable<Location> {
    let seconds = timeout.seconds
    guard seconds.isFinite else { return .never() }
    return .create { [weak base] observer in
      let timer = MainActor.assumeIsolated {
        base?.source.clock.schedule(after: seconds) { observer.onError(RxError.timeout) }
      }
      return Disposables.create { MainQueue.run { timer?.cancel() } }
    }
  }
}
