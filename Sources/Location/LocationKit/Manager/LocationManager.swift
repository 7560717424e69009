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
  public var accuracyFilter: LocationAccuracy? {
    get { worstAccuracy }
    set { worstAccuracy = newValue }
  }

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
  public var regionMonitoringPolicy = RegionMonitoringPolicy()

  // MARK: State

  /// The last fix that was received, `nil` before the first. As in Core Location it stays when fixes cease, and
  /// after a stop: `isLocationStale` tells.
  public var location: Location? { lastFixes.first }

  /// Whether `location` is unknown, older than `staleAfter` or followed by a loss. Not Core Location's.
  public var isLocationStale: Bool { fixWatch.isStale }

  /// The last heading that was received, `nil` before the first.
  public var heading: Heading? { lastHeading }

  /// Whether this process may use the source.
  open var authorizationStatus: AuthorizationStatus { source.authorizationStatus }

  /// The regions that are watched.
  open var monitoredRegions: Set<CircularRegion> { Set(regionMonitors.map(\.region)) }

  /// The largest radius in metres of a region that can be watched: a quarter of the way around the earth.
  open var maximumRegionMonitoringDistance: LocationDistance { 10_000_000 }

  // The last fix as the array that the delegate gets: one copy of a fix instead of two.
  var lastFixes: [Location] = []
  var lastHeading: Heading?
  var isUpdatingLocation = false
  var isUpdatingHeading = false
  // What `run()` makes of what is asked for, to be looked at for every fix.
  var needsFixes = false
  var followsMovement = false
  // Apart from the public property, whose every access is checked for conflicts at run time.
  var worstAccuracy: LocationAccuracy?
  var request: LocationRequest?
  let updateFilter = UpdateFilter()
  var headingGate = HeadingFilter(angle: 1)
  var isHeadingPoor = false
  var regionMonitors: [RegionMonitor] = []
  var visitDetector: VisitDetector?
  var lastAuthorization: AuthorizationStatus
  var hasReportedRefusal = false
  let deferredCalls: DeferredCalls
  let clock: any LocationClock
  let fixWatch: StalenessWatch
  let headingWatch: StalenessWatch

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
  /// earth. The first state is reported by `didDetermineState` alone, each later crossing by `didEnterRegion` or
  /// `didExitRegion` as well.
  open func startMonitoring(for region: CircularRegion) {
    beginMonitoring(region)
  }

  /// Stops watching the region of that name.
  open func stopMonitoring(for region: CircularRegion) {
    regionMonitors.removeAll { $0.region.identifier == region.identifier }
    run()
  }

  /// Asks for the state of a region: the delegate hears `didDetermineState`. For a region that is not watched it
  /// is judged by `location`, unless that is stale.
  open func requestState(for region: CircularRegion) {
    answerState(of: region)
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
}
