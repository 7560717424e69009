/// A point on the ellipsoid in Cartesian coordinates, in metres from the centre of the earth.
struct EarthPoint: Sendable, Equatable {
  private let x, y, z: Double

  init(_ coordinate: LocationCoordinate2D) {
    let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
    let normal = WGS84.primeVerticalRadius(atLatitude: coordinate.latitude)
    x = normal * cos(latitude) * cos(longitude)
    y = normal * cos(latitude) * sin(longitude)
    z = normal * (1 - WGS84.eccentricitySquared) * sin(latitude)
  }

  /// Returns a lower bound in metres of all distances on the ellipsoid: the straight line through the earth, less a
  /// millimetre for rounding. It is much cheaper than a geodesic, and usually sufficient.
  func leastDistance(to other: EarthPoint) -> LocationDistance {
    let (x, y, z) = (x - other.x, y - other.y, z - other.z)
    return (x * x + y * y + z * z).squareRoot() - 0.001
  }
}
