import Glibc

/// A point on the ellipsoid in metres from the middle of the earth, along three right angles.
struct EarthPoint {
  private let x, y, z: Double

  init(_ coordinate: LocationCoordinate2D) {
    let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
    let normal = WGS84.primeVerticalRadius(atLatitude: coordinate.latitude)
    x = normal * cos(latitude) * cos(longitude)
    y = normal * cos(latitude) * sin(longitude)
    z = normal * (1 - WGS84.eccentricitySquared) * sin(latitude)
  }

  /// Metres that no line on the ellipsoid is shorter than: those of the straight one through the earth, less a millimetre,
  /// which is more than rounding can add. Much cheaper than a geodesic, and for most regions most of the time it is enough.
  func leastDistance(to other: EarthPoint) -> LocationDistance {
    let (x, y, z) = (x - other.x, y - other.y, z - other.z)
    return (x * x + y * y + z * z).squareRoot() - 0.001
  }
}
