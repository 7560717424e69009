/// Distances in the plane that touches the ellipsoid at a point, for comparisons with limits of some hundred metres.
package struct LocalPlane: Sendable {
  package let origin: LocationCoordinate2D
  /// Metres per degree of latitude and of longitude.
  private let northScale, eastScale: Double

  package init(at origin: LocationCoordinate2D) {
    self.origin = origin
    let latitude = origin.latitude
    northScale = WGS84.meridianRadius(atLatitude: latitude) * .pi / 180
    eastScale = WGS84.primeVerticalRadius(atLatitude: latitude) * C.cos(latitude * .pi / 180) * .pi / 180
  }

  /// Returns the metres east and north of the origin.
  package func position(of point: LocationCoordinate2D) -> (east: Double, north: Double) {
    var longitude = point.longitude - origin.longitude
    if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
    return (longitude * eastScale, (point.latitude - origin.latitude) * northScale)
  }

  /// Returns the metres from the origin.
  package func distance(to point: LocationCoordinate2D) -> LocationDistance {
    let (east, north) = position(of: point)
    return (east * east + north * north).squareRoot()
  }

  /// Returns the point at these metres east and north of the origin. At a pole `east` is ignored.
  package func coordinate(east: Double, north: Double) -> LocationCoordinate2D {
    var longitude = origin.longitude + (eastScale > 1e-3 ? east / eastScale : 0)
    if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
    let latitude = min(90, max(-90, origin.latitude + north / northScale))
    return LocationCoordinate2D(latitude: latitude, longitude: longitude)
  }
}
