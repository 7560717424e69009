public import FoundationEssentials

/// Delivers locations, headings, region crossings and visits from a source to a delegate: Core Location's
/// `CLLocationManager` for a host with a GPS receiver.
///
///     let manager = LocationManager(source: source)
///     manager.delegate = self
///     manager.startUpdatingLocation()
///
/// The manager runs its source while it is asked for something, and no longer. Several managers may share one
/// source. All calls of the delegate come on the main actor, and never from within the method that causes them.
/// All time is that of the source's clock, so a recording gives the same answers at any speed.
///
/// ## What each member of Core Location does here
///
/// | Core Location | here |
/// | --- | --- |
/// | `delegate` | the same; every method has a default implementation |
/// | `startUpdatingLocation()`, `stopUpdatingLocation()` | the same; a second start does nothing |
/// | `requestLocation()` | the same: one fix or one error, within ``staleAfter`` |
/// | `location`, `heading` | the last known; ``isLocationStale`` says whether that still holds |
/// | `distanceFilter` | the same, from the last delivered fix; `nil` for none |
/// | `desiredAccuracy` | decides when `requestLocation()` is content; a receiver always works at its best |
/// | `activityType`, `pausesLocationUpdatesAutomatically` | the same, but off by default, and updates resume by themselves |
/// | `startUpdatingHeading()`, `stopUpdatingHeading()`, `headingFilter` | the same, from a compass only; 1° by default |
/// | `locationServicesEnabled()`, `headingAvailable()` | `true`: `denied` and `headingFailure` say what does not come |
/// | `headingOrientation` | none: the sensor's own axes |
/// | `locationManagerShouldDisplayHeadingCalibration` | asked when the compass is poor; nothing is displayed |
/// | `dismissHeadingCalibrationDisplay()` | none: nothing is displayed |
/// | `authorizationStatus`, `locationManagerDidChangeAuthorization` | what the system lets this process open |
/// | `requestWhenInUseAuthorization()`, `requestAlwaysAuthorization()` | nothing: nobody is there to ask |
/// | `accuracyAuthorization`, `requestTemporaryFullAccuracyAuthorization` | none: accuracy is never reduced |
/// | `startMonitoring(for:)`, `stopMonitoring(for:)`, `requestState(for:)` | the same, for `CircularRegion`, per manager, without a limit of 20 |
/// | boundary crossings | by ``regionMonitoringPolicy``: Core Location's 20 s are its default |
/// | `CLMonitor.add(_:identifier:assuming:)` | ``startMonitoring(for:assuming:during:)`` |
/// | `monitoredRegions`, `maximumRegionMonitoringDistance`, `isMonitoringAvailable(for:)` | the same |
/// | `startMonitoringVisits()`, `stopMonitoringVisits()` | the same: 100 m and 5 minutes make a visit |
/// | `CLLocationUpdate.liveUpdates(_:)` | ``LocationUpdate/liveUpdates(_:from:staleAfter:bufferingPolicy:)`` |
/// | `CLMonitor` | ``LocationMonitor``, for circles, in memory |
/// | `locationManager(_:didFailWithError:)` | typed: `LocationError` with the codes of `CLError`; once for each loss |
/// | significant changes, beacons, deferred updates, background and simulation settings | none |
///
/// Not Core Location's: ``source``, ``staleAfter``, ``accuracyFilter``, ``regionMonitoringPolicy``,
/// ``isLocationStale``, ``fixState``, ``satellites``, ``startUpdatingSatellites()``, ``stopUpdatingSatellites()``, ``interests``,
/// ``delegateObserver``, and what the delegate hears of the source and of satellites.
///
/// What a manager is not asked for, its source does not make: headings and satellites cost nothing until they are started.
@MainActor
open class LocationManager: LocationSourceReceiver {
  /// Where the fixes come from; several managers may share one.
  public let source: any LocationSource

  /// Who is called. Held weakly, as Core Location does.
  open weak var delegate: (any LocationManagerDelegate)? {
    didSet { delegateObserver?.delegateDidChange() }
  }

  /// What stands between the manager and its delegate, a delegate proxy for one, and lives as long as the manager. Not
  /// Core Location's.
  public var delegateObserver: (any DelegateObserver)?

  // MARK: Settings

  /// Metres the receiver must have moved since the last delivered location before another one is delivered;
  /// `nil`, the default, delivers all. The first one after a start or after a loss is always delivered.
  public var distanceFilter: LocationDistance? {
    get { fixes.distance }
    set { fixes.distance = newValue }
  }

  /// The horizontal accuracy in metres at which `requestLocation()` is content; the default is
  /// `kLocationAccuracyBest`, with which it takes the first fix. As in Core Location it holds nothing back from
  /// continuous updates: `accuracyFilter` does.
  public var desiredAccuracy: LocationAccuracy {
    get { fixes.desiredAccuracy }
    set { fixes.desiredAccuracy = newValue }
  }

