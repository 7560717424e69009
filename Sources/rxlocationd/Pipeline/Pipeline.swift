import FoundationEssentials
import HeadlessMap
import Journal
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

  private let journal: JournalWriter?

  init(
    source: any LocationSource, settings: Settings, locations: LocationStream, regions: RegionStream,
    journal: JournalWriter?
  ) {
    locationManager = LocationManager(source: source)
    self.journal = journal
    bind(locationManager, to: locations)
    if let journal { bind(locationManager, to: journal) }

    // Subscribed before the map follows the locations, so that the latest of them is the one that moved the map.
    mapView.rx.regionDidChange
      .withLatestFrom(locationManager.rx.didUpdateLocations) { ($0, $1.last?.timestamp) }
      .bind(to: regions.rx.timedRegion)
      .disposed(by: bag)
    centering.disposed(by: bag)
    apply(settings, knowing: journal?.fences ?? [])
  }

  /// Takes over filters, span and fences; a fence that stays as it was keeps its state.
  ///
  /// - Parameter states: What the journal knows of fences from an earlier run.
  func apply(_ settings: Settings, knowing states: [FenceState] = []) {
    locationManager.distanceFilter = settings.distanceFilter
    locationManager.staleAfter = settings.staleAfter
    locationManager.accuracyFilter = settings.accuracy

    let fences = Set(settings.fences)
    for region in locationManager.monitoredRegions.subtracting(fences) { locationManager.stopMonitoring(for: region) }
    for region in fences.subtracting(locationManager.monitoredRegions) {
      guard let known = states.first(where: { $0.region == region }), let time = known.time else {
        locationManager.startMonitoring(for: region)
        continue
      }
      // By the receiver's times: a recording that is played again is no later than itself, and starts anew.
      locationManager.startMonitoring(for: region, assuming: known.state, during: time...time + settings.fenceMemory)
    }
    journal?.keepFences(fences)

    centering.disposable = locationManager.rx.didUpdateLocations
      .compactMap { $0.last }
      .bind(to: mapView.rx.center(latitudinalMeters: settings.span, longitudinalMeters: settings.span))
  }

  /// Takes no more fixes. The fences' states are those of the last one.
  func stop() {
    locationManager.stopUpdatingLocation()
    if let time = locationManager.location?.timestamp { journal?.confirmFences(at: time) }
  }

  private func bind(_ locationManager: LocationManager, to journal: JournalWriter) {
    let times = locationManager.rx.didUpdateLocations.map { $0.last?.timestamp }.startWith(nil)
    locationManager.rx.didUpdateLocations
      .bind(to: journal.rx.locations)
      .disposed(by: bag)
    Observable.merge(locationManager.rx.didFailWithError, locationManager.rx.monitoringDidFail.map(\.error))
      .withLatestFrom(times) { ($0, $1) }
      .bind(to: journal.rx.error)
      .disposed(by: bag)
    locationManager.rx.didCrossRegion
      .bind(to: journal.rx.crossing)
      .disposed(by: bag)
    locationManager.rx.didDetermineState
      .withLatestFrom(times) { FenceState(region: $0.region, state: $0.state, time: $1) }
      .bind(to: journal.rx.fenceState)
      .disposed(by: bag)
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
