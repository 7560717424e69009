/// A point on the WGS84 ellipsoid. Core Location's `CLLocationCoordinate2D`.
public struct LocationCoordinate2D: Sendable, Hashable, Codable {
  /// Degrees north of the equator, -90 … 90.
  public var latitude: LocationDegrees
  /// Degrees east of Greenwich, -180 … 180.
  public var longitude: LocationDegrees

  /// Creates a coordinate from degrees; any values are stored, `isValid` judges them.
  @inlinable
  public init(latitude: LocationDegrees, longitude: LocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both angles are finite and in range. Core Location's `CLLocationCoordinate2DIsValid`.
  @inlinable public var isValid: Bool {
    // Comparisons with NaN are false, so this refuses it too.
    latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
  }
}
