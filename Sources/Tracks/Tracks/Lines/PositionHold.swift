import FoundationEssentials
public import LocationKit
import Records

/// Keeps the position still while the receiver is at rest, so that a parked car draws no scribble.
///
/// The receiver is at rest from its first fix on, and later when the mean of its fixes has stayed near one place for some
/// time. It has moved when its fixes and their mean have been beyond the radius, and beyond their accuracy, for some
/// seconds. As long as the receiver reports that it stands, only fixes five times as far away are a move.
public struct PositionHold: Sendable {
  /// The seconds within half the radius after which the receiver is at rest.
  private static let settling = 20.0
  /// The seconds beyond the radius after which it has moved.
  private static let leaving = 3.0
  /// A receiver that reports a higher speed is not at rest, metres per second.
  private static let restingSpeed = 1.0
  /// A receiver that reports a lower speed stands, metres per second.
  private static let standingSpeed = 0.5
  /// The radii that a receiver that stands may be wrong.
  private static let farRadii = 5.0
  /// The seconds of fixes in the mean, and the greatest weight of a fix.
  private static let averaging = (seconds: 10.0, weight: 0.25)

  private enum State {
    case resting(at: LocationCoordinate2D, awaySince: Double?)
    case moving(StationaryDetector)
  }

  private let radius: LocationDistance
  private var state: State?
  private var mean = (place: LocationCoordinate2D(latitude: 0, longitude: 0), time: 0.0)

  /// Creates a hold with a radius in metres.
  public init(radius: LocationDistance) { self.radius = radius }

  /// Forgets the place, because the fix was lost.
  public mutating func reset() { state = nil }

  /// Returns the fix, with the position of the rest if the receiver is at rest. A fix without a time is not held.
  public mutating func update(_ location: Location) -> Location {
    guard let now = location.timestamp?.timeIntervalSinceReferenceDate, location.coordinate.isValid else {
      return location
    }
    let limit = max(radius, location.horizontalAccuracy ?? 0)
    let isFast = location.speed ?? 0 > Self.restingSpeed
    average(location.coordinate, at: now, limit: isFast || state == nil ? 0 : limit)
    switch state {
    case nil:
      state = .resting(at: location.coordinate, awaySince: nil)
      return location
    case .moving(var detector):
      if isFast { detector.reset() }
      let rests = detector.update(mean.place, at: now)
      state = rests ? .resting(at: mean.place, awaySince: nil) : .moving(detector)
      return location
    case .resting(let place, let awaySince):
      let distance = place.distance(from: location.coordinate)
      let stands = location.speed.map { $0 < Self.standingSpeed } ?? false
      let isAway = distance > (stands ? Self.farRadii : 1) * limit && place.distance(from: mean.place) > limit
      // The clock may have been set back.
      let since = isAway ? min(awaySince ?? now, now) : nil
      if let since, now - since >= Self.leaving {
        state = .moving(StationaryDetector(radius: radius / 2, duration: Self.settling))
        return location
      }
      state = .resting(at: place, awaySince: since)
      var held = location
      held.coordinate = place
      held.source.isHeld = true
      return held
    }
  }

  /// Adds a fix to the mean, which begins anew with a fix that is more than three limits away.
  private mutating func average(_ coordinate: LocationCoordinate2D, at now: Double, limit: LocationDistance) {
    let place = mean.place
    guard place.distance(from: coordinate) <= 3 * limit else { return mean = (coordinate, now) }
    let weight = min(max(0, now - mean.time) / Self.averaging.seconds, Self.averaging.weight)
    let east = (coordinate.longitude - place.longitude).remainder(dividingBy: 360)
    mean.place.latitude += weight * (coordinate.latitude - place.latitude)
    mean.place.longitude = (place.longitude + weight * east).remainder(dividingBy: 360)
    mean.time = now
  }
}
