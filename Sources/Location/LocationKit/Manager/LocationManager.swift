public import FoundationEssentials

/// Delivers locations, headings, region crossings and visits from a source to a delegate: Core Location's
/// `CLLocationManager` for a host with a GPS receiver.
///
///     let manager = LocationManager(source: source)
///     manager.delegate = self
///     manager.startUpdatingLocation()
///
/// The manager runs its source only while the program has requested something. Several managers may share one source.
/// All calls of the delegate come on the main actor, and never from within the method that causes them. All times are
/// those of the source's clock, so a recording gives the same results at any speed.
///
/// ## What each member of Core Location does here
///
/// | Core Location | here |
/// | --- | --- |
/// | `delegate` | the same; every method has a default implementation |
/// | `startUpdatingLocation()`, `stopUpdatingLocation()` | the same; a second start does nothing |
/// | `requestLocation()` | the same: one fix or one error, within ``staleAfter`` |
/// | `location`, `heading` | the last known; ``isLocationStale`` tells whether the location is current |
/// | `distanceFilter` | the same, from the last delivered fix; `nil` for none |
/// | `desiredAccuracy` | ends a `requestLocation()`; a receiver always works at its best |
/// | `activityType`, `pausesLocationUpdatesAutomatically` | the same, but off by default, and updates resume by themselves |
/// | `startUpdatingHeading()`, `stopUpdatingHeading()`, `headingFilter` | the same, from a compass only; 1° by default |
/// | `locationServicesEnabled()`, `headingAvailable()` | `true`: failures come as `denied` and `headingFailure` |
/// | `headingOrientation` | not available: the sensor's own axes |
/// | `locationManagerShouldDisplayHeadingCalibration` | asked when the compass is poor; nothing is displayed |
/// | `dismissHeadingCalibrationDisplay()` | not available: nothing is displayed |
/// | `authorizationStatus`, `locationManagerDidChangeAuthorization` | what the system lets this process open |
/// | `requestWhenInUseAuthorization()`, `requestAlwaysAuthorization()` | nothing: the system's permissions decide |
/// | `accuracyAuthorization`, `requestTemporaryFullAccuracyAuthorization` | not available: accuracy is never reduced |
/// | `startMonitoring(for:)`, `stopMonitoring(for:)`, `requestState(for:)` | the same, for `CircularRegion`, per manager, without a limit of 20 |
/// | boundary crossings | by ``regionMonitoringPolicy``: Core Location's 20 s are its default |
/// | `CLMonitor.add(_:identifier:assuming:)` | ``startMonitoring(for:assuming:during:)`` |
/// | `monitoredRegions`, `maximumRegionMonitoringDistance`, `isMonitoringAvailable(for:)` | the same |
/// | `startMonitoringVisits()`, `stopMonitoringVisits()` | the same: 100 m and 5 minutes make a visit |
/// | `CLLocationUpdate.liveUpdates(_:)` | ``LocationUpdate/liveUpdates(_:from:staleAfter:bufferingPolicy:)`` |
/// | `CLMonitor` | ``LocationMonitor``, for circles, in memory |
/// | `locationManager(_:didFailWithError:)` | typed: `LocationError` with the codes of `CLError`; once for each loss |
/// | significant changes, beacons, deferred updates, background and simulation settings | not available |
///
/// Not Core Location's: ``source``, ``staleAfter``, ``accuracyFilter``, ``regionMonitoringPolicy``,
/// ``isLocationStale``, ``fixState``, ``satellites``, ``startUpdatingSatellites()``, ``stopUpdatingSatellites()``,
/// ``doubts``, ``startMonitoringDoubts(notBefore:)``, ``stopMonitoringDoubts()``, ``interests``, ``delegateObserver``, and
/// the delegate's methods for the source, satellites and doubts.
///
/// A source does not produce what no program requests: headings and satellites cost nothing until they are started.
@MainActor
open class LocationManager: LocationSourceReceiver, DelegateObservable {
  /// The source of the fixes. Several managers may share it.
  public let source: any LocationSource

  /// The delegate, held weakly as in Core Location.
  open weak var delegate: (any LocationManagerDelegate)? { didSet { delegateObserver?.delegateDidChange() } }

  /// An object between the manager and its delegate, such as a delegate proxy. The manager holds it strongly. Not Core
  /// Location's.
  public var delegateObserver: (any DelegateObserver)?

