/// A point on the WGS84 ellipsoid. Core Location's `CLLocationCoordinate2D`.
public struct LocationCoordinate2D: Sendable, Hashable, Codable {
  /// Degrees north of the equator, -90 … 90.
  public var latitude: LocationDegrees
  /// Degrees east of Greenwich, -180 … 180.
  public var longitude: LocationDegrees

  /// Creates a coordinate from any degrees; `isValid` checks them.
  @inlinable
  public init(latitude: LocationDegrees, longitude: LocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both angles are finite and in range. Core Location's `CLLocationCoordinate2DIsValid`.
  @inlinable public var isValid: Bool {
    // Comparisons with NaN are false, so this rejects NaN too.
    latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
  }
}

extension LocationCoordinate2D {
  /// Returns the length in metres of the geodesic on the WGS84 ellipsoid between two coordinates; NaN if one of them is
  /// not valid.
  public func distance(from coordinate: LocationCoordinate2D) -> LocationDistance {
    Geodesic.distance(from: coordinate, to: self)
  }
}

/// How coordinates are written for a person.
public enum CoordinateFormat: String, Sendable, Hashable, CaseIterable {
  /// Degrees, to about a metre, in the form that map sites accept: "37.78585, -122.40633".
  case degrees
  /// Degrees and minutes, to about two metres, as on charts: "37° 47.151' N, 122° 24.380' W".
  case minutes
  /// The Maidenhead locator: "CM87ts58".
  case grid
}

extension LocationCoordinate2D {
  /// The Maidenhead locator in eight characters, a square of 30 by 15 seconds of arc, as used by radio amateurs.
  package var gridLocator: String {
    guard isValid else { return "" }
    // The pole and the antimeridian are in the last square.
    var east = min(longitude + 180, 360.nextDown) / 20
    var north = min(latitude + 90, 180.nextDown) / 10
    var text = ""
    for (first, count) in [("A", 10), ("0", 24), ("a", 10), ("0", 0)] as [(Unicode.Scalar, Double)] {
      for value in [east, north] { text.unicodeScalars.append(Unicode.Scalar(UInt8(first.value) + UInt8(value))) }
      east = (east - east.rounded(.down)) * count
      north = (north - north.rounded(.down)) * count
    }
    return text
  }
}

/// Degrees of latitude or longitude, WGS84. Core Location's `CLLocationDegrees`.
public typealias LocationDegrees = Double

/// Metres. Core Location's `CLLocationDistance`.
public typealias LocationDistance = Double

/// A radius of uncertainty in metres: one standard deviation, times gpsd's 95 % factor where gpsd supplies it. Core
/// Location's `CLLocationAccuracy`.
public typealias LocationAccuracy = Double

/// Metres per second. Core Location's `CLLocationSpeed`.
public typealias LocationSpeed = Double

/// Metres per second of uncertainty. Core Location's `CLLocationSpeedAccuracy`.
public typealias LocationSpeedAccuracy = Double

/// Degrees clockwise from true north, 0 ..< 360. Core Location's `CLLocationDirection`.
public typealias LocationDirection = Double

/// Degrees of uncertainty of a direction. Core Location's `CLLocationDirectionAccuracy`.
public typealias LocationDirectionAccuracy = Double
