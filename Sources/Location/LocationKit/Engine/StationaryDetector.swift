/// Decides whether the receiver has stayed within a radius for some time.
package struct StationaryDetector: Sendable {
  /// The metres around the first fix of a stay that count as the same place.
  var radius: LocationDistance
  /// The seconds after which it counts as a stay.
  var duration: Double

  private var anchor: LocationCoordinate2D?
  private var since = 0.0

  package init(radius: LocationDistance, duration: Double) {
    self.radius = radius
    self.duration = duration
  }

  init(_ activity: ActivityType) {
    switch activity {
    case .other: self.init(radius: 50, duration: 600)
    case .automotiveNavigation: self.init(radius: 50, duration: 300)
    case .fitness: self.init(radius: 25, duration: 180)
    case .otherNavigation: self.init(radius: 100, duration: 600)
    case .airborne: self.init(radius: 500, duration: 900)
    }
  }

  package mutating func reset() { anchor = nil }

  /// Takes a fix at `now`; returns whether the receiver is stationary.
  package mutating func update(_ coordinate: LocationCoordinate2D, at now: Double) -> Bool {
    guard let anchor, anchor.distance(from: coordinate) <= radius else {
      anchor = coordinate
      since = now
      return false
    }
    // The time may go back.
    since = min(since, now)
    return now - since >= duration
  }
}