  // MARK: Settings

  /// The metres that the receiver must move after a delivered location before the next one is delivered. `nil`, the
  /// default, delivers all. The first location after a start or a loss is always delivered.
  public var distanceFilter: LocationDistance? {
    get { fixes.distance }
    set { fixes.distance = newValue }
  }

  /// The horizontal accuracy in metres that ends a `requestLocation()`. The default is `kLocationAccuracyBest`, which
  /// accepts the first fix. As in Core Location, it does not affect continuous updates; `accuracyFilter` does.
  public var desiredAccuracy: LocationAccuracy {
    get { fixes.desiredAccuracy }
    set { fixes.desiredAccuracy = newValue }
  }

  /// The limit of the horizontal accuracy in metres. A fix whose accuracy is worse or unknown counts as no fix, so the
  /// manager reports `locationUnknown` if no better one arrives. `nil`, the default, accepts all fixes. Not Core
  /// Location's.
  public var accuracyFilter: LocationAccuracy?

  /// The seconds without a fix after which the location counts as unknown; 10 s by default. Not Core Location's.
  public var staleAfter: Double {
    get { fixWatch.limit }
    set {
      fixWatch.limit = newValue
      headings?.staleAfter = newValue
    }
  }

  /// The degrees that the device must turn after a delivered heading before the next one is delivered; 1° by default.
  /// `nil` delivers all.
  public var headingFilter: LocationDirection? = 1 { didSet { headings?.angle = headingFilter } }

  /// The kind of movement to expect; `.other` by default.
  public var activityType = ActivityType.other { didSet { updatePausing() } }

  /// Whether updates pause while the receiver does not move. They resume with the first fix elsewhere. `false` by
  /// default, unlike in Core Location.
  public var pausesLocationUpdatesAutomatically = false { didSet { updatePausing() } }

  /// The conditions for a region's boundary to count as crossed. Not Core Location's.
  public var regionMonitoringPolicy: RegionMonitoringPolicy {
    get { regions.policy }
    set { regions.policy = newValue }
  }

  // MARK: State

  /// The last received fix; `nil` before the first. As in Core Location, it remains after fixes cease and after a stop.
  /// See `isLocationStale`.
  public var location: Location? { fixWatch.location }

  /// The state of the fix, as of the manager's last activity. The delegate is told of each change. Not Core Location's.
  public var fixState: FixState { fixWatch.state }

  /// Whether `location` is unknown, older than `staleAfter`, or was followed by a loss. Not Core Location's.
  public var isLocationStale: Bool { fixWatch.isStale }

  /// The satellites in view, as last reported while satellite updates were on. Not Core Location's.
  public private(set) var satellites: [Satellite] = []

  /// The last received heading; `nil` before the first.
  public var heading: Heading? { headings?.heading }

  /// Whether this process may use the source.
  open var authorizationStatus: AuthorizationStatus { source.authorizationStatus }

  /// The regions that the manager monitors.
  open var monitoredRegions: Set<CircularRegion> { regions.regions }

  /// The largest radius in metres of a region that can be monitored: a quarter of the earth's circumference.
  open var maximumRegionMonitoringDistance: LocationDistance { CircularRegion.maximumRadius }

  let fixes = FixDelivery()
  /// `nil` before headings are first wanted: most devices of many have none.
  private(set) var headings: HeadingDelivery?
  private var regions = RegionMonitoring()
  private var visitDetector: VisitDetector?
  private var isUpdatingSatellites = false
  var authorization: AuthorizationReports
  private let deferredCalls: DeferredCalls
  private let clock: any LocationClock
  let fixWatch: FixWatch
  var doubtMonitor: DoubtMonitor?

  /// Creates a manager that has requested nothing from its source yet. As in Core Location, its delegate is soon told
  /// of the authorization.
  public init(source: any LocationSource) {
    self.source = source
    clock = source.clock
    deferredCalls = DeferredCalls(clock: clock)
    fixWatch = FixWatch(source: source, limit: 10)
    authorization = AuthorizationReports(source.authorizationStatus)
    fixWatch.onLoss = { [weak self] in self?.loseFix($0) }
    fixWatch.onChange = { [weak self] in self?.reportFixState() }
    later { $0.delegate?.locationManagerDidChangeAuthorization($0) }
  }

  isolated deinit { source.detach(self) }

  // MARK: Locations

