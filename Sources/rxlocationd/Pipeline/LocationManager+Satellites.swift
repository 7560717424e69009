import LocationKit
import Rx
import RxBinding
import RxLocation

extension LocationManager {
  /// The satellites in view, which the manager updates while there is a subscriber. One subscriber at a time.
  var satellitesWhileWanted: Observable<[Satellite]> {
    let updates = rx.didUpdateSatellites
    return Observable.create { [weak self] observer in
      MainActor.assumeIsolated {
        let subscription = updates.subscribe(observer)
        self?.startUpdatingSatellites()
        return Disposables.create {
          subscription.dispose()
          MainQueue.run { self?.stopUpdatingSatellites() }
        }
      }
    }
  }
}
