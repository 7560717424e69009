/// The ellipsoid of all coordinates.
public enum WGS84 {
  /// The equatorial radius in metres.
  public static let equatorialRadius: LocationDistance = 6_378_137
  /// The flattening.
  public static let flattening = 1 / 298.257_223_563
  /// The polar radius in metres.
  public static let polarRadius: LocationDistance = equatorialRadius * (1 - flattening)

  /// The least radius of curvature in metres, that of the meridian at the equator.
  static let leastCurvature = polarRadius * polarRadius / equatorialRadius
  /// The greatest radius of curvature in metres, that of all directions at a pole.
  static let greatestCurvature = equatorialRadius * equatorialRadius / polarRadius

  /// Metres per degree of the equator, for simple drawings.
  package static let metresPerDegree = equatorialRadius * .pi / 180

  /// The square of the first eccentricity.
  package static let eccentricitySquared = flattening * (2 - flattening)

  /// Returns the radius of curvature in the meridian in metres, which is the length of a radian of latitude there.
  public static func meridianRadius(atLatitude latitude: LocationDegrees) -> LocationDistance {
    let w = curvature(latitude)
    return equatorialRadius * (1 - eccentricitySquared) / (w * w * w)
  }

  /// Returns the radius of curvature in the prime vertical in metres. Multiplied by the cosine of the latitude, it is
  /// the length of a radian of longitude there.
  public static func primeVerticalRadius(atLatitude latitude: LocationDegrees) -> LocationDistance {
    equatorialRadius / curvature(latitude)
  }

  private static func curvature(_ latitude: LocationDegrees) -> Double {
    let sine = C.sin(latitude * .pi / 180)
    return (1 - eccentricitySquared * sine * sine).squareRoot()
  }
}
