import RegionSockets
import FoundationEssentials
import HeadlessMap
import Journal
import LocationKit
import MapPage
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
  /// The satellites in view, for as long as anybody is subscribed; the last ones first for whoever comes later.
  let satellites: Observable<[Satellite]>
  private let hasStarted = BehaviorRelay(value: false)
  private let pageSatellites = SerialDisposable()
  private let centering = SerialDisposable()
  private let bag = DisposeBag()

  private let initial: Settings
  private let journal: JournalWriter?
  private var page: MapPage?

  init(
    source: any LocationSource, settings: Settings, locations: LocationStream, regions: RegionStream,
    journal: JournalWriter?
  ) {
    locationManager = LocationManager(source: source)
    // Before the start, satellites would run the source while nobody takes its locations.
    let updates = locationManager.satellitesWhileWanted
    satellites = hasStarted.filter { $0 }.take(1).flatMap { _ in updates }.share(replay: 1, scope: .whileConnected)
    self.journal = journal
    initial = settings
    bind(locationManager, to: locations)
    if let journal { bind(locationManager, to: journal) }

    mapView.rx.timedRegionDidChange
      .bind(to: regions.rx.timedRegion)
      .disposed(by: bag)
    centering.disposed(by: bag)
    pageSatellites.disposed(by: bag)
    set(settings)
  }

  /// Takes over filters, span and fences; a fence that stays as it was keeps its state.
  func apply(_ settings: Settings) {
    set(settings)
    watch(settings)
  }

  /// Takes over filters and span.
  private func set(_ settings: Settings) {
    locationManager.distanceFilter = settings.distanceFilter
    locationManager.staleAfter = settings.watch.staleAfter
    locationManager.accuracyFilter = settings.accuracy
    page?.setStaleAfter(settings.watch.staleAfter)
    centering.disposable = locationManager.rx.didUpdateLocations
      .compactMap { $0.last }
      .bind(to: mapView.rx.center(latitudinalMeters: settings.span, longitudinalMeters: settings.span))
  }

  /// Takes over fences, which run the source.
  ///
  /// - Parameter states: What the journal knows of fences from an earlier run.
  private func watch(_ settings: Settings, knowing states: [FenceState] = []) {
    let fences = Set(settings.watch.fences)
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
    showFences()
  }

  /// Shows the map on a page: the user, the trail and the fences, and in the page's panel what the manager knows besides.
  func show(on page: MapPage) {
    self.page = page
    mapView.rx.setDelegate(page).disposed(by: bag)
    mapView.showsUserLocation = true
    mapView.addOverlay(page.trail)
    page.setStaleAfter(locationManager.staleAfter)
    page.show(locationManager.source.status)
    showFences()

    let rx = locationManager.rx
    rx.didUpdateLocations
      .map { $0.last }
      .bind(to: mapView.rx.userLocation)
      .disposed(by: bag)
    rx.didChangeFixState
      .filter { $0.loss != nil }
      .map { _ in nil }
      .bind(to: mapView.rx.userLocation)
      .disposed(by: bag)
    rx.didChangeFixState.bind(to: page.rx.fixState).disposed(by: bag)
    rx.didChangeSourceStatus.bind(to: page.rx.sourceStatus).disposed(by: bag)
    rx.didDetermineState.bind(to: page.rx.fenceState).disposed(by: bag)
    page.onAudience = { [pageSatellites, satellites, weak page] isThere in
      pageSatellites.disposable =
        page.flatMap { isThere ? satellites.bind(to: $0.rx.satellites) : nil } ?? Disposables.create()
    }
  }

  /// The fences are circles on the map; one that stays as it was is not drawn anew.
  private func showFences() {
    guard page != nil else { return }
    let circles = mapView.overlays.compactMap { $0 as? RegionCircle }
    let regions = locationManager.monitoredRegions
    mapView.removeOverlays(circles.filter { !regions.contains($0.region) })
    let new = regions.subtracting(circles.map(\.region)).sorted { $0.identifier < $1.identifier }
    mapView.addOverlays(new.map { RegionCircle($0) })
    for region in new { locationManager.requestState(for: region) }
  }

  /// Begins to follow the source. Nothing runs it before, or what it reports would be lost.
  func start() {
    // Satellites first: a source whose thread runs at once decodes what is wanted by then, and locations in any case.
    hasStarted.accept(true)
    watch(initial, knowing: journal?.fences ?? [])
    locationManager.startUpdatingLocation()
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
