/// Decides which fixes are delivered: by distance from the last delivered one, and not while the receiver rests,
/// if that is asked for.
@MainActor
final class UpdateFilter {
  /// What to do with a fix.
  enum Decision {
    case hold
    case deliver
    /// A pause begins after this fix.
    case deliverAndPause
    /// A pause ends before this fix.
    case resumeAndDeliver
  }

  /// Metres; `nil`, zero and less let every fix pass.
  var distance: LocationDistance?
  private var pause: StationaryDetector?
  private var isPaused = false
  private var lastDelivered: LocationCoordinate2D?

  /// Sets when to pause, `nil` for never, and ends a pause. Returns whether there was one.
  func setPause(_ detector: StationaryDetector?) -> Bool {
    defer { isPaused = false }
    pause = detector
    return isPaused
  }

  /// Begins anew: the next fix passes.
  func reset() {
    lastDelivered = nil
    isPaused = false
    pause?.reset()
  }

  /// Notes that a fix was delivered whatever this filter said.
  func didDeliver(_ coordinate: LocationCoordinate2D) {
    lastDelivered = coordinate
  }

  /// Takes a fix at `now` on the source's clock; one that `endsLoss` always passes, and ends a pause.
  func update(_ coordinate: LocationCoordinate2D, at now: Double, endsLoss: Bool) -> Decision {
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

  private func isNear(_ coordinate: LocationCoordinate2D) -> Bool {
    guard let distance, distance > 0, let lastDelivered else { return false }
    return lastDelivered.distance(from: coordinate) < distance
  }

  private func pass(_ coordinate: LocationCoordinate2D, _ decision: Decision) -> Decision {
    lastDelivered = coordinate
    return decision
  }
}
