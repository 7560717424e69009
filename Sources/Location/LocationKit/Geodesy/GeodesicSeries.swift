/// The series of Karney's "Algorithms for geodesics" (J. Geodesy 87, 2013), to sixth order, for one value of the small
/// parameter ε. Equation numbers are those of the paper.
struct GeodesicSeries {
  /// The scale of the distance integral I1, and its Fourier coefficients (17, 18). Element 0 is unused.
  let a1: Double
  let c1: SIMD8<Double>
  /// The scale of I2 and its coefficients (42, 43).
  let a2: Double
  let c2: SIMD8<Double>
  /// The scale of the longitude integral I3 and its coefficients (24, 25).
  let a3: Double
  let c3: SIMD8<Double>

  private static let n = WGS84.flattening / (2 - WGS84.flattening)

  init(_ e: Double) {
    let e2 = e * e
    let (e3, e4) = (e2 * e, e2 * e2)
    let (e5, e6) = (e4 * e, e4 * e2)

    a1 = Self.distanceScale(e)
    c1 = SIMD8(
      0,
      -e / 2 + 3 * e3 / 16 - e5 / 32,
      -e2 / 16 + e4 / 32 - 9 * e6 / 2048,
      -e3 / 48 + 3 * e5 / 256,
      -5 * e4 / 512 + 3 * e6 / 512,
      -7 * e5 / 1280,
      -7 * e6 / 2048,
      0)
    a2 = (1 - e) * (1 + e2 / 4 + 9 * e4 / 64 + 25 * e6 / 256)
    c2 = SIMD8(
      0,
      e / 2 + e3 / 16 + e5 / 32,
      3 * e2 / 16 + e4 / 32 + 35 * e6 / 2048,
      5 * e3 / 48 + 5 * e5 / 256,
      35 * e4 / 512 + 7 * e6 / 512,
      63 * e5 / 1280,
      77 * e6 / 2048,
      0)

    let n = Self.n
    let n2 = n * n
    a3 = Self.longitudeScale(e)
    c3 = SIMD8(
      0,
      (1 - n) / 4 * e + (1 - n2) / 8 * e2 + (3 + 3 * n - n2) / 64 * e3 + (5 + 2 * n) / 128 * e4 + 3 * e5 / 128,
      (2 - 3 * n + n2) / 32 * e2 + (3 - 2 * n - 3 * n2) / 64 * e3 + (3 + n) / 128 * e4 + 5 * e5 / 256,
      (5 - 9 * n + 5 * n2) / 192 * e3 + (9 - 10 * n) / 384 * e4 + 7 * e5 / 512,
      (7 - 14 * n) / 512 * e4 + 7 * e5 / 512,
      21 * e5 / 2560,
      0,
      0)
  }

  /// A1 (17).
  static func distanceScale(_ e: Double) -> Double {
    let e2 = e * e
    return (1 + e2 / 4 + e2 * e2 / 64 + e2 * e2 * e2 / 256) / (1 - e)
  }

  /// A3 (24).
  static func longitudeScale(_ e: Double) -> Double {
    let first = (1 - n) / 2
    let second = (2 + n - 3 * n * n) / 8
    let third = (1 + 3 * n + n * n) / 16
    let fourth = (3 + 2 * n) / 64
    return 1 - e * (first + e * (second + e * (third + e * (fourth + e * 3 / 128))))
  }

  /// Returns ε for the squared cosine of an equatorial azimuth (9, 16).
  static func parameter(cosineSquared: Double) -> Double {
    let k2 = WGS84.eccentricitySquared / (1 - WGS84.eccentricitySquared) * cosineSquared
    return k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
  }

  /// Returns the sum of `coefficients[l]` · sin 2lσ for l from 1 to 6, by Clenshaw's recurrence.
  static func sum(_ coefficients: SIMD8<Double>, sine: Double, cosine: Double) -> Double {
    let x = 2 * (cosine - sine) * (cosine + sine)
    var (y, previous) = (coefficients[6], 0.0)
    var index = 5
    while index >= 1 {
      (y, previous) = (coefficients[index] + x * y - previous, y)
      index -= 1
    }
    return 2 * sine * cosine * y
  }
}
