import FoundationEssentials
import HeadlessMap
import Journal
import LocationKit
import Publishing
import Rx
import RxBinding
import RxLocation

/// The one flow of this program: a source's locations to whatever is bound to them and, over a map that follows them, to
/// what is bound to its regions.
@MainActor
final class Pipeline {
  let locationManager: LocationManager
  let mapView = MapView()
  private(set) lazy var regionRecords = RegionRecords(of: mapView)
  /// The satellites in view, for as long as anybody is subscribed; a later subscriber gets the last ones first.
  let satellites: Observable<[Satellite]>
  /// The fences that are watched, whenever they were set.
  let fences = PublishRelay<[CircularRegion]>()
  private let hasStarted = BehaviorRelay(value: false)
  private let centering = SerialDisposable()
  private let bag = DisposeBag()
  private var settings: Settings

  init(source: any LocationSource, settings: Settings) {
    locationManager = LocationManager(source: source)
    // Before the start, satellites would run the source while nobody takes its locations.
    let updates = locationManager.satellitesWhileWanted
    satellites = hasStarted.filter { $0 }.take(1).flatMap { _ in updates }.share(replay: 1, scope: .whileConnected)
    self.settings = settings
    centering.disposed(by: bag)
    set(settings)
  }

  /// What could not be had: locations, and the watching of fences.
  var errors: Observable<LocationError> {
    Observable.merge(locationManager.rx.didFailWithError, locationManager.rx.monitoringDidFail.map(\.error))
  }

  /// Begins to follow the source. Nothing runs it before, or what it reports would be lost.
  ///
  /// - Parameter states: What is known of fences from an earlier run.
  func start(knowing states: [FenceState]) {
    // Satellites first: a source whose thread runs at once decodes what is wanted by then, and locations in any case.
    hasStarted.accept(true)
    watch(knowing: states)
    locationManager.startUpdatingLocation()
  }

  /// Takes over filters, span and fences; a fence that stays as it was keeps its state.
  func apply(_ settings: Settings) {
    set(settings)
    watch()
  }

  /// Adds, moves or removes fences, until settings are read again.
  ///
  /// - Returns: The number of fences that are watched then; `nil` if that would be more than `fenceLimit`. Then no fence
  ///   changes.
  func change(_ changes: [FenceChange]) -> Int? {
    var fences = settings.watch.fences
    for change in changes {
      switch change {
      case .remove(let name): fences.removeAll { $0.identifier == name }
      case .set(let region):
        if let index = fences.firstIndex(where: { $0.identifier == region.identifier }) {
          fences[index] = region
        } else {
          fences.append(region)
        }
      }
    }
    guard fences.count <= max(Self.fenceLimit, settings.watch.fences.count) else { return nil }
    settings.watch.fences = fences
    watch()
    return fences.count
  }

  /// The most fences after a command, because commands come from the network.
  static let fenceLimit = 4096

  /// Takes no more fixes.
  func stop() {
    locationManager.stopUpdatingLocation()
  }

  /// Takes over filters and span.
  private func set(_ settings: Settings) {
    self.settings = settings
    locationManager.distanceFilter = settings.distanceFilter
    locationManager.staleAfter = settings.watch.staleAfter
    locationManager.accuracyFilter = settings.accuracy
    centering.disposable = locationManager.rx.didUpdateLocations
      .compactMap { $0.last }
      .bind(to: mapView.rx.center(latitudinalMeters: settings.span, longitudinalMeters: settings.span))
  }

  /// Takes over fences, which run the source.
  private func watch(knowing states: [FenceState] = []) {
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
    self.fences.accept(settings.watch.fences)
  }
}
