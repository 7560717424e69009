/// A point on the ellipsoid in Cartesian coordinates, in metres from the centre of the earth.
struct EarthPoint: Sendable, Equatable {
  private let vector: SIMD3<Double>

  private init(_ vector: SIMD3<Double>) { self.vector = vector }

  init(_ coordinate: LocationCoordinate2D) {
    let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
    let normal = WGS84.primeVerticalRadius(atLatitude: coordinate.latitude)
    vector = SIMD3(
      normal * C.cos(latitude) * C.cos(longitude), normal * C.cos(latitude) * C.sin(longitude),
      normal * (1 - WGS84.eccentricitySquared) * C.sin(latitude))
  }

  /// Returns a lower bound in metres of all distances on the ellipsoid: the straight line through the earth, less a
  /// millimetre for rounding. It is much cheaper than a geodesic, and usually sufficient.
  func leastDistance(to other: EarthPoint) -> LocationDistance { chord(to: other) - 0.001 }

  /// Returns the metres straight through the earth.
  func chord(to other: EarthPoint) -> LocationDistance { Self.length(vector - other.vector) }

  /// Returns the straight metres to the nearest point of the chord between two points.
  func distance(toChordFrom a: EarthPoint, to b: EarthPoint) -> LocationDistance {
    let (chord, way) = (b.vector - a.vector, vector - a.vector)
    let square = (chord * chord).sum()
    let share = square > 0 ? max(0, min(1, (way * chord).sum() / square)) : 0
    return Self.length(way - share * chord)
  }

  private static func length(_ vector: SIMD3<Double>) -> LocationDistance { (vector * vector).sum().squareRoot() }

  /// The mean of the edges' middles, weighted by their lengths.
  static func mean(of edges: [PolygonEdge]) -> EarthPoint {
    EarthPoint(edges.reduce(.zero) { $0 + $1.a.chord(to: $1.b) * ($1.a.vector + $1.b.vector) })
  }

  /// The coordinate in the direction of this point, which may be within the earth.
  var coordinate: LocationCoordinate2D {
    let latitude = C.atan2(vector.z, (1 - WGS84.eccentricitySquared) * C.hypot(vector.x, vector.y))
    return LocationCoordinate2D(latitude: latitude * 180 / .pi, longitude: C.atan2(vector.y, vector.x) * 180 / .pi)
  }
}
