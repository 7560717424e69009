// How a manager runs its engine: the source, the timers, and the calls of the delegate.
extension LocationManager {
  // MARK: Running

  /// Starts or stops the source and the timer according to the program's requests.
  func run() {
    knownInterests = interests
    if knownInterests.isEmpty { source.detach(self) } else { source.attach(self) }
    setTimer()
  }

  /// Starts the source for a new request, and reports a refusal if the process may not use it.
  func begin() {
    run()
    guard source.authorizationStatus.isRefused else { return }
    hasReportedRefusal = false
    later { $0.reportRefusal() }
  }

  func updatePausing() {
    let events = engine.pauseUpdates(during: pausesLocationUpdatesAutomatically ? activityType : nil)
    if !events.isEmpty { later { $0.apply(events) } }
  }

  /// Sets the timer for the engine's deadline. Fixes that follow each other do not move it.
  func setTimer() {
    guard engine.deadline != due else { return }
    due = engine.deadline
    // The timer belongs to this object and ends with it.
    timer = due < .infinity ? clock.schedule(after: due - clock.now) { [unowned self] in advance() } : nil
  }

  private func advance() {
    // The clock may differ from the deadline in the last digit.
    let now = max(clock.now, due)
    (timer, due) = (nil, .infinity)
    engine.isSourceConnected = source.status.isConnected
    apply(engine.advance(to: now))
  }

  func later(_ call: @escaping @MainActor (LocationManager) -> Void) {
    pending.append(call)
    if pendingTimer == nil { pendingTimer = clock.schedule(after: 0) { [weak self] in self?.runPending() } }
    // The clock of a recording that has ended stands still.
    if source.status == .finished { Task { [weak self] in self?.runPending() } }
  }

  private func runPending() {
    guard !pending.isEmpty else { return }
    pendingTimer = nil
    let calls = pending
    pending = []
    for call in calls { call(self) }
  }

  // MARK: Receiving

  /// Takes one event. Only the source calls this, on the main actor.
  public func receive(_ event: LocationSourceEvent) {
    runPending()
    switch event {
    case .location, .heading, .satellites: apply(engine.receive(event, at: clock.now))
    case .noFix, .finished:
      engine.isSourceConnected = source.status.isConnected
      apply(engine.receive(event, at: clock.now))
      if event == .noFix { onReportWithoutFix?() }
    case .status:
      checkAuthorization()
      apply(engine.receive(event, at: clock.now))
    case .failed(let error):
      fail(error)
      checkAuthorization()
    }
  }

  /// Reports an error. `denied` is reported once until access is granted or requested again.
  private func fail(_ error: LocationError) {
    if error.code == .denied {
      if hasReportedRefusal { return }
      hasReportedRefusal = true
    }
    apply(engine.receive(.failed(error), at: clock.now))
  }

  private func checkAuthorization() {
    guard source.authorizationStatus != knownAuthorization else { return }
    knownAuthorization = source.authorizationStatus
    if !knownAuthorization.isRefused { hasReportedRefusal = false }
    delegate?.locationManagerDidChangeAuthorization(self)
    reportRefusal()
  }

  private func reportRefusal() {
    guard source.authorizationStatus.isRefused else { return }
    fail(LocationError(.denied, "the system does not let this process use the source of locations"))
  }

  /// Calls the delegate. It may change the requests within each call, so what it no longer wants is left out.
  func apply(_ events: [LocationEngine.Event]) {
    if interests != knownInterests { run() } else { setTimer() }
    var isWanted = true
    for event in events {
      switch event {
      case .resumed:
        delegate?.locationManagerDidResumeLocationUpdates(self)
        isWanted = engine.isUpdatingLocation
      case .locations(let locations):
        if isWanted { delegate?.locationManager(self, didUpdateLocations: locations) }
      case .paused:
        if engine.isUpdatingLocation { delegate?.locationManagerDidPauseLocationUpdates(self) }
      case .failure(let error): delegate?.locationManager(self, didFailWithError: error)
      case .fixState: delegate?.locationManager(self, didChangeFixState: fixState)
      case .doubts: delegate?.locationManager(self, didChangeDoubts: doubts)
      case .region(let region, let state, let isCrossed):
        if engine.isMonitoring(region) { report(state, of: region, isCrossed: isCrossed) }
      case .monitoringFailure(let region, let error):
        guard engine.isMonitoring(region) else { break }
        delegate?.locationManager(self, monitoringDidFailFor: region, withError: error)
      case .visit(let visit):
        if engine.isMonitoringVisits { delegate?.locationManager(self, didVisit: visit) }
      case .calibration: _ = delegate?.locationManagerShouldDisplayHeadingCalibration(self)
      case .heading(let heading): delegate?.locationManager(self, didUpdateHeading: heading)
      case .satellites(let satellites): delegate?.locationManager(self, didUpdateSatellites: satellites)
      case .status(let status): delegate?.locationManager(self, didChangeSourceStatus: status)
      case .finished: delegate?.locationManagerDidReachEndOfRecording(self)
      }
    }
  }

  private func report(_ state: RegionState, of region: Region, isCrossed: Bool) {
    if isCrossed && state == .inside && region.notifyOnEntry { delegate?.locationManager(self, didEnterRegion: region) }
    if isCrossed && state == .outside && region.notifyOnExit { delegate?.locationManager(self, didExitRegion: region) }
    delegate?.locationManager(self, didDetermineState: state, for: region)
  }
}
