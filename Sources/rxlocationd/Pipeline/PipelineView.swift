import FoundationEssentials
import HeadlessMap
import LocationKit
import Publishing
import Rx
import RxBinding
import RxLocation

extension Pipeline {
  /// The pipeline as a destination with this policy may see it. Destinations with the same policy share a view.
  func view(for policy: PrivacyPolicy) -> PipelineView {
    if let view = views.first(where: { $0.policy == policy }) { return view }
    let view = PipelineView(of: self, policy)
    views.append(view)
    return view
  }
}

/// What an output may know of the pipeline. Only a policy makes one, so no output can forget its policy. The exact view
/// has the pipeline's own streams.
@MainActor
final class PipelineView {
  let policy: PrivacyPolicy
  /// A map that follows the locations.
  let mapView = MapView()
  private(set) lazy var regionRecords = RegionRecords(of: mapView)
  let locations: MainObservable<[Location]>
  let errors: MainObservable<LocationError>
  /// The losses of the fix.
  let losses: MainObservable<FixLoss>
  /// Crossings of fences, in the exact view. Other destinations have them from the journal only.
  let crossings: MainObservable<RegionCrossing>
  let regionStates: MainObservable<(state: RegionState, region: CircularRegion)>
  /// The location is hidden from now on.
  let hidings: MainObservable<Void>
  let sourceStatuses: MainObservable<LocationSourceStatus>
  /// The watched fences that the output may know, at each change.
  let fences: Observable<[CircularRegion]>
  let satellites: Observable<[Satellite]>
  /// Changes fences, as `Pipeline.change` does.
  let change: @MainActor ([FenceChange]) -> Int?
  /// The number of fixes that `--max-speed` left out; `nil` without it.
  let jumpCount: (@MainActor () -> Int)?
  /// The lines that the source has skipped, by kind.
  let skippedLines: @Sendable () -> [String: Int]
  /// The source's clock.
  var clock: any LocationClock { locationManager.source.clock }
  /// The receiver's time of the last fix, of a hidden one too.
  var lastFixTime: Date? { locationManager.location?.timestamp }

  private let locationManager: LocationManager
  private let centering = SerialDisposable()
  private let bag = DisposeBag()

  // MARK: The state of a view that is not exact

  private var filter: PrivacyFilter
  /// The last location that was told.
  private var last: Location?
  /// States of regions that were found while the location is hidden.
  private var waitingStates: [(state: RegionState, region: CircularRegion)] = []
  private let told = Told()

  private struct Told {
    let locations = PublishRelay<[Location]>()
    let errors = PublishRelay<LocationError>()
    let losses = PublishRelay<FixLoss>()
    let regionStates = PublishRelay<(state: RegionState, region: CircularRegion)>()
    let hidings = PublishRelay<Void>()
    let isHidden = BehaviorRelay(value: true)
  }

  fileprivate init(of pipeline: Pipeline, _ policy: PrivacyPolicy) {
    (self.policy, filter, locationManager) = (policy, PrivacyFilter(policy), pipeline.locationManager)
    let (rx, isExact) = (pipeline.locationManager.rx, policy.isExact)
    locations = isExact ? pipeline.locations.asMainObservable() : Self.stream(told.locations)
    errors = isExact ? pipeline.errors : Self.stream(told.errors)
    losses = isExact ? rx.didChangeFixState.compactMap { $0.loss } : Self.stream(told.losses)
    crossings = isExact ? rx.didCrossRegion.asMainObservable() : Self.stream(PublishRelay())
    regionStates = isExact ? rx.didDetermineState.asMainObservable() : Self.stream(told.regionStates)
    hidings = Self.stream(told.hidings)
    sourceStatuses = rx.didChangeSourceStatus.asMainObservable()
    fences = isExact ? pipeline.fences.asObservable() : pipeline.fences.map { $0.filter(policy.tells) }
    satellites =
      isExact
      ? pipeline.satellites
      : policy.hasGrid
        ? .never() : pipeline.satellites.map { [isHidden = told.isHidden] in isHidden.value ? [] : $0 }
    change = { [weak pipeline] in pipeline?.change($0) }
    if let fixes = pipeline.filter {
      jumpCount = { fixes.jumpCount }
    } else {
      jumpCount = nil
    }
    skippedLines = { [source = pipeline.locationManager.source] in source.skippedLines }
    centering.disposed(by: bag)
    show(span: pipeline.settings.span)
    if !isExact { follow(pipeline) }
  }

  private static func stream<Element>(_ relay: PublishRelay<Element>) -> MainObservable<Element> {
    ControlEvent(events: relay).asMainObservable()
  }

  /// Sets the map's height and width in metres.
  func show(span: LocationDistance) {
    centering.disposable =
      locations
      .compactMap { $0.last }
      .bind(to: mapView.rx.center(latitudinalMeters: span, longitudinalMeters: span))
  }

  private func follow(_ pipeline: Pipeline) {
    let rx = locationManager.rx
    pipeline.locations.subscribe(with: self, onNext: { $0.tell($1) }).disposed(by: bag)
    // Errors of fences are left out, because they name fences.
    rx.didFailWithError
      .subscribe(with: self, onNext: { view, error in view.tellLoss { $0.errors.accept(error) } })
      .disposed(by: bag)
    rx.didChangeFixState
      .compactMap { $0.loss?.reason }
      .subscribe(
        with: self,
        onNext: { view, reason in
          view.tellLoss { [last = view.last] in $0.losses.accept(FixLoss(reason, location: last)) }
        }
      )
      .disposed(by: bag)
    rx.didDetermineState
      .filter { [policy] in policy.tells($0.region) }
      .subscribe(
        with: self,
        onNext: { view, change in
          view.waitingStates.append(change)
          view.tellStates()
        }
      )
      .disposed(by: bag)
  }

  private func tell(_ locations: [Location]) {
    for location in locations {
      switch filter.disclose(location) {
      case .location(let location):
        last = location
        told.locations.accept([location])
      case .hidden: hide()
      case .nothing: break
      }
    }
    told.isHidden.accept(filter.isHidden)
    tellStates()
  }

  private func tellLoss(_ tell: (Told) -> Void) {
    let isHidden = filter.isHidden
    guard filter.disclosesLoss() else { return }
    if isHidden { hide() } else { tell(told) }
  }

  private func hide() {
    told.errors.accept(PrivacyFilter.hiding)
    told.losses.accept(FixLoss(.receiver, location: last))
    told.hidings.accept(())
  }

  private func tellStates() {
    guard !filter.isHidden else { return }
    let states = waitingStates
    waitingStates = []
    for state in states { told.regionStates.accept(state) }
  }
}