  /// Starts delivering locations, unless that has started already.
  ///
  /// If the process may not use the source, the delegate receives `denied`.
  open func startUpdatingLocation() {
    guard !fixes.isUpdating else { return }
    fixes.start()
    begin()
  }

  /// Stops delivering locations, and cancels a pending `requestLocation()`.
  open func stopUpdatingLocation() {
    fixes.stop()
    run()
  }

  /// Requests exactly one call of the delegate: one location of the `desiredAccuracy`, or the best location after
  /// `staleAfter` seconds, or one error. Does nothing while an earlier request is pending.
  ///
  /// If the source is a recording that has ended, the delegate receives `locationUnknown`.
  open func requestLocation() {
    guard !fixes.isRequested else { return }
    fixes.request(within: staleAfter, of: clock) { [weak self] in self?.endRequest() }
    begin()
    if source.status == .finished { later { $0.answerRequest(orFailWith: "the recording has ended") } }
  }

  // MARK: Headings

  /// Starts delivering headings, unless that has started already.
  ///
  /// Headings come only from a compass or an attitude sensor, never from the course. If none arrives for `staleAfter`
  /// seconds, the delegate receives `headingFailure` once.
  open func startUpdatingHeading() {
    guard headings?.isUpdating != true else { return }
    let headings = headings ?? HeadingDelivery(clock: clock, angle: headingFilter, staleAfter: staleAfter)
    self.headings = headings
    headings.onLoss = { [weak self] in self?.loseHeading($0) }
    headings.start()
    begin()
  }

  /// Stops delivering headings.
  open func stopUpdatingHeading() {
    headings?.stop()
    run()
  }

  // MARK: Satellites

  /// Starts delivering the satellites in view, beginning with those already known, unless that has started already. Not
  /// Core Location's.
  ///
  /// Satellites are delivered with or without a fix. A source that does not report satellites causes no error.
  open func startUpdatingSatellites() {
    guard !isUpdatingSatellites else { return }
    isUpdatingSatellites = true
    begin()
  }

  /// Stops delivering the satellites. Not Core Location's.
  open func stopUpdatingSatellites() {
    isUpdatingSatellites = false
    run()
  }

  // MARK: Authorization

  /// Does nothing: the system's permissions decide on a host.
  open func requestWhenInUseAuthorization() {}

  /// Does nothing: the system's permissions decide on a host.
  open func requestAlwaysAuthorization() {}

  // MARK: Regions and visits

  /// Starts monitoring a region, and replaces a region of the same name. The state is kept if the circle is the same.
  ///
  /// The delegate receives `didStartMonitoringFor`, or `monitoringDidFailFor` if the region is not a circle on the
  /// earth. It also receives `monitoringDidFailFor`, once, if the receiver is less accurate than the region needs; the
  /// region is monitored nevertheless. The first state is reported by `didDetermineState` only. Each later crossing is
  /// also reported by `didEnterRegion` or `didExitRegion`.
  open func startMonitoring(for region: CircularRegion) { startMonitoring(for: region, assuming: .unknown) }

  /// Starts monitoring a region whose state at an earlier time is known, for example from an earlier run. Not Core
  /// Location's, but modelled on `CLMonitor.add(_:identifier:assuming:)`.
  ///
  /// If the first sufficiently accurate fix is on the other side, beyond the policy's margin, a crossing is reported at
  /// once. A region that is already monitored keeps its own state.
  ///
  /// - Parameters:
  ///   - region: The region to monitor.
  ///   - state: The state at that earlier time.
  ///   - times: The assumption counts only if the time of the first fix is in this range; `nil` for any time.
  open func startMonitoring(
    for region: CircularRegion, assuming state: RegionState, during times: ClosedRange<Date>? = nil
  ) {
    do {
      try region.check()
    } catch {
      return later { $0.delegate?.locationManager($0, monitoringDidFailFor: region, withError: error) }
    }
    regions.start(region, assuming: state == .unknown ? nil : RegionAssumption(state: state, times: times))
    later { $0.delegate?.locationManager($0, didStartMonitoringFor: region) }
    begin()
  }

  /// Stops monitoring the region of this name.
  open func stopMonitoring(for region: CircularRegion) {
    regions.stop(region)
    run()
  }

