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

/// Says whether the receiver has stayed within a radius for some time.
struct StationaryDetector {
  /// Metres around the first fix of the stay that still count as the same place.
  var radius: LocationDistance
  /// Seconds until it counts as a stay.
  var duration: Double

  private var anchor: LocationCoordinate2D?
  private var since = 0.0

  init(radius: LocationDistance, duration: Double) {
    self.radius = radius
    self.duration = duration
  }

  /// What ends movement of that kind.
  init(_ activity: ActivityType) {
    switch activity {
    case .other: self.init(radius: 50, duration: 600)
    case .automotiveNavigation: self.init(radius: 50, duration: 300)
    case .fitness: self.init(radius: 25, duration: 180)
    case .otherNavigation: self.init(radius: 100, duration: 600)
    case .airborne: self.init(radius: 500, duration: 900)
    }
  }

  /// Begins anew.
  mutating func reset() {
    anchor = nil
  }

  /// Takes a fix at `now`; returns whether the receiver is stationary.
  mutating func update(_ coordinate: LocationCoordinate2D, at now: Double) -> Bool {
    guard let anchor, anchor.distance(from: coordinate) <= radius else {
      anchor = coordinate
      since = now
      return false
    }
    return now - since >= duration
  }
}

/// What kind of movement to expect; it decides when a manager that may pause its updates does so. Core
/// Location's `CLActivityType`.
public enum ActivityType: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing in particular.
  case other
  /// A vehicle on roads.
  case automotiveNavigation
  /// On foot: walking, running.
  case fitness
  /// A boat, a train, any other vehicle off the road.
  case otherNavigation
  /// In the air.
  case airborne
}
