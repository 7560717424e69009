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
/// | `startMonitoring(for:)`, `stopMonitoring(for:)`, `requestState(for:)` | the same, for `Region`, per manager, without a limit of 20 |
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
    get { engine.distanceFilter }
    set { engine.distanceFilter = newValue }
  }

  /// The horizontal accuracy in metres that ends a `requestLocation()`. The default is `kLocationAccuracyBest`, which
  /// accepts the first fix. As in Core Location, it does not affect continuous updates; `accuracyFilter` does.
  public var desiredAccuracy: LocationAccuracy {
    get { engine.desiredAccuracy }
    set { engine.desiredAccuracy = newValue }
  }

  /// The limit of the horizontal accuracy in metres. A fix whose accuracy is worse or unknown counts as no fix, so the
  /// manager reports `locationUnknown` if no better one arrives. `nil`, the default, accepts all fixes. Not Core
  /// Location's.
  public var accuracyFilter: LocationAccuracy? {
    get { engine.accuracyFilter }
    set { engine.accuracyFilter = newValue }
  }

  /// The seconds without a fix after which the location counts as unknown; 10 s by default. Not Core Location's.
  public var staleAfter: Double {
    get { engine.staleAfter }
    set {
      engine.staleAfter = newValue
      setTimer()
    }
  }

  /// The degrees that the device must turn after a delivered heading before the next one is delivered; 1° by default.
  /// `nil` delivers all.
  public var headingFilter: LocationDirection? {
    get { engine.headingFilter }
    set { engine.headingFilter = newValue }
  }

  /// The kind of movement to expect; `.other` by default.
  public var activityType = ActivityType.other { didSet { updatePausing() } }

  /// Whether updates pause while the receiver does not move. They resume with the first fix elsewhere. `false` by
  /// default, unlike in Core Location.
  public var pausesLocationUpdatesAutomatically = false { didSet { updatePausing() } }

  /// The conditions for a region's boundary to count as crossed. Not Core Location's.
  public var regionMonitoringPolicy: RegionMonitoringPolicy {
    get { engine.regionMonitoringPolicy }
    set { engine.regionMonitoringPolicy = newValue }
  }

  // MARK: State

  /// The last received fix; `nil` before the first. As in Core Location, it remains after fixes cease and after a stop.
  /// See `isLocationStale`.
  public var location: Location? { engine.location }

  /// The state of the fix, as of the manager's last activity. The delegate is told of each change. Not Core Location's.
  public var fixState: FixState { engine.fixState }

  /// Whether `location` is unknown, older than `staleAfter`, or was followed by a loss. Not Core Location's.
  public var isLocationStale: Bool { engine.isLocationStale(at: clock.now) }

  /// Reasons to doubt the last fix, as of its arrival; empty unless doubts are monitored. Not Core Location's.
  public var doubts: Doubts { engine.doubts }

  /// The satellites in view, as last reported while satellite updates were on. Not Core Location's.
  public var satellites: [Satellite] { engine.satellites }

  /// The last received heading; `nil` before the first.
  public var heading: Heading? { engine.heading }

  /// Whether this process may use the source.
  open var authorizationStatus: AuthorizationStatus { source.authorizationStatus }

  /// The regions that the manager monitors.
  open var monitoredRegions: Set<Region> { engine.monitoredRegions }

  /// The largest radius in metres of a region that can be monitored: a quarter of the earth's circumference.
  open var maximumRegionMonitoringDistance: LocationDistance { CircularRegion.maximumRadius }

  /// The program's requests. The source reads them.
  public var interests: LocationSourceInterests { engine.interests }

  /// Called after each report of the source that there is no fix, which no method of the delegate tells.
  package var onReportWithoutFix: (@MainActor () -> Void)?

  var engine = LocationEngine()
  let clock: any LocationClock
  /// The authorization that the delegate knows.
  var knownAuthorization: AuthorizationStatus
  var hasReportedRefusal = false
  /// The requests that the source knows.
  var knownInterests: LocationSourceInterests = []
  /// Fires at the engine's deadline.
  var timer: LocationTimer?
  var due = Double.infinity
  /// Calls of the delegate that must not happen within the method that causes them. They run on the next turn of the
  /// clock, or just before the next event of the source, whichever comes first.
  var pending: [@MainActor (LocationManager) -> Void] = []
  var pendingTimer: LocationTimer?

  /// Creates a manager that has requested nothing from its source yet. As in Core Location, its delegate is soon told
  /// of the authorization.
  public init(source: any LocationSource) {
    self.source = source
    clock = source.clock
    knownAuthorization = source.authorizationStatus
    later { $0.delegate?.locationManagerDidChangeAuthorization($0) }
  }

  isolated deinit { source.detach(self) }

  // MARK: Locations

  /// Starts delivering locations, unless that has started already.
  ///
  /// If the process may not use the source, the delegate receives `denied`.
  open func startUpdatingLocation() {
    guard !engine.isUpdatingLocation else { return }
    engine.startUpdatingLocation(at: clock.now)
    begin()
  }

  /// Stops delivering locations, and cancels a pending `requestLocation()`.
  open func stopUpdatingLocation() {
    engine.stopUpdatingLocation(at: clock.now)
    run()
  }

  /// Requests exactly one call of the delegate: one location of the `desiredAccuracy`, or the best location after
  /// `staleAfter` seconds, or one error. Does nothing while an earlier request is pending.
  ///
  /// If the source is a recording that has ended, the delegate receives `locationUnknown`.
  open func requestLocation() {
    guard !engine.isLocationRequested else { return }
    engine.requestLocation(at: clock.now)
    begin()
    guard source.status == .finished else { return }
    later { $0.apply($0.engine.answerRequest(orFailWith: "the recording has ended", at: $0.clock.now)) }
  }

  // MARK: Headings

  /// Starts delivering headings, unless that has started already.
  ///
  /// Headings come only from a compass or an attitude sensor, never from the course. If none arrives for `staleAfter`
  /// seconds, the delegate receives `headingFailure` once.
  open func startUpdatingHeading() {
    guard !interests.contains(.headings) else { return }
    engine.startUpdatingHeading(at: clock.now)
    begin()
  }

  /// Stops delivering headings.
  open func stopUpdatingHeading() {
    engine.stopUpdatingHeading()
    run()
  }

  // MARK: Satellites

  /// Starts delivering the satellites in view, beginning with those already known, unless that has started already. Not
  /// Core Location's.
  ///
  /// Satellites are delivered with or without a fix. A source that does not report satellites causes no error.
  open func startUpdatingSatellites() {
    guard !interests.contains(.satellites) else { return }
    engine.startUpdatingSatellites()
    begin()
  }

  /// Stops delivering the satellites. Not Core Location's.
  open func stopUpdatingSatellites() {
    engine.stopUpdatingSatellites()
    run()
  }

  // MARK: Authorization

  /// Does nothing: the system's permissions decide on a host.
  open func requestWhenInUseAuthorization() {}

  /// Does nothing: the system's permissions decide on a host.
  open func requestAlwaysAuthorization() {}

  // MARK: Regions, visits and doubts

  /// Starts monitoring a region, and replaces a region of the same name. The state is kept if the shape is the same.
  ///
  /// The delegate receives `didStartMonitoringFor`, or `monitoringDidFailFor` if the region is not one on the
  /// earth. It also receives `monitoringDidFailFor`, once, if the receiver is less accurate than the region needs; the
  /// region is monitored nevertheless. The first state is reported by `didDetermineState` only. Each later crossing is
  /// also reported by `didEnterRegion` or `didExitRegion`.
  open func startMonitoring(for region: Region) { startMonitoring(for: region, assuming: .unknown) }

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
  open func startMonitoring(for region: Region, assuming state: RegionState, during times: ClosedRange<Date>? = nil) {
    do {
      try region.check()
    } catch {
      return later { $0.delegate?.locationManager($0, monitoringDidFailFor: region, withError: error) }
    }
    engine.startMonitoring(for: region, assuming: state, during: times, at: clock.now)
    later { $0.delegate?.locationManager($0, didStartMonitoringFor: region) }
    begin()
  }

  /// Stops monitoring the region of this name.
  open func stopMonitoring(for region: Region) {
    engine.stopMonitoring(for: region, at: clock.now)
    run()
  }

  /// Requests the state of a region, which the delegate receives by `didDetermineState`. If the region is not
  /// monitored, `location` decides, unless it is stale.
  open func requestState(for region: Region) {
    later {
      let state = $0.engine.state(of: region, at: $0.clock.now)
      $0.delegate?.locationManager($0, didDetermineState: state, for: region)
    }
  }

  /// Starts reporting visits, unless that has started already.
  open func startMonitoringVisits() {
    engine.startMonitoringVisits(at: clock.now)
    begin()
  }

  /// Stops reporting visits, and forgets a visit that has begun.
  open func stopMonitoringVisits() {
    engine.stopMonitoringVisits(at: clock.now)
    run()
  }

  /// Starts to look for reasons to doubt the fixes, unless that has started already. Not Core Location's.
  ///
  /// The fixes then have their `doubts`, and the delegate receives `didChangeDoubts`. Nothing is requested from the source
  /// for that: the signals of satellites are compared only between `startUpdatingSatellites()` and
  /// `stopUpdatingSatellites()`.
  ///
  /// - Parameter notBefore: Earlier dates are impossible, such as that of the program, and so are dates 1024 weeks after it
  ///   and later. Dates are not judged with `nil`, as in the replay of a recording, which may be old and joined of several.
  public func startMonitoringDoubts(notBefore: Date? = nil) { engine.startMonitoringDoubts(notBefore: notBefore) }

  /// Stops to look for reasons to doubt the fixes, and forgets those that were found.
  public func stopMonitoringDoubts() { engine.stopMonitoringDoubts() }
}
