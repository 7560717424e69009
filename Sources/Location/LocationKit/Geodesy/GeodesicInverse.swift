import Glibc

/// The general case of the inverse problem: finds the azimuth at point 1 that meets the given difference of longitude,
/// by Newton's method within a bracket. Equation numbers are those of Karney (2013).
///
/// The points are in canonical order: β1 ≤ 0, β1 ≤ β2 ≤ -β1, and a longitude from 0° to 180°.
struct GeodesicInverse {
  private typealias Angle = Geodesic.Angle

  private let point1: Geodesic.ReducedLatitude
  private let point2: Geodesic.ReducedLatitude
  private let longitude: Geodesic.Angle
  /// 180° minus the difference of longitude, in radians. It is exact near the antipode, where accuracy matters.
  private let supplement: Double

  private struct Trial {
    var sigma1: Angle
    var sigma2: Angle
    var parameter: Double
    /// The longitude reached minus the longitude wanted, radians.
    var excess: Double
    /// d excess / d azimuth.
    var slope: Double
  }

  init(
    _ point1: Geodesic.ReducedLatitude, _ point2: Geodesic.ReducedLatitude, longitude: Geodesic.Angle, degrees: Double
  ) {
    self.point1 = point1
    self.point2 = point2
    self.longitude = longitude
    supplement = (180 - degrees) * .pi / 180
  }

  func distance() -> LocationDistance {
    var azimuth = firstAzimuth()
    // The excess grows with the azimuth, so these azimuths enclose the solution.
    var low = Angle(sine: 0, cosine: 1)
    var high = Angle(sine: 0, cosine: -1)
    var trial = self.trial(azimuth)
    // Newton's method converges in three or four steps; bisection alone would need 60.
    for _ in 0..<100 where abs(trial.excess) > 4e-16 {
      if trial.excess > 0 { high = azimuth } else { low = azimuth }
      let step = -trial.excess / trial.slope
      let next = Angle(
        sine: azimuth.sine * cos(step) + azimuth.cosine * sin(step),
        cosine: azimuth.cosine * cos(step) - azimuth.sine * sin(step))
      let isInside = trial.slope > 0 && isOrdered(low, next) && isOrdered(next, high)
      let candidate = isInside ? normalized(next) : normalized(middle(low, high))
      if candidate.sine == azimuth.sine && candidate.cosine == azimuth.cosine { break }
      azimuth = candidate
      trial = self.trial(azimuth)
    }
    return Geodesic.arcLength(trial.sigma1, trial.sigma2, parameter: trial.parameter)
  }

  /// Follows the geodesic with the given azimuth at point 1 to the latitude of point 2.
  private func trial(_ azimuth: Angle) -> Trial {
    // The geodesic's azimuth at the equator (5), and the position of point 1 on it (11, 12).
    let equatorialSine = azimuth.sine * point1.cosine
    let equatorialCosine = hypot(azimuth.cosine, azimuth.sine * point1.sine)
    let northward = azimuth.cosine * point1.cosine
    let sigma1 = normalized(Angle(sine: point1.sine, cosine: northward))
    let omega1 = normalized(Angle(sine: equatorialSine * point1.sine, cosine: northward))
    // The azimuth at point 2 (45), with the difference of squares in the form that loses no digits.
    let difference =
      point1.cosine < -point1.sine
      ? (point2.cosine - point1.cosine) * (point2.cosine + point1.cosine)
      : (point1.sine - point2.sine) * (point1.sine + point2.sine)
    let cosine2 = (northward * northward + difference).clampedToZero.squareRoot()
    let sigma2 = normalized(Angle(sine: point2.sine, cosine: cosine2))
    let omega2 = normalized(Angle(sine: equatorialSine * point2.sine, cosine: cosine2))

    let parameter = GeodesicSeries.parameter(cosineSquared: equatorialCosine * equatorialCosine)
    let series = GeodesicSeries(parameter)
    let sigma = atan2(
      (sigma1.cosine * sigma2.sine - sigma1.sine * sigma2.cosine).clampedToZero,
      sigma1.cosine * sigma2.cosine + sigma1.sine * sigma2.sine)
    let omega = Angle(
      sine: (omega1.cosine * omega2.sine - omega1.sine * omega2.cosine).clampedToZero,
      cosine: omega1.cosine * omega2.cosine + omega1.sine * omega2.sine)
    // The longitude on the sphere minus the longitude wanted, then the correction for the ellipsoid (8, 23).
    let spherical = atan2(
      omega.sine * longitude.cosine - omega.cosine * longitude.sine,
      omega.cosine * longitude.cosine + omega.sine * longitude.sine)
    let periodic =
      GeodesicSeries.sum(series.c3, sine: sigma2.sine, cosine: sigma2.cosine)
      - GeodesicSeries.sum(series.c3, sine: sigma1.sine, cosine: sigma1.cosine)
    let excess = spherical - WGS84.flattening * equatorialSine * series.a3 * (sigma + periodic)

    let slope: Double
    if cosine2 == 0 {
      // Point 2 is at the vertex, at the latitude of point 1 or its opposite.
      let w = (1 - WGS84.eccentricitySquared * point1.cosine * point1.cosine).squareRoot()
      slope = -2 * w / point1.sine
    } else {
      // (46)
      let k2 = WGS84.eccentricitySquared / (1 - WGS84.eccentricitySquared) * equatorialCosine * equatorialCosine
      let length = reducedLength(sigma1, sigma2, sigma: sigma, series, k2: k2)
      slope = length * (1 - WGS84.flattening) / cosine2
    }
    return Trial(sigma1: sigma1, sigma2: sigma2, parameter: parameter, excess: excess, slope: slope)
  }

