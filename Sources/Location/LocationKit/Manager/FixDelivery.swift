/// Decides which fixes the delegate receives, for continuous updates and for one request.
///
/// Continuous updates skip fixes that are near the last delivered one, and, if the program wants it, fixes while the
/// receiver rests. The first fix of the desired accuracy answers a request.
@MainActor
final class FixDelivery {
  enum Decision {
    case hold
    case deliver
    /// A pause begins after this fix.
    case deliverAndPause
    /// A pause ends before this fix.
    case resumeAndDeliver
  }

  // A class, so that a manager without a request needs no memory for one.
  private final class Request {
    /// Fires when the request has waited long enough; `nil` for a request without a time limit.
    let timer: LocationTimer?
    var best: Location?

    init(timer: LocationTimer?) { self.timer = timer }
  }

  /// Metres; with `nil`, zero or less, every fix passes.
  var distance: LocationDistance?
  /// Metres. Zero or less asks for the best accuracy, which any fix satisfies, because a receiver always works at its
  /// best.
  var desiredAccuracy: LocationAccuracy = kLocationAccuracyBest
  private(set) var isUpdating = false
  private var request: Request?
  private var pause: StationaryDetector?
  private var isPaused = false
  private var lastDelivered: LocationCoordinate2D?

  var isRequested: Bool { request != nil }
  /// Whether the request has seen a fix of any accuracy.
  var hasAnswer: Bool { request?.best != nil }

  /// Starts continuous updates. The next fix passes.
  func start() {
    isUpdating = true
    reset()
  }

  func stop() {
    isUpdating = false
    cancelRequest()
  }

  /// Sets the detector of pauses, or `nil` for no pauses, and ends a pause. Returns whether a pause was on.
  func setPause(_ detector: StationaryDetector?) -> Bool {
    defer { isPaused = false }
    pause = detector
    return isPaused
  }

  func request(within seconds: Double, of clock: any LocationClock, onTimeout: @escaping @MainActor () -> Void) {
    request = Request(timer: seconds < .infinity ? clock.schedule(after: seconds, onTimeout) : nil)
  }

  func cancelRequest() { request = nil }

  /// Ends the request and returns the most accurate fix that it has seen, which counts as delivered; `nil` without a
  /// fix.
  func takeAnswer() -> Location? {
    guard let best = request?.best else { return nil }
    request = nil
    lastDelivered = best.coordinate
    return best
  }

  /// Takes a fix at `now` on the source's clock. A fix that `endsLoss` always passes, and ends a pause.
  func update(_ fix: Location, at now: Double, endsLoss: Bool) -> Decision {
    let decision = isUpdating ? filter(fix.coordinate, at: now, endsLoss: endsLoss) : .hold
    guard answersRequest(fix) else { return decision }
    request = nil
    lastDelivered = fix.coordinate
    return decision == .hold ? .deliver : decision
  }

  /// Calls the manager's delegate according to the decision. The delegate may stop the updates meanwhile.
  func report(_ fix: Location, _ decision: Decision, by manager: LocationManager) {
    switch decision {
    case .hold: break
    case .deliver:
      manager.delegate?.locationManager(manager, didUpdateLocations: [fix])
    case .deliverAndPause:
      manager.delegate?.locationManager(manager, didUpdateLocations: [fix])
      if isUpdating { manager.delegate?.locationManagerDidPauseLocationUpdates(manager) }
    case .resumeAndDeliver:
      manager.delegate?.locationManagerDidResumeLocationUpdates(manager)
      if isUpdating { manager.delegate?.locationManager(manager, didUpdateLocations: [fix]) }
    }
  }

  private func filter(_ coordinate: LocationCoordinate2D, at now: Double, endsLoss: Bool) -> Decision {
    let wasPaused = isPaused
    if endsLoss { reset() }
    if pause != nil { isPaused = pause?.update(coordinate, at: now) ?? false }
    switch (wasPaused, isPaused) {
    case (true, true): return .hold
    case (true, false): return pass(coordinate, .resumeAndDeliver)
    case (false, true): return pass(coordinate, .deliverAndPause)
    case (false, false): return isNear(coordinate) ? .hold : pass(coordinate, .deliver)
    }
  }

  private func reset() {
    lastDelivered = nil
    isPaused = false
    pause?.reset()
  }

  private func isNear(_ coordinate: LocationCoordinate2D) -> Bool {
    guard let distance, distance > 0, let lastDelivered else { return false }
    return lastDelivered.distance(from: coordinate) < distance
  }

  private func pass(_ coordinate: LocationCoordinate2D, _ decision: Decision) -> Decision {
    lastDelivered = coordinate
    return decision
  }

  private func answersRequest(_ fix: Location) -> Bool {
    guard request != nil else { return false }
    let accuracy = fix.horizontalAccuracy ?? .infinity
    if desiredAccuracy <= 0 || accuracy <= desiredAccuracy { return true }
    if accuracy <= request?.best?.horizontalAccuracy ?? .infinity { request?.best = fix }
    return false
  }
}
