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

extension CoordinateRegion {
  /// The result of `MapView.regionThatFits(_:)` for a map of this size.
  func fitted(to size: MapSize) -> CoordinateRegion {
    let aspect = size.width / size.height
    guard isValid, aspect > 0, aspect < .infinity else { return self }
    let parallel = cosine(ofDegrees: center.latitude)
    var fitted = self
    let height = Mercator.height(ofLatitudes: span.latitudeDelta, at: parallel)
    let width = span.longitudeDelta * .pi / 180
    if width < height * aspect {
      fitted.span.longitudeDelta = min(360, height * aspect * 180 / .pi)
    } else {
      fitted.span.latitudeDelta = max(span.latitudeDelta, Mercator.latitudes(ofHeight: width / aspect, at: parallel))
    }
    return fitted
  }
}