  /// Metres: fixes whose horizontal accuracy is worse or unknown count as none, so that
  /// `locationUnknown` is reported when no better one comes. `nil`, the default, takes all. Not Core Location's.
  public var accuracyFilter: LocationAccuracy?

  /// Seconds without a fix after which the location counts as unknown; 10 s by default. Not Core Location's.
  public var staleAfter: Double {
    get { fixWatch.limit }
    set { (fixWatch.limit, headings.staleAfter) = (newValue, newValue) }
  }

  /// Degrees of turn since the last delivered heading before another one is delivered; 1° by default, `nil`
  /// delivers all.
  public var headingFilter: LocationDirection? {
    get { headings.angle }
    set { headings.angle = newValue }
  }

  /// What kind of movement to expect; `.other` by default.
  public var activityType = ActivityType.other {
    didSet { updatePausing() }
  }

  /// Whether updates are held back while the receiver does not move. They resume with the first fix that is
  /// elsewhere. `false` by default, unlike Core Location.
  public var pausesLocationUpdatesAutomatically = false {
    didSet { updatePausing() }
  }

  /// What it takes to believe that the boundary of a region was crossed. Not Core Location's.
  public var regionMonitoringPolicy: RegionMonitoringPolicy {
    get { regions.policy }
    set { regions.policy = newValue }
  }

  // MARK: State

  /// The last fix that was received, `nil` before the first. As in Core Location it stays when fixes cease, and
  /// after a stop: `isLocationStale` tells.
  public var location: Location? { fixWatch.location }

  /// Whether there is a fix, and why not, as of when the manager ran last. The delegate hears of each change. Not Core
  /// Location's.
  public var fixState: FixState { fixWatch.state }

  /// Whether `location` is unknown, older than `staleAfter` or followed by a loss. Not Core Location's.
  public var isLocationStale: Bool { fixWatch.isStale }

  /// The satellites that the receiver has in view, as it said last while they were asked for. Not Core Location's.
  public private(set) var satellites: [Satellite] = []

  /// The last heading that was received, `nil` before the first.
  public var heading: Heading? { headings.heading }

  /// Whether this process may use the source.
  open var authorizationStatus: AuthorizationStatus { source.authorizationStatus }

  /// The regions that are watched.
  open var monitoredRegions: Set<CircularRegion> { regions.regions }

  /// The largest radius in metres of a region that can be watched: a quarter of the way around the earth.
  open var maximumRegionMonitoringDistance: LocationDistance { CircularRegion.maximumRadius }

  let fixes = FixDelivery()
  let headings: HeadingDelivery
  private var regions = RegionMonitoring()
  private var visitDetector: VisitDetector?
  private var isUpdatingSatellites = false
  var authorization: AuthorizationReports
  private let deferredCalls: DeferredCalls
  private let clock: any LocationClock
  let fixWatch: FixWatch

  /// Creates a manager that has asked the source for nothing yet. As in Core Location its delegate hears soon
  /// of the authorization.
  public init(source: any LocationSource) {
    self.source = source
    clock = source.clock
    deferredCalls = DeferredCalls(clock: clock)
    fixWatch = FixWatch(source: source, limit: 10)
    headings = HeadingDelivery(clock: clock, staleAfter: 10)
    authorization = AuthorizationReports(source.authorizationStatus)
    fixWatch.onLoss = { [weak self] in self?.loseFix($0) }
    fixWatch.onChange = { [weak self] in self?.reportFixState() }
    headings.onLoss = { [weak self] in self?.loseHeading($0) }
    later { $0.delegate?.locationManagerDidChangeAuthorization($0) }
  }

  isolated deinit {
    source.detach(self)
  }

  // MARK: Locations

  /// Starts delivering locations; does nothing when that has been started already.
  ///
  /// When the process may not use the source, the delegate hears `denied`.
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

  /// Asks for exactly one call of the delegate: one location of the `desiredAccuracy`, or after `staleAfter`
  /// seconds the best there was, or one error. Does nothing while an earlier request is pending.
  open func requestLocation() {
    guard !fixes.isRequested else { return }
    fixes.request(within: staleAfter, of: clock) { [weak self] in self?.endRequest() }
    begin()
  }

  // MARK: Headings

  /// Starts delivering headings; does nothing when that has been started already.
  ///
  /// They come from a compass or an attitude sensor alone, never from the course. When none comes for `staleAfter`
  /// seconds, the delegate hears `headingFailure`, once.
  open func startUpdatingHeading() {
    guard !headings.isUpdating else { return }
    headings.start()
    begin()
  }

  /// Stops delivering headings.
  open func stopUpdatingHeading() {
    headings.stop()
    run()
  }

  // MARK: Satellites

  /// Starts delivering the satellites in view, those that are known first; does nothing when that has been started already.
  /// Not Core Location's.
  ///
  /// They come whether or not there is a fix. A source that says nothing of satellites is no error.
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

