/// A point on the ellipsoid in Cartesian coordinates, in metres from the centre of the earth.
struct EarthPoint: Sendable, Equatable {
  private let x, y, z: Double

  private init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  init(_ coordinate: LocationCoordinate2D) {
    let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
    let normal = WGS84.primeVerticalRadius(atLatitude: coordinate.latitude)
    x = normal * C.cos(latitude) * C.cos(longitude)
    y = normal * C.cos(latitude) * C.sin(longitude)
    z = normal * (1 - WGS84.eccentricitySquared) * C.sin(latitude)
  }

  /// Returns a lower bound in metres of all distances on the ellipsoid: the straight line through the earth, less a
  /// millimetre for rounding. It is much cheaper than a geodesic, and usually sufficient.
  func leastDistance(to other: EarthPoint) -> LocationDistance {
    chord(to: other) - 0.001
  }

  /// Returns the metres straight through the earth.
  func chord(to other: EarthPoint) -> LocationDistance {
    let (x, y, z) = (x - other.x, y - other.y, z - other.z)
    return (x * x + y * y + z * z).squareRoot()
  }

  /// Returns the straight metres to the nearest point of the chord between two points.
  func distance(toChordFrom a: EarthPoint, to b: EarthPoint) -> LocationDistance {
    let (dx, dy, dz) = (b.x - a.x, b.y - a.y, b.z - a.z)
    let (px, py, pz) = (x - a.x, y - a.y, z - a.z)
    let square = dx * dx + dy * dy + dz * dz
    let share = square > 0 ? max(0, min(1, (px * dx + py * dy + pz * dz) / square)) : 0
    let (x, y, z) = (px - share * dx, py - share * dy, pz - share * dz)
    return (x * x + y * y + z * z).squareRoot()
  }

  /// The mean of the edges' middles, weighted by their lengths.
  static func mean(of edges: [PolygonEdge]) -> EarthPoint {
    var (x, y, z) = (0.0, 0.0, 0.0)
    for edge in edges {
      let length = edge.a.chord(to: edge.b)
      x += length * (edge.a.x + edge.b.x)
      y += length * (edge.a.y + edge.b.y)
      z += length * (edge.a.z + edge.b.z)
    }
    return EarthPoint(x: x, y: y, z: z)
  }

  /// The coordinate in the direction of this point, which may be within the earth.
  var coordinate: LocationCoordinate2D {
    let latitude = C.atan2(z, (1 - WGS84.eccentricitySquared) * C.hypot(x, y))
    return LocationCoordinate2D(latitude: latitude * 180 / .pi, longitude: C.atan2(y, x) * 180 / .pi)
  }
}
