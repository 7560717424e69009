import FoundationEssentials
import HeadlessMap
import Journal
import LocationKit
import Publishing
import Records
import Rx
import RxBinding
import RxLocation

/// The flow of this program: a source's locations go to views of this pipeline, to which the outputs are bound.
@MainActor
final class Pipeline {
  let locationManager: LocationManager
  var views: [PipelineView] = []
  /// The satellites in view, while there are subscribers; a later subscriber first gets the latest ones.
  let satellites: Observable<[Satellite]>
  let headings: Observable<Heading>
  /// Sent at each report of the source that there is no fix.
  let reportsWithoutFix = PublishRelay<Void>()
  let fences = PublishRelay<[Region]>()
  private let hasStarted = BehaviorRelay(value: false)
  private let bag = DisposeBag()
  private(set) var settings: Settings
  let filter: FixFilter?
  /// The fixes for the outputs, after `--max-speed` and `--hold`. Fences see every fix.
  let locations: ControlEvent<[Location]>

  init(source: any LocationSource, settings: Settings, earliestDate: Date? = nil) {
    locationManager = LocationManager(source: source)
    locationManager.startMonitoringDoubts(notBefore: earliestDate)
    // Before the start, a satellite subscription would run the source while its locations have no subscriber.
    let updates = locationManager.satellitesWhileWanted
    satellites = hasStarted.filter { $0 }.take(1).flatMap { _ in updates }.share(replay: 1, scope: .whileConnected)
    let turns = locationManager.headingsWhileWanted
    headings = hasStarted.filter { $0 }.take(1).flatMap { _ in turns }.share()
    locationManager.headingFilter = nil
    self.settings = settings
    let fixes = locationManager.rx.didUpdateLocations
    let filter = FixFilter(settings)
    self.filter = filter
    // The filter sees each fix once, however many outputs there are.
    locations =
      filter.map { filter in
        ControlEvent(events: fixes.map { filter.filter($0) }.filter { !$0.isEmpty }.share())
      } ?? fixes
    locationManager.rx.didChangeFixState
      .filter { $0.loss != nil }
      .bind(to: Binder(self) { pipeline, _ in pipeline.filter?.reset() })
      .disposed(by: bag)
    locationManager.onReportWithoutFix = { [reportsWithoutFix] in reportsWithoutFix.accept(()) }
    set(settings)
  }

  /// The errors of locations and fences. That a receiver has no compass is not one of them.
  var errors: MainObservable<LocationError> {
    Observable.merge(
      locationManager.rx.didFailWithError.filter { $0.code != .headingFailure },
      locationManager.rx.monitoringDidFail.map(\.error))
  }

  /// Starts following the source. The source does not run earlier, so no report is lost.
  func start(knowing states: [FenceState]) {
    // Satellites come first: the source's thread may start at once, and decodes satellites only if they are requested.
    hasStarted.accept(true)
    watch(knowing: states)
    locationManager.startUpdatingLocation()
  }

  /// Applies filters, span and fences; an unchanged fence keeps its state.
  func apply(_ settings: Settings) {
    set(settings)
    watch()
  }

  /// Adds, moves or removes fences until the settings are read again, and returns their number; `nil` without a change if
  /// it would exceed `fenceLimit`.
  func change(_ changes: [FenceChange]) -> Int? {
    var fences = settings.watch.fences
    for change in changes {
      switch change {
      case .remove(let name): fences.removeAll { $0.identifier == name }
      case .set(let circle):
        if let index = fences.firstIndex(where: { $0.identifier == circle.identifier }) {
          // The other side knows only the circle around polygons, and may send it back.
          if case .polygon = fences[index], fences[index].circle.isWaypoint(circle) { continue }
          fences[index] = .circle(circle)
        } else {
          fences.append(.circle(circle))
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

  /// Ends locations and crossings at the same report.
  func stop() {
    for region in locationManager.monitoredRegions { locationManager.stopMonitoring(for: region) }
    locationManager.stopUpdatingLocation()
  }

  private func set(_ settings: Settings) {
    self.settings = settings
    locationManager.distanceFilter = settings.distanceFilter
    locationManager.staleAfter = settings.staleAfter
    locationManager.accuracyFilter = settings.accuracy
    for view in views { view.show(span: settings.span) }
  }

  private func watch(knowing states: [FenceState] = []) {
    let fences = Set(settings.watch.fences)
    for region in locationManager.monitoredRegions.subtracting(fences) { locationManager.stopMonitoring(for: region) }
    for region in fences.subtracting(locationManager.monitoredRegions) {
      guard let known = states.first(where: { $0.region == region.circle }), let time = known.time else {
        locationManager.startMonitoring(for: region)
        continue
      }
      // The period is in the receiver's time, so a replayed recording does not keep the states of its last run.
      locationManager.startMonitoring(for: region, assuming: known.state, during: time...time + settings.fenceMemory)
    }
    self.fences.accept(settings.watch.fences)
  }
}

extension CircularRegion {
  /// Whether a circle is this one within the metre to which waypoints are written.
  fileprivate func isWaypoint(_ other: CircularRegion) -> Bool {
    center.distance(from: other.center) < 1 && abs(radius - other.radius) <= 1
  }
}

/// The map's regions as records, each with the time of its fix. A record is made once for all outputs, and only if
/// there is an output.
@MainActor
final class RegionRecords {
  private let mapView: MapView
  private let formatter = NDJSONFormatter()
  private var buffer = RecordBuffer()
  typealias Filter = @MainActor (LocationCoordinate2D, Date?) -> Bool
  private var writers: [(isWanted: Filter, write: @MainActor (borrowing RecordBuffer) -> Void)] = []
  private let bag = DisposeBag()

  init(of mapView: MapView) { self.mapView = mapView }

  /// Calls `write` with each later record, including its newline, whose center and time `isWanted` accepts.
  func forEach(
    _ write: @escaping @MainActor (borrowing RecordBuffer) -> Void, where isWanted: @escaping Filter = { _, _ in true }
  ) {
    writers.append((isWanted, write))
    guard writers.count == 1 else { return }
    mapView.rx.timedRegionDidChange
      .bind(with: self) { records, update in
        records.buffer.removeAll()
        records.formatter.append(update.region, at: update.timestamp, to: &records.buffer)
        for writer in records.writers where writer.isWanted(update.region.center, update.timestamp) {
          writer.write(records.buffer)
        }
      }
      .disposed(by: bag)
  }
}

extension LocationManager {
  /// The satellites in view, which the manager updates while there is a subscriber. One subscriber at a time.
  var satellitesWhileWanted: Observable<[Satellite]> {
    whileWanted(rx.didUpdateSatellites, start: { $0.startUpdatingSatellites() }, stop: { $0.stopUpdatingSatellites() })
  }

  /// The reports of a compass, in the same way.
  fileprivate var headingsWhileWanted: Observable<Heading> {
    whileWanted(rx.didUpdateHeading, start: { $0.startUpdatingHeading() }, stop: { $0.stopUpdatingHeading() })
  }

  private func whileWanted<Update: Sendable>(
    _ updates: ControlEvent<Update>, start: @escaping @MainActor @Sendable (LocationManager) -> Void,
    stop: @escaping @MainActor @Sendable (LocationManager) -> Void
  ) -> Observable<Update> {
    Observable.create { [weak self] observer in
      MainActor.assumeIsolated {
        let subscription = updates.subscribe(observer)
        if let self { start(self) }
        return Disposables.create {
          subscription.dispose()
          MainQueue.run { if let self { stop(self) } }
        }
      }
    }
  }
}
