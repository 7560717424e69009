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
/// | `startUpdatingHeading()`, `headingFilter` | the same, from a compass only; 1° by default |
/// | `headingAvailable()` | none: `headingFailure` says that no heading comes |
/// | `headingOrientation` | none: the sensor's own axes |
/// | `shouldDisplayHeadingCalibration` | asked when the compass is poor; nothing is displayed |
/// | `authorizationStatus`, `locationManagerDidChangeAuthorization` | what the system lets this process open |
/// | `requestWhenInUseAuthorization()`, `requestAlwaysAuthorization()` | nothing: nobody is there to ask |
/// | `accuracyAuthorization`, `requestTemporaryFullAccuracyAuthorization` | none: accuracy is never reduced |
/// | `startMonitoring(for:)`, `stopMonitoring(for:)`, `requestState(for:)` | the same, for `CircularRegion`, per manager, without a limit of 20 |
/// | boundary crossings | by ``regionMonitoringPolicy``: Core Location's 20 s are its default |
/// | `monitoredRegions`, `maximumRegionMonitoringDistance` | the same |
/// | `startMonitoringVisits()`, `stopMonitoringVisits()` | the same: 100 m and 5 minutes make a visit |
/// | `CLLocationUpdate.liveUpdates()` | ``liveUpdates(for:bufferingPolicy:)`` |
/// | `didFailWithError` | typed: `LocationError` with the codes of `CLError`; once for each loss |
/// | significant changes, beacons, deferred updates, `CLMonitor`, background and simulation settings | none |
///
/// Not Core Location's: ``source``, ``staleAfter``, ``accuracyFilter``, ``regionMonitoringPolicy``,
/// ``isLocationStale``, and what the delegate hears of the source and of satellites.
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
    get { updateFilter.distance }
    set { updateFilter.distance = newValue }
  }

  /// The horizontal accuracy in metres at which `requestLocation()` is content; the default is
  /// `kLocationAccuracyBest`, with which it takes the first fix. As in Core Location it holds nothing back from
  /// continuous updates: `accuracyFilter` does.
  public var desiredAccuracy: LocationAccuracy = kLocationAccuracyBest

  /// Metres: fixes whose horizontal accuracy is worse or unknown count as none, so that
  /// `locationUnknown` is reported when no better one comes. `nil`, the default, takes all. Not Core Location's.
  public var accuracyFilter: LocationAccuracy?

  /// Seconds without a fix after which the location counts as unknown; 10 s by default. Not Core Location's.
  public var staleAfter: Double {
    get { fixWatch.limit }
    set { (fixWatch.limit, headingWatch.limit) = (newValue, newValue) }
  }

  /// Degrees of turn since the last delivered heading before another one is delivered; 1° by default, `nil`
  /// delivers all.
  public var headingFilter: LocationDirection? {
    get { headingGate.angle }
    set { headingGate.angle = newValue }
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
  public var location: Location? { lastFixes.first }

  /// Whether `location` is unknown, older than `staleAfter` or followed by a loss. Not Core Location's.
  public var isLocationStale: Bool { fixWatch.isStale }

  /// The last heading that was received, `nil` before the first.
  public private(set) var heading: Heading?

  /// Whether this process may use the source.
  open var authorizationStatus: AuthorizationStatus { source.authorizationStatus }

  /// The regions that are watched.
  open var monitoredRegions: Set<CircularRegion> { regions.regions }

  /// The largest radius in metres of a region that can be watched: a quarter of the way around the earth.
  open var maximumRegionMonitoringDistance: LocationDistance { CircularRegion.maximumRadius }

  /// The last fix as the array that the delegate gets.
  private var lastFixes: [Location] = []
  private var isUpdatingLocation = false
  private var isUpdatingHeading = false
  private var request: LocationRequest?
  private let updateFilter = UpdateFilter()
  private var headingGate = HeadingFilter(angle: 1)
  private var isHeadingPoor = false
  private var regions = RegionMonitoring()
  private var visitDetector: VisitDetector?
  private var lastAuthorization: AuthorizationStatus
  private var hasReportedRefusal = false
  private let deferredCalls: DeferredCalls
  private let clock: any LocationClock
  private let fixWatch: StalenessWatch
  private let headingWatch: StalenessWatch

  /// Creates a manager that has asked the source for nothing yet. As in Core Location its delegate hears soon
  /// of the authorization.
  public init(source: any LocationSource) {
    self.source = source
    clock = source.clock
    deferredCalls = DeferredCalls(clock: clock)
    fixWatch = StalenessWatch(clock: clock, limit: 10)
    headingWatch = StalenessWatch(clock: clock, limit: 10)
    lastAuthorization = source.authorizationStatus
    fixWatch.onStale = { [weak self] in self?.loseFix($0) }
    headingWatch.onStale = { [weak self] _ in self?.loseHeading() }
    deferredCalls.add { [weak self] in
      guard let self else { return }
      delegate?.locationManagerDidChangeAuthorization(self)
    }
  }

  isolated deinit {
    source.detach(self)
  }

  // MARK: Locations

  /// Starts delivering locations; does nothing when that has been started already.
  ///
  /// When the process may not use the source, the delegate hears `denied`.
  open func startUpdatingLocation() {
    guard !isUpdatingLocation else { return }
    isUpdatingLocation = true
    updateFilter.reset()
    begin()
  }

  /// Stops delivering locations, and cancels a pending `requestLocation()`.
  open func stopUpdatingLocation() {
    isUpdatingLocation = false
    request = nil
    run()
  }

  /// Asks for exactly one call of the delegate: one location of the `desiredAccuracy`, or after `staleAfter`
  /// seconds the best there was, or one error. Does nothing while an earlier request is pending.
  open func requestLocation() {
    guard request == nil else { return }
    request = LocationRequest(clock: clock, seconds: staleAfter) { [weak self] in self?.endRequest() }
    begin()
  }

  // MARK: Headings

  /// Starts delivering headings; does nothing when that has been started already.
  ///
  /// They come from a compass or an attitude sensor alone, never from the course. When none comes for `staleAfter`
  /// seconds, the delegate hears `headingFailure`, once.
  open func startUpdatingHeading() {
    guard !isUpdatingHeading else { return }
    isUpdatingHeading = true
    headingGate.reset()
    begin()
  }

  /// Stops delivering headings.
  open func stopUpdatingHeading() {
    isUpdatingHeading = false
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
  /// needs; the region is watched all the same. The first state is reported by `didDetermineState` alone, each later crossing by `didEnterRegion` or
  /// `didExitRegion` as well.
  open func startMonitoring(for region: CircularRegion) {
    do {
      try region.check()
    } catch {
      deferredCalls.add { [weak self] in
        guard let self else { return }
        delegate?.locationManager(self, monitoringDidFailFor: region, withError: error)
      }
      return
    }
    regions.start(region)
    deferredCalls.add { [weak self] in
      guard let self else { return }
      delegate?.locationManager(self, didStartMonitoringFor: region)
    }
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
    deferredCalls.add { [weak self] in
      guard let self else { return }
      delegate?.locationManager(self, didDetermineState: state(of: region), for: region)
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
    isUpdatingLocation || request != nil || !regions.isEmpty || visitDetector != nil
  }

  /// Brings the source and the watches in line with what is asked for.
  private func run() {
    if needsFixes { fixWatch.start() } else { fixWatch.stop() }
    if isUpdatingHeading { headingWatch.start() } else { headingWatch.stop() }
    if needsFixes || isUpdatingHeading {
      source.attach(self)
    } else {
      source.detach(self)
    }
  }

  /// Runs what was just asked for, unless the process may not.
  private func begin() {
    run()
    guard isRefused else { return }
    hasReportedRefusal = false
    deferredCalls.add { [weak self] in self?.reportRefusal() }
  }

  /// Looks whether the source's authorization has changed, and reports it to the delegate.
  private func checkAuthorization() {
    let status = source.authorizationStatus
    guard status != lastAuthorization else { return }
    lastAuthorization = status
    delegate?.locationManagerDidChangeAuthorization(self)
    if isRefused { reportRefusal() } else { hasReportedRefusal = false }
  }

  /// Applies the settings of pauses; a pause that is on ends.
  private func updatePausing() {
    let detector = pausesLocationUpdatesAutomatically ? StationaryDetector(activityType) : nil
    guard updateFilter.setPause(detector) else { return }
    deferredCalls.add { [weak self] in
      guard let self else { return }
      delegate?.locationManagerDidResumeLocationUpdates(self)
    }
  }

  private var isRefused: Bool {
    let status = source.authorizationStatus
    return status == .denied || status == .restricted
  }

  private func reportRefusal() {
    guard isRefused else { return }
    fail(LocationError(.denied, "the system does not let this process use the source of locations"))
  }

  // MARK: Receiving

  /// Takes one event. The source calls it, on the main actor; nobody else needs to.
  public func receive(_ event: LocationSourceEvent) {
    if !deferredCalls.isEmpty { deferredCalls.run() }
    switch event {
    case .location(let location):
      receive(location)
    case .noFix:
      fixWatch.expire()
    case .heading(let heading):
      receive(heading)
    case .satellites(let seen, let used):
      delegate?.locationManager(self, didUpdateSatellitesSeen: seen, used: used)
    case .status(let status):
      checkAuthorization()
      delegate?.locationManager(self, didChangeSourceStatus: status)
    case .failed(let error):
      fail(error)
      checkAuthorization()
    case .finished:
      finish()
    }
  }

  // MARK: Fixes

  private func receive(_ fix: Location) {
    guard needsFixes, fix.coordinate.isValid else { return }
    if let accuracyFilter, !(fix.horizontalAccuracy ?? .infinity <= accuracyFilter) { return }
    let fixes = [fix]
    lastFixes = fixes
    let now = clock.now
    let endsLoss = fixWatch.refresh(at: now)
    if isUpdatingLocation || request != nil { deliver(fixes, fix, at: now, endsLoss: endsLoss) }
    report(regions.update(fix, at: now))
    if let visit = visitDetector?.update(fix, at: now) { delegate?.locationManager(self, didVisit: visit) }
  }

  private func deliver(_ fixes: [Location], _ fix: Location, at now: Double, endsLoss: Bool) {
    var decision = UpdateFilter.Decision.hold
    if isUpdatingLocation {
      decision = updateFilter.update(fix.coordinate, at: now, endsLoss: endsLoss)
    }
    if let request, request.isAnswered(by: fix, desiredAccuracy: desiredAccuracy) {
      self.request = nil
      run()
      if decision == .hold {
        updateFilter.didDeliver(fix.coordinate)
        decision = .deliver
      }
    }
    switch decision {
    case .hold:
      break
    case .deliver:
      delegate?.locationManager(self, didUpdateLocations: fixes)
    case .deliverAndPause:
      delegate?.locationManager(self, didUpdateLocations: fixes)
      // The delegate may have stopped the updates.
      if isUpdatingLocation { delegate?.locationManagerDidPauseLocationUpdates(self) }
    case .resumeAndDeliver:
      delegate?.locationManagerDidResumeLocationUpdates(self)
      if isUpdatingLocation { delegate?.locationManager(self, didUpdateLocations: fixes) }
    }
  }

  // MARK: Regions

  /// Calls the delegate, who may start and stop other regions meanwhile.
  private func report(_ changes: [RegionMonitoring.Change]) {
    for change in changes {
      switch change {
      case .failure(let error, let region):
        guard regions.contains(region) else { continue }
        delegate?.locationManager(self, monitoringDidFailFor: region, withError: error)
      case .state(let state, let region, let isFirst):
        guard regions.contains(region) else { continue }
        if !isFirst { reportCrossing(of: region, to: state) }
        delegate?.locationManager(self, didDetermineState: state, for: region)
      }
    }
  }

  private func reportCrossing(of region: CircularRegion, to state: RegionState) {
    switch state {
    case .inside where region.notifyOnEntry: delegate?.locationManager(self, didEnterRegion: region)
    case .outside where region.notifyOnExit: delegate?.locationManager(self, didExitRegion: region)
    default: break
    }
  }

  private func state(of region: CircularRegion) -> RegionState {
    if let state = regions.state(of: region) { return state }
    guard let location, !isLocationStale, region.center.isValid else { return .unknown }
    return region.contains(location.coordinate) ? .inside : .outside
  }

  // MARK: Headings

  private func receive(_ newHeading: Heading) {
    guard isUpdatingHeading else { return }
    heading = newHeading
    _ = headingWatch.refresh(at: clock.now)
    askForCalibration(newHeading)
    if headingGate.update(newHeading) { delegate?.locationManager(self, didUpdateHeading: newHeading) }
  }

  /// Asks the delegate once each time the compass becomes poor.
  private func askForCalibration(_ heading: Heading) {
    let wasPoor = isHeadingPoor
    isHeadingPoor = (heading.headingAccuracy ?? 0) > 30
    if isHeadingPoor && !wasPoor { _ = delegate?.locationManagerShouldDisplayHeadingCalibration(self) }
  }

  // MARK: Failures and the end

  /// Passes an error on; it answers a pending request. `denied` is reported once until access is
  /// granted or asked for again.
  private func fail(_ error: LocationError) {
    if error.code == .denied {
      guard !hasReportedRefusal else { return }
      hasReportedRefusal = true
    }
    if request != nil {
      request = nil
      run()
    }
    delegate?.locationManager(self, didFailWithError: error)
  }

  /// No fix came for `staleAfter` seconds, or the receiver says that it has none.
  private func loseFix(_ reason: StalenessWatch.Reason) {
    switch reason {
    case .denial: fail(LocationError(.locationUnknown, "the receiver has no fix"))
    case .silence: fail(LocationError(.locationUnknown, "no fix for \(staleAfter) s"))
    }
  }

  /// No heading came for `staleAfter` seconds. That does not answer a request for a location.
  private func loseHeading() {
    let error = LocationError(.headingFailure, "no heading for \(staleAfter) s")
    delegate?.locationManager(self, didFailWithError: error)
  }

  /// The time of a request is up.
  private func endRequest() {
    // Without any fix, the watch is about to say so: one loss, one error.
    if request?.best != nil || fixWatch.hasExpired { answerRequest(orFailWith: "no fix within \(staleAfter) s") }
  }

  /// Answers a pending request with the best fix there was.
  private func answerRequest(orFailWith message: String) {
    guard let request else { return }
    guard let best = request.best else { return fail(LocationError(.locationUnknown, message)) }
    self.request = nil
    run()
    updateFilter.didDeliver(best.coordinate)
    delegate?.locationManager(self, didUpdateLocations: [best])
  }

  private func finish() {
    answerRequest(orFailWith: "the recording ended without a fix")
    fixWatch.stop()
    headingWatch.stop()
    delegate?.locationManagerDidReachEndOfRecording(self)
  }
}
