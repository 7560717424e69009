import Glibc

/// The shortest line between two points on the WGS84 ellipsoid: the inverse problem, solved as in Karney's "Algorithms
/// for geodesics" (J. Geodesy 87, 2013). The result is accurate to some nanometres for every pair of points, including
/// nearly antipodal ones, for which the classic methods do not converge.
enum Geodesic {
  /// Returns the distance in metres; NaN if a latitude is not valid. Longitudes may be any finite angle.
  static func distance(from a: LocationCoordinate2D, to b: LocationCoordinate2D) -> LocationDistance {
    guard abs(a.latitude) <= 90, abs(b.latitude) <= 90 else { return .nan }
    // Only the magnitude of the difference of longitude matters.
    let difference = abs(remainder(b.longitude - a.longitude, 360))
    guard difference <= 180 else { return .nan }
    // By symmetry, point 1 is the point farther from the equator, and lies south of it.
    let swap = abs(a.latitude) < abs(b.latitude)
    var (latitude1, latitude2) = swap ? (b.latitude, a.latitude) : (a.latitude, b.latitude)
    if latitude1 > 0 { (latitude1, latitude2) = (-latitude1, -latitude2) }

    let point1 = ReducedLatitude(latitude1)
    let point2 = ReducedLatitude(latitude2)
    let longitude = Angle(degrees: difference)

    if let short = shortDistance(point1, point2, longitude: difference * .pi / 180) { return short }
    if latitude1 == -90 || longitude.sine == 0 { return alongMeridian(point1, point2, longitude) }
    if latitude1 == 0, difference <= (1 - WGS84.flattening) * 180 {
      return WGS84.equatorialRadius * difference * .pi / 180
    }
    return GeodesicInverse(point1, point2, longitude: longitude, degrees: difference).distance()
  }

  /// The sine and cosine of an angle; both are exact at multiples of 90°.
  struct Angle {
    let sine: Double
    let cosine: Double

    init(sine: Double, cosine: Double) {
      self.sine = sine
      self.cosine = cosine
    }

    init(degrees: Double) {
      let quarters = (degrees / 90).rounded()
      let rest = (degrees - 90 * quarters) * .pi / 180
      let (s, c) = (sin(rest), cos(rest))
      // `degrees` is -90 … 180 here.
      switch quarters {
      case 0: (sine, cosine) = (s, c)
      case 1: (sine, cosine) = (c, -s)
      case 2: (sine, cosine) = (-s, -c)
      default: (sine, cosine) = (-c, s)
      }
    }
  }

  /// The latitude on the auxiliary sphere: tan β = (1 - f) tan φ.
  struct ReducedLatitude {
    let sine: Double
    let cosine: Double

    init(_ degrees: LocationDegrees) {
      let angle = Angle(degrees: degrees)
      let s = angle.sine * (1 - WGS84.flattening)
      let norm = (s * s + angle.cosine * angle.cosine).squareRoot()
      sine = s / norm
      cosine = angle.cosine / norm
    }
  }

  /// Solves lines shorter than about 600 m as great circles of the auxiliary sphere with the local radius (57 and 58 in
  /// Karney). The relative error is of the order e²σ²/12, which is nanometres here.
  private static func shortDistance(
    _ point1: ReducedLatitude, _ point2: ReducedLatitude, longitude: Double
  ) -> LocationDistance? {
    let limit = 1e-4
    let mean = (point1.cosine + point2.cosine) / 2
    let w = (1 - WGS84.eccentricitySquared * mean * mean).squareRoot()
    let north = point2.sine * point1.cosine - point2.cosine * point1.sine
    let isSameSide = point1.sine * point2.sine + point1.cosine * point2.cosine > 0
    guard isSameSide, abs(north) < limit, mean * longitude < limit else { return nil }
    let omega = longitude / w
    let half = sin(omega / 2)
    let x = point2.cosine * sin(omega)
    let y = north + 2 * point1.sine * point2.cosine * half * half
    let square = x * x + y * y
    guard square < limit * limit else { return nil }
    return WGS84.equatorialRadius * w * asin(square.squareRoot())
  }

  /// Solves the case of both points on one meridian, or point 1 at the south pole.
  private static func alongMeridian(
    _ point1: ReducedLatitude, _ point2: ReducedLatitude, _ longitude: Angle
  ) -> LocationDistance {
    let from = Angle(sine: point1.sine, cosine: longitude.cosine < 0 ? -point1.cosine : point1.cosine)
    let to = Angle(sine: point2.sine, cosine: point2.cosine)
    return arcLength(from, to, parameter: GeodesicSeries.parameter(cosineSquared: 1))
  }

  /// Returns the metres between two arc lengths σ from the node, on a geodesic with the given ε (7, 15).
  static func arcLength(_ sigma1: Angle, _ sigma2: Angle, parameter: Double) -> LocationDistance {
    let series = GeodesicSeries(parameter)
    let sigma = atan2(
      (sigma1.cosine * sigma2.sine - sigma1.sine * sigma2.cosine).clampedToZero,
      sigma1.cosine * sigma2.cosine + sigma1.sine * sigma2.sine)
    let periodic =
      GeodesicSeries.sum(series.c1, sine: sigma2.sine, cosine: sigma2.cosine)
      - GeodesicSeries.sum(series.c1, sine: sigma1.sine, cosine: sigma1.cosine)
    return WGS84.polarRadius * series.a1 * (sigma + periodic)
  }
}

extension Double {
  /// The number, but 0 instead of a negative number or negative zero, which would change the result of `atan2`.
  var clampedToZero: Double { self > 0 ? self : 0 }
}
