public import LocationKit

/// How much of the earth a region shows, in degrees. MapKit's `MKCoordinateSpan`.
public struct CoordinateSpan: Sendable, Hashable, Codable {
  /// Degrees from the south edge to the north edge, 0 … 180.
  public var latitudeDelta: LocationDegrees
  /// Degrees from the west edge to the east edge, 0 … 360.
  public var longitudeDelta: LocationDegrees

  /// Creates a span; any values are stored, and the region judges them.
  @inlinable
  public init(latitudeDelta: LocationDegrees, longitudeDelta: LocationDegrees) {
    self.latitudeDelta = latitudeDelta
    self.longitudeDelta = longitudeDelta
  }
}
