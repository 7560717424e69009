public import LocationKit

/// A part of the map: a centre and how much around it. MapKit's `MKCoordinateRegion`.
public struct CoordinateRegion: Sendable, Hashable, Codable {
  /// The middle, degrees WGS84.
  public var center: LocationCoordinate2D
  /// The extent around the middle, degrees.
  public var span: CoordinateSpan

  /// Creates a region; any values are stored, `isValid` judges them.
  @inlinable
  public init(center: LocationCoordinate2D, span: CoordinateSpan) {
    self.center = center
    self.span = span
  }

  /// The whole earth.
  public static let world = CoordinateRegion(
    center: LocationCoordinate2D(latitude: 0, longitude: 0),
    span: CoordinateSpan(latitudeDelta: 180, longitudeDelta: 360))

  /// Whether the centre is a coordinate and the extent is finite and in range.
  @inlinable public var isValid: Bool {
    // Comparisons with NaN are false, so this refuses it too.
    center.isValid && span.latitudeDelta >= 0 && span.latitudeDelta <= 180
      && span.longitudeDelta >= 0 && span.longitudeDelta <= 360
  }
}
