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

/// What an output may know of the pipeline. Only a policy makes one, so no output can forget its policy.
@MainActor @dynamicMemberLookup
final class PipelineView {
  let policy: PrivacyPolicy
  let mapView = MapView()
  private(set) lazy var regionRecords = RegionRecords(of: mapView)
  let sourceStatuses: MainObservable<LocationSourceStatus>
  let change: @MainActor ([FenceChange]) -> Int?
  /// The number of fixes that `--max-speed` left out; `nil` without it.
  let jumpCount: (@MainActor () -> Int)?
  let skippedLines: @Sendable () -> [String: Int]
  var clock: any LocationClock { locationManager.source.clock }
  /// The receiver's time of the last fix, of a hidden one too.
  var lastFixTime: Date? { locationManager.location?.timestamp }

  private let streams: PipelineStreams
  private let locationManager: LocationManager
  private let centering = SerialDisposable()
  private let bag = DisposeBag()

  fileprivate init(of pipeline: Pipeline, _ policy: PrivacyPolicy) {
    (self.policy, locationManager) = (policy, pipeline.locationManager)
    streams = policy.isExact ? PipelineStreams(of: pipeline) : FilteredPipeline(of: pipeline, policy, bag).streams
    sourceStatuses = locationManager.rx.didChangeSourceStatus.asMainObservable()
    change = { [weak pipeline] in pipeline?.change($0) }
    if let fixes = pipeline.filter { jumpCount = { fixes.jumpCount } } else { jumpCount = nil }
    skippedLines = { [source = pipeline.locationManager.source] in source.skippedLines }
    centering.disposed(by: bag)
    show(span: pipeline.settings.span)
  }

  subscript<Stream>(dynamicMember stream: KeyPath<PipelineStreams, Stream>) -> Stream { streams[keyPath: stream] }

  /// Sets the map's height and width in metres.
  func show(span: LocationDistance) {
    centering.disposable =
      streams.locations
      .compactMap { $0.last }
      .bind(to: mapView.rx.center(latitudinalMeters: span, longitudinalMeters: span))
  }
}

struct PipelineStreams {
  let locations: MainObservable<[Location]>
  let errors: MainObservable<LocationError>
  let losses: MainObservable<FixLoss>
  /// Crossings of fences, for the exact policy. Other destinations have them from the journal only.
  let crossings: MainObservable<RegionCrossing>
  let regionStates: MainObservable<(state: RegionState, region: Region)>
  /// Sent when the location is hidden from then on.
  let hidden: MainObservable<Void>
  /// The watched fences that the output may know, at each change.
  let fences: Observable<[Region]>
  let satellites: Observable<[Satellite]>
  let headings: Observable<Heading>
  /// Sent at each report of the receiver that it has no fix, and the doubts at each change; for the exact policy only.
  let reportsWithoutFix: Observable<Void>
  let doubts: MainObservable<Doubts>
}

extension PipelineStreams {
  @MainActor
  fileprivate init(of pipeline: Pipeline) {
    let rx = pipeline.locationManager.rx
    self.init(
      locations: pipeline.locations.asMainObservable(), errors: pipeline.errors,
      losses: rx.didChangeFixState.compactMap { $0.loss }, crossings: rx.didCrossRegion.asMainObservable(),
      regionStates: rx.didDetermineState.asMainObservable(), hidden: PublishRelay().asMainObservable(),
      fences: pipeline.fences.asObservable(), satellites: pipeline.satellites, headings: pipeline.headings,
      reportsWithoutFix: pipeline.reportsWithoutFix.asObservable(), doubts: rx.didChangeDoubts.asMainObservable())
  }
}

/// A pipeline behind a privacy filter, which lives as long as its subscriptions.
@MainActor
private final class FilteredPipeline {
  private var filter: PrivacyFilter
  private var last: Location?
  /// States of regions that were found while the location is hidden.
  private var waitingStates: [(state: RegionState, region: Region)] = []
  private let locations = PublishRelay<[Location]>()
  private let errors = PublishRelay<LocationError>()
  private let losses = PublishRelay<FixLoss>()
  private let regionStates = PublishRelay<(state: RegionState, region: Region)>()
  private let hidden = PublishRelay<Void>()
  private let isHidden = BehaviorRelay(value: true)
  let streams: PipelineStreams

  /// Follows a pipeline until `bag` is released.
  init(of pipeline: Pipeline, _ policy: PrivacyPolicy, _ bag: DisposeBag) {
    filter = PrivacyFilter(policy)
    let satellites = pipeline.satellites.map { [isHidden] in isHidden.value ? [] : $0 }
    streams = PipelineStreams(
      locations: locations.asMainObservable(), errors: errors.asMainObservable(), losses: losses.asMainObservable(),
      crossings: PublishRelay().asMainObservable(), regionStates: regionStates.asMainObservable(),
      hidden: hidden.asMainObservable(), fences: pipeline.fences.map { $0.filter { policy.tells($0.circle) } },
      satellites: policy.hasGrid ? .never() : satellites,
      headings: policy.hasGrid ? .never() : pipeline.headings.filter { [isHidden] _ in !isHidden.value },
      reportsWithoutFix: .never(), doubts: PublishRelay().asMainObservable())
    let rx = pipeline.locationManager.rx
    pipeline.locations.subscribe(onNext: { self.send($0) }).disposed(by: bag)
    // Errors of fences are left out, because they name fences.
    rx.didFailWithError
      .filter { $0.code != .headingFailure }
      .subscribe(onNext: { error in self.sendLoss { self.errors.accept(error) } })
      .disposed(by: bag)
    rx.didChangeFixState
      .compactMap { $0.loss?.reason }
      .subscribe(onNext: { reason in self.sendLoss { self.losses.accept(FixLoss(reason, location: self.last)) } })
      .disposed(by: bag)
    rx.didDetermineState
      .filter { policy.tells($0.region.circle) }
      .subscribe(onNext: { state in
        self.waitingStates.append(state)
        self.sendStates()
      })
      .disposed(by: bag)
  }

  private func send(_ batch: [Location]) {
    for location in batch {
      switch filter.disclose(location) {
      case .location(let location):
        last = location
        locations.accept([location])
      case .hidden: sendHidden()
      case .nothing: break
      }
    }
    isHidden.accept(filter.isHidden)
    sendStates()
  }

  /// Sends a loss of the fix. Within a hidden zone its place and its reason are hidden as well.
  private func sendLoss(_ send: () -> Void) {
    let isHidden = filter.isHidden
    guard filter.disclosesLoss() else { return }
    if isHidden { sendHidden() } else { send() }
  }

  private func sendHidden() {
    errors.accept(PrivacyFilter.hiding)
    losses.accept(FixLoss(.receiver, location: last))
    hidden.accept(())
  }

  private func sendStates() {
    guard !filter.isHidden else { return }
    let states = waitingStates
    waitingStates = []
    for state in states { regionStates.accept(state) }
  }
}

extension PublishRelay {
  fileprivate func asMainObservable() -> MainObservable<Element> { ControlEvent(events: self).asMainObservable() }
}
