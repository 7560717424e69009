public import FoundationEssentials

/// What a location manager decides, as a value: which events follow from a source's events and from time.
///
/// A `LocationManager` has an engine and passes its events to a delegate. A program that follows thousands of devices has
/// one engine for each instead, on any thread:
///
///     var engine = LocationEngine(staleAfter: 600)
///     engine.startMonitoring(for: depot, at: now)
///     for event in engine.receive(.location(fix), at: now) {
///       if case .region(let region, let state, isCrossed: true) = event { print(region.identifier, state) }
///     }
///
/// Times are seconds of any clock. They may go back, such as from the host's time to that of a fix. The engine has no
/// clock: when the time `deadline` has come, the caller calls `advance(to:)`.
public struct LocationEngine: Sendable {
  /// What follows from an event or from time, in this order for each fix. The cases are the methods of
  /// `LocationManagerDelegate`.
  public enum Event: Sendable, Hashable {
    /// Updates resume after a pause.
    case resumed
    /// A new location; never empty.
    case locations([Location])
    /// Updates pause, because the receiver has not moved for a while.
    case paused
    /// The fix or the heading is lost, or the source has failed.
    case failure(LocationError)
    /// The state of the fix has changed.
    case fixState(FixState)
    /// The reasons to doubt the fix have changed.
    case doubts(Doubts)
    /// The state of a region: the first known one, or the new side after a crossing.
    case region(Region, RegionState, isCrossed: Bool)
    /// The receiver is less accurate than a region needs.
    case monitoringFailure(Region, LocationError)
    /// A visit has begun or ended.
    case visit(Visit)
    /// The compass is inaccurate.
    case calibration
    /// A new heading.
    case heading(Heading)
    /// The satellites in view.
    case satellites([Satellite])
    /// The source's status has changed.
    case status(LocationSourceStatus)
    /// The recording has ended.
    case finished
  }

  private var delivery = FixDelivery()
  /// `nil` before headings are first wanted.
  private var headings: HeadingDelivery?
  private var regions = RegionMonitoring()
  private var visits: VisitDetector?
  private var watch: FixWatch
  /// One, or none while doubts are not monitored. An engine without doubts is then smaller by half a kilobyte.
  private var doubtWatch: [DoubtWatch] = []
  private var isUpdatingSatellites = false

  // MARK: Settings and state, as those of `LocationManager`

  /// `LocationManager.distanceFilter`, metres.
  public var distanceFilter: LocationDistance?
  /// `LocationManager.desiredAccuracy`, metres.
  public var desiredAccuracy: LocationAccuracy = kLocationAccuracyBest
  /// `LocationManager.accuracyFilter`, metres.
  public var accuracyFilter: LocationAccuracy?
  /// `LocationManager.headingFilter`, degrees.
  public var headingFilter: LocationDirection? = 1
  /// `LocationManager.regionMonitoringPolicy`.
  public var regionMonitoringPolicy = RegionMonitoringPolicy()

  /// Creates an engine of which nothing has been requested. `staleAfter` is the number of seconds without a fix after
  /// which the location counts as unknown.
  public init(staleAfter: Double = 10) { watch = FixWatch(limit: staleAfter) }

  /// The seconds without a fix after which the location counts as unknown.
  public var staleAfter: Double {
    get { watch.limit }
    set {
      watch.limit = newValue
      headings?.watch.limit = newValue
    }
  }

  /// Whether the source is connected, or is a recording that has ended; `true` at first. It gives a loss its reason.
  public var isSourceConnected: Bool {
    get { watch.isConnected }
    set { watch.isConnected = newValue }
  }

  /// The last received fix; `nil` before the first.
  public var location: Location? { watch.location }

  /// The state of the fix.
  public var fixState: FixState { watch.state }

  /// Whether `location` is unknown, older than `staleAfter`, or was followed by a loss.
  public func isLocationStale(at now: Double) -> Bool { watch.isStale(at: now) }

  /// The satellites in view, as last reported while they were wanted.
  public private(set) var satellites: [Satellite] = []

  /// The last received heading; `nil` before the first.
  public var heading: Heading? { headings?.heading }

  /// Reasons to doubt the last fix; empty unless doubts are monitored.
  public var doubts: Doubts { doubtWatch.first?.doubts ?? [] }

  /// The regions that are monitored.
  public var monitoredRegions: Set<Region> { regions.regions }

  /// Whether exactly this region is monitored. It is faster than to search `monitoredRegions`.
  public func isMonitoring(_ region: Region) -> Bool { regions.contains(region) }

