extension LocationManager {
  /// Brings the source and the watches in line with what is asked for.
  func run() {
    followsMovement = !regionMonitors.isEmpty || visitDetector != nil
    needsFixes = isUpdatingLocation || request != nil || followsMovement
    if needsFixes { fixWatch.start() } else { fixWatch.stop() }
    if isUpdatingHeading { headingWatch.start() } else { headingWatch.stop() }
    if needsFixes || isUpdatingHeading {
      source.attach(self)
    } else {
      source.detach(self)
    }
  }

  /// Runs what was just asked for, unless the process may not.
  func begin() {
    run()
    guard isRefused else { return }
    hasReportedRefusal = false
    deferredCalls.add { [weak self] in self?.reportRefusal() }
  }

  /// Looks whether the source's authorization has changed, and tells the delegate.
  func checkAuthorization() {
    let status = source.authorizationStatus
    guard status != lastAuthorization else { return }
    lastAuthorization = status
    delegate?.locationManagerDidChangeAuthorization(self)
    if isRefused { reportRefusal() } else { hasReportedRefusal = false }
  }

  /// Applies the settings of pauses; a pause that is on ends.
  func updatePausing() {
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
}
