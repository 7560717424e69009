public import LocationKit

/// The width of MapKit's world in map points: 2²⁸, which are tiles of 256 points at zoom level 20.
private let worldSize = 268_435_456.0

/// Returns the metres per map point at a latitude, along the meridian of the WGS84 ellipsoid, on MapKit's Mercator map
/// of 2²⁸ points. MapKit's `MKMetersPerMapPointAtLatitude`. NaN beyond the poles.
public func metersPerMapPoint(atLatitude latitude: LocationDegrees) -> LocationDistance {
  guard abs(latitude) <= 90 else { return .nan }
  return WGS84.meridianRadius(atLatitude: latitude) * cosine(ofDegrees: latitude) * 2 * .pi / worldSize
}

/// The inverse of `metersPerMapPoint(atLatitude:)`. MapKit's `MKMapPointsPerMeterAtLatitude`.
public func mapPointsPerMeter(atLatitude latitude: LocationDegrees) -> Double {
  1 / metersPerMapPoint(atLatitude: latitude)
}
