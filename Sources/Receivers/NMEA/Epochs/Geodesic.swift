#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Distance on the WGS84 ellipsoid between two positions that are near each other, as those of two epochs are.
enum Geodesic {
  private static let equatorialRadius = 6_378_137.0
  private static let flattening = 1 / 298.257223563

  /// Degrees from north, -180 … 180, of a velocity; NaN when a part is unknown.
  static func bearing(east: Double, north: Double) -> Double {
    atan2(east, north) * 180 / .pi
  }

  /// Metres. Vincenty's inverse formula; NaN where it does not converge, at nearly opposite points.
  static func distance(from a: Fix, to b: Fix) -> Double {
    let f = flattening
    let polarRadius = equatorialRadius * (1 - f)
    let radian = Double.pi / 180
    let difference = (b.longitude - a.longitude) * radian
    let u1 = atan((1 - f) * tan(a.latitude * radian))
    let u2 = atan((1 - f) * tan(b.latitude * radian))
    let (sinU1, cosU1) = (sin(u1), cos(u1))
    let (sinU2, cosU2) = (sin(u2), cos(u2))
    var lambda = difference
    for _ in 0..<100 {
      let (sinLambda, cosLambda) = (sin(lambda), cos(lambda))
      let across = cosU2 * sinLambda
      let along = cosU1 * sinU2 - sinU1 * cosU2 * cosLambda
      let sinSigma = (across * across + along * along).squareRoot()
      if sinSigma == 0 { return 0 }
      let cosSigma = sinU1 * sinU2 + cosU1 * cosU2 * cosLambda
      let sigma = atan2(sinSigma, cosSigma)
      let sinAlpha = cosU1 * cosU2 * sinLambda / sinSigma
      let cosSquaredAlpha = 1 - sinAlpha * sinAlpha
      // On the equator the middle of the line has no latitude.
      let cos2SigmaM = cosSquaredAlpha > 0 ? cosSigma - 2 * sinU1 * sinU2 / cosSquaredAlpha : 0
      let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
      let old = lambda
      let bend = cos2SigmaM + c * cosSigma * (2 * cos2SigmaM * cos2SigmaM - 1)
      lambda = difference + (1 - c) * f * sinAlpha * (sigma + c * sinSigma * bend)
      guard abs(lambda - old) <= 1e-12 else { continue }
      let ratio = equatorialRadius * equatorialRadius / (polarRadius * polarRadius) - 1
      let u = cosSquaredAlpha * ratio
      let bigA = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
      let bigB = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
      let inner =
        cosSigma * (2 * cos2SigmaM * cos2SigmaM - 1)
        - bigB / 6 * cos2SigmaM * (4 * sinSigma * sinSigma - 3) * (4 * cos2SigmaM * cos2SigmaM - 3)
      let correction = bigB * sinSigma * (cos2SigmaM + bigB / 4 * inner)
      return polarRadius * bigA * (sigma - correction)
    }
    return .nan
  }
}