  /// The reduced length in units of the polar radius (38, 40).
  private func reducedLength(
    _ sigma1: Angle, _ sigma2: Angle, sigma: Double, _ series: GeodesicSeries, k2: Double
  ) -> Double {
    let coefficients = series.c1 * series.a1 - series.c2 * series.a2
    let j =
      (series.a1 - series.a2) * sigma
      + GeodesicSeries.sum(coefficients, sine: sigma2.sine, cosine: sigma2.cosine)
      - GeodesicSeries.sum(coefficients, sine: sigma1.sine, cosine: sigma1.cosine)
    return (1 + k2 * sigma2.sine * sigma2.sine).squareRoot() * sigma1.cosine * sigma2.sine
      - (1 + k2 * sigma1.sine * sigma1.sine).squareRoot() * sigma1.sine * sigma2.cosine
      - sigma1.cosine * sigma2.cosine * j
  }

  /// Returns the start of the iteration: the azimuth on the sphere, or near the antipode the solution of the astroid
  /// problem.
  private func firstAzimuth() -> Angle {
    // The size of the region around the antipode in which the ellipsoid matters, in latitude and longitude (53).
    let e = GeodesicSeries.parameter(cosineSquared: point1.sine * point1.sine)
    let longitudeScale = WGS84.flattening * point1.cosine * GeodesicSeries.longitudeScale(e) * .pi
    let latitudeScale = longitudeScale * point1.cosine
    let sumOfLatitudes = point2.sine * point1.cosine + point2.cosine * point1.sine
    let x = -supplement / longitudeScale
    let y = longitude.cosine < 0 ? asin(max(-1, min(1, sumOfLatitudes))) / latitudeScale : -.infinity
    guard x > -4, y > -4 else {
      let mean = (point1.cosine + point2.cosine) / 2
      let w = (1 - WGS84.eccentricitySquared * mean * mean).squareRoot()
      let omega = min((.pi - supplement) / w, .pi)
      return normalized(
        Angle(
          sine: point2.cosine * sin(omega),
          cosine: point1.cosine * point2.sine - point1.sine * point2.cosine * cos(omega)))
    }
    guard y < -1e-14 else {
      // Both points are on the equator, or very close to it (56).
      let sine = min(1, -x)
      return Angle(sine: sine, cosine: -(1 - sine * sine).squareRoot())
    }
    // The positive root of (x / (1 + μ))² + (y / μ)² = 1, which is (54). The left side is convex and falling, so
    // Newton's method from below the root converges. A few digits suffice.
    var mu = max(-y, -x - 1)
    for _ in 0..<12 {
      let (u, v) = (x / (1 + mu), y / mu)
      let value = u * u + v * v - 1
      if value < 1e-6 { break }
      mu += value / 2 / (u * u / (1 + mu) + v * v / mu)
    }
    return normalized(Angle(sine: -x / (1 + mu), cosine: y / mu))
  }

  private func normalized(_ angle: Angle) -> Angle {
    let norm = hypot(angle.sine, angle.cosine)
    return norm > 0 ? Angle(sine: angle.sine / norm, cosine: angle.cosine / norm) : Angle(sine: 0, cosine: 1)
  }

  private func middle(_ low: Angle, _ high: Angle) -> Angle {
    let (sine, cosine) = ((low.sine + high.sine) / 2, (low.cosine + high.cosine) / 2)
    // The sum of opposite directions, 0° and 180°, is zero.
    return sine == 0 && cosine == 0 ? Angle(sine: 1, cosine: 0) : Angle(sine: sine, cosine: cosine)
  }

  /// Returns whether azimuth `a` is below azimuth `b`, both from 0° to 180°.
  private func isOrdered(_ a: Angle, _ b: Angle) -> Bool {
    a.cosine * b.sine - a.sine * b.cosine > 0 || (a.sine == 0 && b.sine == 0 && a.cosine > b.cosine)
  }
}
