import HeadlessMap
import LocationKit
import Output
import Rx
import RxBinding
import RxLocation

/// The one flow of this program: a source's locations to the location stream and, over a map that follows
/// them, to the regions.
@MainActor
final class Pipeline {
  let locationManager: LocationManager
  let mapView = MapView()
  private let centering = SerialDisposable()
  private let bag = DisposeBag()

  init(source: any LocationSource, settings: Settings, locations: LocationStream, regions: RegionStream) {
    locationManager = LocationManager(source: source)
    bind(locationManager, to: locations)

    // Subscribed before the map follows the locations, so that the latest of them is the one that moved the map.
    mapView.rx.regionDidChange
      .withLatestFrom(locationManager.rx.didUpdateLocations) { ($0, $1.last?.timestamp) }
      .bind(to: regions.rx.timedRegion)
      .disposed(by: bag)
    centering.disposed(by: bag)
    apply(settings)
  }

  /// Takes over filters, span and fences; a fence that stays as it was keeps its state.
  func apply(_ settings: Settings) {
    locationManager.distanceFilter = settings.distanceFilter
    locationManager.staleAfter = settings.staleAfter
    locationManager.accuracyFilter = settings.accuracy

    let fences = Set(settings.fences)
    for region in locationManager.monitoredRegions.subtracting(fences) { locationManager.stopMonitoring(for: region) }
    for region in fences.subtracting(locationManager.monitoredRegions) { locationManager.startMonitoring(for: region) }

    centering.disposable = locationManager.rx.didUpdateLocations
      .compactMap { $0.last }
      .bind(to: mapView.rx.center(latitudinalMeters: settings.span, longitudinalMeters: settings.span))
  }

  private func bind(_ locationManager: LocationManager, to locations: LocationStream) {
    locationManager.rx.didUpdateLocations
      .bind(to: locations.rx.locations)
      .disposed(by: bag)
    Observable.merge(locationManager.rx.didFailWithError, locationManager.rx.monitoringDidFail.map(\.error))
      .bind(to: locations.rx.error)
      .disposed(by: bag)
    locationManager.rx.didCrossRegion
      .bind(to: locations.rx.crossing)
      .disposed(by: bag)
  }
}
