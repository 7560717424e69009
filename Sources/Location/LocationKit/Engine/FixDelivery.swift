/// Decides which fixes a program receives, for continuous updates and for one request.
///
/// Continuous updates skip fixes that are near the last delivered one, and, if the program wants it, fixes while the
/// receiver rests. The first fix of the desired accuracy answers a request.
struct FixDelivery: Sendable {
  // Indirect, so that an engine without a request needs no memory for a location.
  private indirect enum Request {
    case none
    /// Until a time, infinite without a limit. The most accurate fix so far is the answer then.
    case open(until: Double, best: Location?)
  }

  private(set) var isUpdating = false
  private var request = Request.none
  private var pause: StationaryDetector?
  private var isPaused = false
  private var lastDelivered: LocationCoordinate2D?

  var isRequested: Bool { if case .open = request { true } else { false } }
  /// The time at which the request has waited long enough.
  var due: Double { if case .open(let due, _) = request { due } else { .infinity } }
  /// Whether the request has seen a fix of any accuracy.
  var hasAnswer: Bool { if case .open(_, .some) = request { true } else { false } }

  /// Starts continuous updates. The next fix passes.
  mutating func start() {
    isUpdating = true
    reset()
  }

  mutating func stop() {
    isUpdating = false
    request = .none
  }

  /// Sets the detector of pauses, or `nil` for no pauses, and ends a pause. Returns whether a pause was on.
  mutating func setPause(_ detector: StationaryDetector?) -> Bool {
    defer { isPaused = false }
    pause = detector
    return isPaused
  }

  mutating func request(until due: Double) { request = .open(until: due, best: nil) }

  mutating func cancelRequest() { request = .none }

  /// Ends the waiting of a request that is due; it stays open.
  mutating func endWaiting() {
    if case .open(_, let best) = request { request = .open(until: .infinity, best: best) }
  }

  /// Ends the request and returns the most accurate fix that it has seen, which counts as delivered; `nil` without a
  /// fix.
  mutating func takeAnswer() -> Location? {
    guard case .open(_, let best?) = request else { return nil }
    request = .none
    lastDelivered = best.coordinate
    return best
  }

  /// Takes a fix, and returns its delivery and the changes of a pause. One that `endsLoss` always passes, and ends a pause.
  ///
  /// With a `distance` in metres of `nil`, zero or less every fix passes. A `desiredAccuracy` of zero or less asks for the
  /// best one, which any fix satisfies, because a receiver always works at its best.
  mutating func update(
    _ fix: Location, at now: Double, endsLoss: Bool, distance: LocationDistance?, desiredAccuracy: LocationAccuracy
  ) -> [LocationEngine.Event] {
    let events = isUpdating ? filter(fix, at: now, endsLoss: endsLoss, distance) : []
    guard case .open(let due, let best) = request else { return events }
    let accuracy = fix.horizontalAccuracy ?? .infinity
    if desiredAccuracy <= 0 || accuracy <= desiredAccuracy {
      request = .none
      lastDelivered = fix.coordinate
      return events.isEmpty ? [.locations([fix])] : events
    }
    if accuracy <= best?.horizontalAccuracy ?? .infinity { request = .open(until: due, best: fix) }
    return events
  }

  private mutating func filter(
    _ fix: Location, at now: Double, endsLoss: Bool, _ distance: LocationDistance?
  ) -> [LocationEngine.Event] {
    let (coordinate, wasPaused) = (fix.coordinate, isPaused)
    if endsLoss { reset() }
    if pause != nil { isPaused = pause?.update(coordinate, at: now) ?? false }
    if wasPaused ? isPaused : !isPaused && isNear(coordinate, distance) { return [] }
    lastDelivered = coordinate
    if wasPaused == isPaused { return [.locations([fix])] }
    return isPaused ? [.locations([fix]), .paused] : [.resumed, .locations([fix])]
  }

  private mutating func reset() {
    lastDelivered = nil
    isPaused = false
    pause?.reset()
  }

  private func isNear(_ coordinate: LocationCoordinate2D, _ distance: LocationDistance?) -> Bool {
    guard let distance, distance > 0, let lastDelivered else { return false }
    return lastDelivered.distance(from: coordinate) < distance
  }
}