  /// Does nothing: on a host there is nobody to ask, and the system's permissions decide.
  open func requestWhenInUseAuthorization() {}

  /// Does nothing: on a host there is nobody to ask, and the system's permissions decide.
  open func requestAlwaysAuthorization() {}

  // MARK: Regions and visits

  /// Starts watching a region; one of the same name is replaced. Its state carries over if the circle is the same.
  ///
  /// The delegate hears `didStartMonitoringFor`, or `monitoringDidFailFor` if the region is not a circle on the
  /// earth. It hears `monitoringDidFailFor` once, too, when the receiver turns out to be less accurate than the region
  /// needs; the region is watched all the same. The first state is reported by `didDetermineState` alone, each later
  /// crossing by `didEnterRegion` or `didExitRegion` as well.
  open func startMonitoring(for region: CircularRegion) {
    startMonitoring(for: region, assuming: .unknown)
  }

  /// Starts watching a region of which the side is known where the receiver was last, from an earlier run for one. Not Core
  /// Location's, but in the manner of `CLMonitor.add(_:identifier:assuming:)`.
  ///
  /// When the first fix that is good enough lies on the other side, the crossing is reported at once, as one that happened
  /// meanwhile. A region that is watched already keeps the state that it has.
  ///
  /// - Parameters:
  ///   - region: What to watch.
  ///   - state: Where the receiver was.
  ///   - times: The assumption counts when the first fix is of one of these times; `nil` for any time.
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

  /// Stops watching the region of that name.
  open func stopMonitoring(for region: CircularRegion) {
    regions.stop(region)
    run()
  }

  /// Asks for the state of a region: the delegate hears `didDetermineState`. For a region that is not watched it
  /// is judged by `location`, unless that is stale.
  open func requestState(for region: CircularRegion) {
    later { manager in
      let state = manager.regions.state(of: region, at: manager.isLocationStale ? nil : manager.location)
      manager.delegate?.locationManager(manager, didDetermineState: state, for: region)
    }
  }

  /// Starts reporting visits; does nothing when that has been started already.
  open func startMonitoringVisits() {
    if visitDetector == nil { visitDetector = VisitDetector() }
    begin()
  }

  /// Stops reporting visits, and forgets one that has begun.
  open func stopMonitoringVisits() {
    visitDetector = nil
    run()
  }

  // MARK: Running

  private var needsFixes: Bool {
    fixes.isUpdating || fixes.isRequested || !regions.isEmpty || visitDetector != nil
  }

  /// Brings the source and the watches in line with what is asked for.
  func run() {
    if needsFixes { fixWatch.start() } else { fixWatch.stop() }
    if interests.isEmpty { source.detach(self) } else { source.attach(self) }
  }

  /// What the manager is asked for. The source looks at it; nobody else needs to.
  public var interests: LocationSourceInterests {
    var interests: LocationSourceInterests = []
    if needsFixes { interests.insert(.locations) }
    if headings.isUpdating { interests.insert(.headings) }
    if isUpdatingSatellites { interests.insert(.satellites) }
    return interests
  }

  /// Runs what was just asked for, unless the process may not.
  private func begin() {
    run()
    guard source.authorizationStatus.isRefused else { return }
    authorization.forgetRefusal()
    later { $0.reportRefusal() }
  }

  /// Makes a call that must not happen within the method that causes it.
  private func later(_ call: @escaping @MainActor (LocationManager) -> Void) {
    deferredCalls.add { [weak self] in
      if let self { call(self) }
    }
  }

  /// Looks whether the source's authorization has changed, and reports it to the delegate.
  private func checkAuthorization() {
    guard authorization.changes(to: source.authorizationStatus) else { return }
    delegate?.locationManagerDidChangeAuthorization(self)
    reportRefusal()
  }

  /// Applies the settings of pauses; a pause that is on ends.
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

  /// Takes one event. The source calls it, on the main actor; nobody else needs to.
  public func receive(_ event: LocationSourceEvent) {
    deferredCalls.run()
    switch event {
    case .location(let location): receive(location)
    case .noFix: fixWatch.receiveNoFix()
    case .heading(let heading): headings.receive(heading, at: clock.now, for: self)
    case .satellites(let satellites):
      guard isUpdatingSatellites else { return }
      self.satellites = satellites
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
    let hadFix = fixWatch.hasFix
    let decision = fixes.update(fix, at: now, endsLoss: fixWatch.receive(fix, at: now))
    // It may have answered a request, and nothing else may need fixes.
    if !needsFixes { run() }
    fixes.report(fix, decision, by: self)
    if !hadFix { reportFixState() }
    // The delegate may start and stop regions meanwhile.
    for change in regions.update(fix, at: now) where regions.contains(change.region) { change.report(by: self) }
    if let visit = visitDetector?.update(fix, at: now) { delegate?.locationManager(self, didVisit: visit) }
  }
}