  /// Returns the state of the region of this name. If it is not monitored, `location` decides, unless it is stale.
  public func state(of region: Region, at now: Double) -> RegionState {
    regions.state(of: region, at: isLocationStale(at: now) ? nil : location)
  }

  /// Whether continuous updates are on.
  public var isUpdatingLocation: Bool { delivery.isUpdating }

  /// Whether a request of one location waits for its answer.
  public var isLocationRequested: Bool { delivery.isRequested }

  /// Whether visits are monitored.
  public var isMonitoringVisits: Bool { visits != nil }

  /// What the requests need from a source.
  public var interests: LocationSourceInterests {
    var interests: LocationSourceInterests = []
    if needsFixes { interests.insert(.locations) }
    if headings?.isUpdating == true { interests.insert(.headings) }
    if isUpdatingSatellites { interests.insert(.satellites) }
    return interests
  }

  // MARK: Requests, as those of `LocationManager`

  /// Starts delivering locations. The next fix is delivered.
  public mutating func startUpdatingLocation(at now: Double) {
    guard !delivery.isUpdating else { return }
    delivery.start()
    runWatch(at: now)
  }

  /// Stops delivering locations, and cancels a pending request.
  public mutating func stopUpdatingLocation(at now: Double) {
    delivery.stop()
    runWatch(at: now)
  }

  /// Requests one location of the desired accuracy, or the best one after `staleAfter` seconds, or one error.
  public mutating func requestLocation(at now: Double) {
    guard !delivery.isRequested else { return }
    delivery.request(until: staleAfter < .infinity ? now + staleAfter : .infinity)
    runWatch(at: now)
  }

  /// Answers a pending request with the best location so far, or with `locationUnknown` and this message.
  public mutating func answerRequest(orFailWith message: String, at now: Double) -> [Event] {
    guard delivery.isRequested else { return [] }
    guard let best = delivery.takeAnswer() else { return fail(LocationError(.locationUnknown, message), at: now) }
    runWatch(at: now)
    return [.locations([best])]
  }

  /// Pauses updates while a receiver in this activity does not move; `nil` for no pauses. Ends a pause.
  public mutating func pauseUpdates(during activity: ActivityType?) -> [Event] {
    delivery.setPause(activity.map { StationaryDetector($0) }) ? [.resumed] : []
  }

  /// Starts delivering headings.
  public mutating func startUpdatingHeading(at now: Double) {
    guard headings?.isUpdating != true else { return }
    var started = headings ?? HeadingDelivery(staleAfter: staleAfter)
    started.start(at: now)
    headings = started
  }

  /// Stops delivering headings.
  public mutating func stopUpdatingHeading() { headings?.stop() }

  /// Starts delivering satellites.
  public mutating func startUpdatingSatellites() { isUpdatingSatellites = true }

  /// Stops delivering satellites.
  public mutating func stopUpdatingSatellites() { isUpdatingSatellites = false }

  /// Starts monitoring a region that `check()` accepts, and replaces a region of the same name. The state is kept if the
  /// shape is the same.
  ///
  /// - Parameters:
  ///   - region: The region to monitor.
  ///   - state: The state at an earlier time, if it is known.
  ///   - times: The assumption counts only if the time of the first fix is in this range; `nil` for any time.
  ///   - now: The time.
  public mutating func startMonitoring(
    for region: Region, assuming state: RegionState = .unknown, during times: ClosedRange<Date>? = nil,
    at now: Double
  ) {
    regions.start(region, assuming: state == .unknown ? nil : RegionAssumption(state: state, times: times))
    runWatch(at: now)
  }

  /// Stops monitoring the region of this name.
  public mutating func stopMonitoring(for region: Region, at now: Double) {
    regions.stop(region)
    runWatch(at: now)
  }

  /// Starts reporting visits.
  public mutating func startMonitoringVisits(at now: Double) {
    visits = visits ?? VisitDetector()
    runWatch(at: now)
  }

  /// Stops reporting visits, and forgets a visit that has begun.
  public mutating func stopMonitoringVisits(at now: Double) {
    visits = nil
    runWatch(at: now)
  }

  /// Starts to look for reasons to doubt the fixes. Dates before `notBefore`, and those 1024 weeks later, are impossible;
  /// with `nil` dates are not judged.
  public mutating func startMonitoringDoubts(notBefore: Date? = nil) {
    if doubtWatch.isEmpty { doubtWatch = [DoubtWatch(earliest: notBefore)] }
  }

  /// Stops to look for reasons to doubt the fixes, and forgets those that were found.
  public mutating func stopMonitoringDoubts() { doubtWatch = [] }

