public import LocationKit

/// A part of the map: a centre and an extent. MapKit's `MKCoordinateRegion`.
///
/// The centre divides the span in halves. A region may cross the 180th meridian, where longitudes wrap. A region that
/// reaches past a pole ends at the pole.
public struct CoordinateRegion: Sendable, Hashable, Codable {
  /// The centre, degrees WGS84.
  public var center: LocationCoordinate2D
  /// The extent around the centre, degrees.
  public var span: CoordinateSpan

  /// Creates a region from any values; `isValid` checks them.
  @inlinable
  public init(center: LocationCoordinate2D, span: CoordinateSpan) {
    self.center = center
    self.span = span
  }

  /// Creates a region of the given height and width in metres, measured through its centre with the radii of the WGS84
  /// ellipsoid there. MapKit's `init(center:latitudinalMeters:longitudinalMeters:)`.
  ///
  /// The span is limited to 180° of latitude and 360° of longitude; at a pole any width covers all longitudes. The
  /// region is not valid if the centre is not, or if a distance is negative or not finite.
  public init(center: LocationCoordinate2D, latitudinalMeters: LocationDistance, longitudinalMeters: LocationDistance) {
    let radians = latitudinalMeters / WGS84.meridianRadius(atLatitude: center.latitude)
    let parallel = WGS84.primeVerticalRadius(atLatitude: center.latitude) * cosine(ofDegrees: center.latitude)
    // Not min(180, …), which would hide a value that is not finite.
    let latitudeDelta = radians * 180 / .pi
    let longitudeDelta = longitudinalMeters == 0 ? 0 : longitudinalMeters / parallel * 180 / .pi
    self.init(
      center: center,
      span: CoordinateSpan(
        latitudeDelta: latitudinalMeters.isFinite && latitudeDelta > 180 ? 180 : latitudeDelta,
        longitudeDelta: longitudinalMeters.isFinite && longitudeDelta > 360 ? 360 : longitudeDelta))
  }

  /// Creates the region around the valid coordinates, with a margin of a tenth of their extent on each side, and at
  /// least 500 m high and wide. `nil` if no coordinate is valid.
  init?(around coordinates: [LocationCoordinate2D]) {
    let coordinates = coordinates.filter(\.isValid)
    let latitudes = coordinates.map(\.latitude)
    let longitudes = coordinates.map(\.longitude).sorted()
    guard let south = latitudes.min(), let north = latitudes.max(), var west = longitudes.first,
      let east = longitudes.last
    else { return nil }
    // The way around the earth that leaves out the widest gap may cross the 180th meridian.
    var width = east - west
    for (one, next) in zip(longitudes, longitudes.dropFirst()) where 360 - (next - one) < width {
      (west, width) = (next, 360 - (next - one))
    }
    let center = LocationCoordinate2D(latitude: (south + north) / 2, longitude: wrapped(west + width / 2))
    let least = CoordinateRegion(center: center, latitudinalMeters: 500, longitudinalMeters: 500).span
    self.init(
      center: center,
      span: CoordinateSpan(
        latitudeDelta: min(180, max(least.latitudeDelta, (north - south) * 1.2)),
        longitudeDelta: min(360, max(least.longitudeDelta, width * 1.2))))
  }

  /// The whole earth.
  public static let world = CoordinateRegion(
    center: LocationCoordinate2D(latitude: 0, longitude: 0),
    span: CoordinateSpan(latitudeDelta: 180, longitudeDelta: 360))

  /// Whether the centre is a valid coordinate and the extent is finite and in range.
  @inlinable public var isValid: Bool {
    // Comparisons with NaN are false, so this rejects NaN too.
    center.isValid && span.latitudeDelta >= 0 && span.latitudeDelta <= 180
      && span.longitudeDelta >= 0 && span.longitudeDelta <= 360
  }

  /// The latitude of the north edge, 90 at most.
  public var northLatitude: LocationDegrees { min(90, center.latitude + span.latitudeDelta / 2) }

  /// The latitude of the south edge, -90 at least.
  public var southLatitude: LocationDegrees { max(-90, center.latitude - span.latitudeDelta / 2) }

  /// The longitude of the west edge, -180 … 180. It is east of the east edge if the region crosses the 180th meridian.
  public var westLongitude: LocationDegrees { wrapped(center.longitude - span.longitudeDelta / 2) }

  /// The longitude of the east edge, -180 … 180. It is west of the west edge if the region crosses the 180th meridian.
  public var eastLongitude: LocationDegrees { wrapped(center.longitude + span.longitudeDelta / 2) }

  /// Whether a coordinate is within the region or on its edge; `false` if either is not valid.
  public func contains(_ coordinate: LocationCoordinate2D) -> Bool {
    guard isValid, coordinate.isValid else { return false }
    let east = (coordinate.longitude - center.longitude).remainder(dividingBy: 360)
    return abs(coordinate.latitude - center.latitude) <= span.latitudeDelta / 2
      && abs(east) <= span.longitudeDelta / 2
  }
}

/// The extent of a region in degrees. MapKit's `MKCoordinateSpan`.
public struct CoordinateSpan: Sendable, Hashable, Codable {
  /// Degrees from the south edge to the north edge, 0 … 180.
  public var latitudeDelta: LocationDegrees
  /// Degrees from the west edge to the east edge, 0 … 360.
  public var longitudeDelta: LocationDegrees

  /// Creates a span from any values; `CoordinateRegion.isValid` checks them.
  @inlinable
  public init(latitudeDelta: LocationDegrees, longitudeDelta: LocationDegrees) {
    self.latitudeDelta = latitudeDelta
    self.longitudeDelta = longitudeDelta
  }
}

private func wrapped(_ longitude: LocationDegrees) -> LocationDegrees {
  abs(longitude) <= 180 ? longitude : longitude.remainder(dividingBy: 360)
}
