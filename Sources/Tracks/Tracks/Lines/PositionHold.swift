import FoundationEssentials
public import LocationKit

/// Keeps the position still while the receiver is at rest, so that a parked car draws no scribble.
///
/// The receiver is at rest from its first fix on, and later when its fixes have stayed near each other for some time. It
/// has moved when its fixes have been beyond the radius, and beyond their accuracy, for some seconds.
public struct PositionHold: Sendable {
  /// The seconds within half the radius after which the receiver is at rest.
  private static let settling = 20.0
  /// The seconds beyond the radius after which it has moved.
  private static let leaving = 3.0
  /// A receiver that reports a higher speed is not at rest, metres per second.
  private static let restingSpeed = 1.0

  private enum State {
    case unknown
    case resting(at: LocationCoordinate2D, awaySince: Double?)
    case moving(StationaryDetector)
  }

  private let radius: LocationDistance
  private var state = State.unknown

  /// Creates a hold with a radius in metres.
  public init(radius: LocationDistance) { self.radius = radius }

  /// Forgets the place, because the fix was lost.
  public mutating func reset() { state = .unknown }

  /// Returns the fix, with the position of the rest if the receiver is at rest. A fix without a time is not held.
  public mutating func update(_ location: Location) -> Location {
    guard let now = location.timestamp?.timeIntervalSinceReferenceDate, location.coordinate.isValid else {
      return location
    }
    switch state {
    case .unknown:
      state = .resting(at: location.coordinate, awaySince: nil)
      return location
    case .moving(var detector):
      if let speed = location.speed, speed > Self.restingSpeed { detector.reset() }
      let rests = detector.update(location.coordinate, at: now)
      state = rests ? .resting(at: location.coordinate, awaySince: nil) : .moving(detector)
      return location
    case .resting(let place, let awaySince):
      let isAway = place.distance(from: location.coordinate) > max(radius, location.horizontalAccuracy ?? 0)
      // The clock may have been set back.
      let since = isAway ? min(awaySince ?? now, now) : nil
      if let since, now - since >= Self.leaving {
        state = .moving(StationaryDetector(radius: radius / 2, duration: Self.settling))
        return location
      }
      state = .resting(at: place, awaySince: since)
      return location.held(at: place)
    }
  }
}

extension Location {
  fileprivate func held(at place: LocationCoordinate2D) -> Location {
    var held = self
    held.coordinate = place
    var source = sourceInformation ?? LocationSourceInformation()
    source.isHeld = true
    held.sourceInformation = source
    return held
  }
}