  private var needsFixes: Bool { delivery.isUpdating || delivery.isRequested || !regions.isEmpty || visits != nil }

  private mutating func runWatch(at now: Double) { if needsFixes { watch.start(at: now) } else { watch.stop() } }

  // MARK: Events

  /// Takes one event of the source, and returns the events that follow.
  public mutating func receive(_ event: LocationSourceEvent, at now: Double) -> [Event] {
    switch event {
    case .location(let fix): return receive(fix, at: now)
    case .noFix: return events(of: watch.receiveNoFix(at: now), at: now)
    case .heading(let heading): return headings?.receive(heading, at: now, angle: headingFilter) ?? []
    case .satellites(let satellites):
      guard isUpdatingSatellites else { return [] }
      self.satellites = satellites
      if !doubtWatch.isEmpty { doubtWatch[0].update(satellites) }
      return [.satellites(satellites)]
    case .status(let status):
      isSourceConnected = status.isConnected
      return [.status(status)] + events(of: watch.updateReason(), at: now)
    case .failed(let error): return fail(error, at: now)
    case .finished:
      let answer = answerRequest(orFailWith: "the recording ended without a fix", at: now)
      watch.stop()
      headings?.watch.stop()
      return answer + [.finished]
    }
  }

  private mutating func receive(_ fix: Location, at now: Double) -> [Event] {
    guard needsFixes, fix.coordinate.isValid else { return [] }
    guard fix.passes(accuracyFilter: accuracyFilter) else {
      watch.receiveFixThatDoesNotCount(at: now)
      return []
    }
    var fix = fix
    let hasChangedDoubts = judge(&fix, at: now)
    let hadFix = fixState == .current
    let endsLoss = watch.receive(fix, at: now)
    var events = delivery.update(
      fix, at: now, endsLoss: endsLoss, distance: distanceFilter, desiredAccuracy: desiredAccuracy)
    // The fix may have answered a request, after which no fixes are needed.
    if !needsFixes { watch.stop() }
    if !hadFix { events.append(.fixState(fixState)) }
    if hasChangedDoubts { events.append(.doubts(doubts)) }
    regions.update(fix, at: now, policy: regionMonitoringPolicy, &events)
    if let visit = visits?.update(fix, at: now) { events.append(.visit(visit)) }
    return events
  }

  /// Adds the doubts to a fix. Returns whether they have changed.
  private mutating func judge(_ fix: inout Location, at now: Double) -> Bool {
    guard !doubtWatch.isEmpty else { return false }
    let hasChanged = doubtWatch[0].update(fix, at: now)
    if !doubts.isEmpty { fix.doubts = doubts }
    return hasChanged
  }

  /// The time at which `advance(to:)` has to be called; infinite if nothing is awaited. Fixes that follow each other do
  /// not move it.
  public var deadline: Double { min(watch.due, delivery.due, headings?.watch.due ?? .infinity) }

  /// Lets time pass, and returns the events that follow.
  public mutating func advance(to now: Double) -> [Event] {
    var found = events(of: watch.lookAtFixes(at: now), at: now)
    found += events(of: watch.lookAtReports(at: now), at: now)
    if headings?.watch.look(at: now) == true {
      // It does not answer a request for a location.
      found.append(.failure(LocationError(.headingFailure, "no heading for \(staleAfter) s")))
    }
    if now >= delivery.due {
      delivery.endWaiting()
      // Without any fix, the watch is about to report the loss itself, so this must not report it too.
      if delivery.hasAnswer || watch.hasExpired {
        found += answerRequest(orFailWith: "no fix within \(staleAfter) s", at: now)
      }
    }
    return found
  }

  private mutating func events(of change: FixWatch.Change?, at now: Double) -> [Event] {
    switch change {
    case nil: return []
    case .reason: return [.fixState(fixState)]
    case .lost(let message):
      let device = location?.sourceInformation?.deviceIdentifier
      let error = LocationError(.locationUnknown, message, deviceIdentifier: device)
      return fail(error, at: now) + [.fixState(fixState)]
    }
  }

  /// A failure also answers a pending request.
  private mutating func fail(_ error: LocationError, at now: Double) -> [Event] {
    if delivery.isRequested {
      delivery.cancelRequest()
      runWatch(at: now)
    }
    return [.failure(error)]
  }
}

extension LocationSourceStatus {
  /// Whether the source is open, or a recording that has ended.
  var isConnected: Bool { if case .connected = self { true } else { self == .finished } }
}
