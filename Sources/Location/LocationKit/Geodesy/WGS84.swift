import Glibc

/// The ellipsoid that coordinates refer to.
public enum WGS84 {
  /// The equatorial radius in metres.
  public static let equatorialRadius: LocationDistance = 6_378_137
  /// The flattening.
  public static let flattening = 1 / 298.257_223_563
  /// The polar radius in metres.
  public static let polarRadius: LocationDistance = equatorialRadius * (1 - flattening)

  /// Metres in a degree of the equator, for a picture that needs no more.
  package static let metresPerDegree = equatorialRadius * .pi / 180

  /// The square of the first eccentricity.
  package static let eccentricitySquared = flattening * (2 - flattening)

  /// The radius of curvature in the meridian, metres: what a radian of latitude measures at that latitude.
  public static func meridianRadius(atLatitude latitude: LocationDegrees) -> LocationDistance {
    let w = curvature(latitude)
    return equatorialRadius * (1 - eccentricitySquared) / (w * w * w)
  }

  /// The radius of curvature in the prime vertical, metres: times the cosine of the latitude, what a radian of
  /// longitude measures there.
  public static func primeVerticalRadius(atLatitude latitude: LocationDegrees) -> LocationDistance {
    equatorialRadius / curvature(latitude)
  }

  private static func curvature(_ latitude: LocationDegrees) -> Double {
    let sine = sin(latitude * .pi / 180)
    return (1 - eccentricitySquared * sine * sine).squareRoot()
  }
}
