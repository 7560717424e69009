import FoundationEssentials
import LocationKit

extension Fix {
  /// The epoch as a location, `nil` without a valid position.
  ///
  /// Where the receiver gave no speed or climb, they follow from the epoch before, as in gpsd.
  func location(
    after previous: Fix, satellitesUsed: Int?, satellitesSeen: Int?, source: LocationSourceInformation?
  ) -> Location? {
    guard mode >= .twoDimensional, hasPosition else { return nil }
    var location = Location(latitude: latitude, longitude: longitude)
    location.sourceInformation = source
    location.mode = .twoDimensional
    location.satellitesUsed = satellitesUsed
    location.satellitesSeen = satellitesSeen
    if time > 0 { location.timestamp = Date(timeIntervalSince1970: Double(time) / 1e9) }
    let elapsed = time > 0 && previous.time > 0 ? Double(time - previous.time) / 1e9 : 0
    let canDerive = elapsed > 0 && previous.mode >= .twoDimensional && previous.hasPosition
    if mode == .threeDimensional {
      location.mode = .threeDimensional
      location.altitude = known(meanSeaLevelAltitude)
      location.ellipsoidalAltitude = known(heightAboveEllipsoid)
      location.verticalAccuracy = known(verticalAccuracy)
      location.climb = known(climb, below: 10_000)
      if location.climb == nil, canDerive, previous.mode == .threeDimensional {
        location.climb = known((heightAboveEllipsoid - previous.heightAboveEllipsoid) / elapsed, below: 10_000)
      }
    }
    location.horizontalAccuracy =
      known(horizontalAccuracy) ?? known((eastAccuracy * eastAccuracy + northAccuracy * northAccuracy).squareRoot())
    location.course = known(course.isFinite ? course : courseFromVelocity).map { Self.normalized($0) }
    location.courseAccuracy = known(courseAccuracy)
    location.speed = known(speed.isFinite ? speed : speedFromVelocity, below: 10_000)
    location.speedAccuracy = known(speedAccuracy)
    if canDerive {
      if location.speed == nil, !speed.isFinite, !speedFromVelocity.isFinite {
        location.speed = known(Geodesic.distance(from: previous, to: self) / elapsed, below: 10_000)
      }
      if location.speedAccuracy == nil {
        location.speedAccuracy = known(
          (max(previous.eastAccuracy, previous.northAccuracy) + max(eastAccuracy, northAccuracy)) / elapsed)
      }
    }
    return location
  }

  private var meanSeaLevelAltitude: Double {
    altitude.isFinite ? altitude : ellipsoidalAltitude - geoidSeparation
  }

  private var heightAboveEllipsoid: Double {
    ellipsoidalAltitude.isFinite ? ellipsoidalAltitude : altitude + geoidSeparation
  }

  private var speedFromVelocity: Double {
    (eastVelocity * eastVelocity + northVelocity * northVelocity).squareRoot()
  }

  private var courseFromVelocity: Double {
    Geodesic.bearing(east: eastVelocity, north: northVelocity)
  }

  /// Degrees from 0 up to but not including 360.
  private static func normalized(_ degrees: Double) -> Double {
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    return positive < 360 ? positive : 0
  }

  private func known(_ value: Double, below limit: Double = .greatestFiniteMagnitude) -> Double? {
    abs(value) < limit ? value : nil
  }
}