  /// Requests the state of a region, which the delegate receives by `didDetermineState`. If the region is not
  /// monitored, `location` decides, unless it is stale.
  open func requestState(for region: CircularRegion) {
    later { manager in
      let state = manager.regions.state(of: region, at: manager.isLocationStale ? nil : manager.location)
      manager.delegate?.locationManager(manager, didDetermineState: state, for: region)
    }
  }

  /// Starts reporting visits, unless that has started already.
  open func startMonitoringVisits() {
    if visitDetector == nil { visitDetector = VisitDetector() }
    begin()
  }

  /// Stops reporting visits, and forgets a visit that has begun.
  open func stopMonitoringVisits() {
    visitDetector = nil
    run()
  }

  // MARK: Running

  private var needsFixes: Bool { fixes.isUpdating || fixes.isRequested || !regions.isEmpty || visitDetector != nil }

  /// Starts or stops the source and the watches according to the program's requests.
  func run() {
    if needsFixes { fixWatch.start() } else { fixWatch.stop() }
    if interests.isEmpty { source.detach(self) } else { source.attach(self) }
  }

  /// The program's requests. The source reads them.
  public var interests: LocationSourceInterests {
    var interests: LocationSourceInterests = []
    if needsFixes { interests.insert(.locations) }
    if headings?.isUpdating == true { interests.insert(.headings) }
    if isUpdatingSatellites { interests.insert(.satellites) }
    return interests
  }

  /// Starts the source for a new request, and reports a refusal if the process may not use it.
  private func begin() {
    run()
    guard source.authorizationStatus.isRefused else { return }
    authorization.forgetRefusal()
    later { $0.reportRefusal() }
  }

  private func later(_ call: @escaping @MainActor (LocationManager) -> Void) {
    deferredCalls.add { [weak self] in
      if let self { call(self) }
    }
    // The clock of a recording that has ended stands still.
    if source.status == .finished { Task { [weak self] in self?.deferredCalls.run() } }
  }

  private func checkAuthorization() {
    guard authorization.changes(to: source.authorizationStatus) else { return }
    delegate?.locationManagerDidChangeAuthorization(self)
    reportRefusal()
  }

  private func updatePausing() {
    let detector = pausesLocationUpdatesAutomatically ? StationaryDetector(activityType) : nil
    guard fixes.setPause(detector) else { return }
    later { $0.delegate?.locationManagerDidResumeLocationUpdates($0) }
  }

  private func reportRefusal() {
    guard source.authorizationStatus.isRefused else { return }
    fail(LocationError(.denied, "the system does not let this process use the source of locations"))
  }

  // MARK: Receiving

  /// Takes one event. Only the source calls this, on the main actor.
  public func receive(_ event: LocationSourceEvent) {
    deferredCalls.run()
    switch event {
    case .location(let location): receive(location)
    case .noFix: fixWatch.receiveNoFix()
    case .heading(let heading): headings?.receive(heading, at: clock.now, for: self)
    case .satellites(let satellites):
      guard isUpdatingSatellites else { return }
      self.satellites = satellites
      doubtMonitor?.watch.update(satellites)
      delegate?.locationManager(self, didUpdateSatellites: satellites)
    case .status(let status):
      checkAuthorization()
      delegate?.locationManager(self, didChangeSourceStatus: status)
      fixWatch.sourceDidChange()
    case .failed(let error):
      fail(error)
      checkAuthorization()
    case .finished: finish()
    }
  }

  private func receive(_ fix: Location) {
    guard needsFixes, fix.coordinate.isValid else { return }
    guard fix.passes(accuracyFilter: accuracyFilter) else { return fixWatch.receiveFixThatDoesNotCount() }
    let now = clock.now
    var fix = fix
    let hasChangedDoubts = doubtMonitor?.judge(&fix, at: now) ?? false
    let hadFix = fixWatch.hasFix
    let decision = fixes.update(fix, at: now, endsLoss: fixWatch.receive(fix, at: now))
    // The fix may have answered a request, after which no fixes are needed.
    if !needsFixes { run() }
    fixes.report(fix, decision, by: self)
    if !hadFix { reportFixState() }
    if hasChangedDoubts { delegate?.locationManager(self, didChangeDoubts: doubts) }
    // The delegate may start and stop regions meanwhile.
    for change in regions.update(fix, at: now) where regions.contains(change.region) { change.report(by: self) }
    if let visit = visitDetector?.update(fix, at: now) { delegate?.locationManager(self, didVisit: visit) }
  }
}
