/// The shortest line between two points on the WGS84 ellipsoid, by Vincenty's inverse formula ("Direct and inverse solutions
/// of geodesics on the ellipsoid", Survey Review 23, 1975). The result is right to a tenth of a millimetre for every pair
/// of points: where the formula does not converge, near the antipode, the line is measured in two halves.
enum Geodesic {
  private typealias Point = LocationCoordinate2D

  /// Returns the distance in metres; NaN if a latitude is not valid. Longitudes may be any finite angle.
  static func distance(from a: LocationCoordinate2D, to b: LocationCoordinate2D) -> LocationDistance {
    guard abs(a.latitude) <= 90, abs(b.latitude) <= 90 else { return .nan }
    let longitude = (b.longitude - a.longitude).remainder(dividingBy: 360) * .pi / 180
    guard longitude.isFinite else { return .nan }
    let (start, end) = (ReducedLatitude(a.latitude), ReducedLatitude(b.latitude))
    return shortDistance(start, end, longitude: abs(longitude)) ?? converging(start, end, longitude: longitude)
      ?? distanceInHalves(from: a, to: b)
  }

  /// The latitude on the auxiliary sphere: tan β = (1 - f) tan φ.
  private struct ReducedLatitude {
    let sine, cosine: Double

    init(_ degrees: LocationDegrees) {
      let latitude = degrees * .pi / 180
      let (s, c) = ((1 - WGS84.flattening) * C.sin(latitude), C.cos(latitude))
      let norm = (s * s + c * c).squareRoot()
      (sine, cosine) = (s / norm, c / norm)
    }
  }

  /// Solves lines shorter than about 600 m as great circles of the auxiliary sphere with the local radius. The relative error
  /// is of the order e²σ²/12, which is nanometres here.
  private static func shortDistance(
    _ start: ReducedLatitude, _ end: ReducedLatitude, longitude: Double
  ) -> LocationDistance? {
    let limit = 1e-4
    let mean = (start.cosine + end.cosine) / 2
    let north = end.sine * start.cosine - end.cosine * start.sine
    let isSameSide = start.sine * end.sine + start.cosine * end.cosine > 0
    guard isSameSide, abs(north) < limit, mean * longitude < limit else { return nil }
    let w = (1 - WGS84.eccentricitySquared * mean * mean).squareRoot()
    let half = C.sin(longitude / w / 2)
    let x = end.cosine * C.sin(longitude / w)
    let y = north + 2 * start.sine * end.cosine * half * half
    let square = x * x + y * y
    return square < limit * limit ? WGS84.equatorialRadius * w * C.asin(square.squareRoot()) : nil
  }

  /// Vincenty's formula; `nil` where it does not converge.
  private static func converging(
    _ start: ReducedLatitude, _ end: ReducedLatitude, longitude: Double
  ) -> LocationDistance? {
    let f = WGS84.flattening
    var lambda = longitude
    for _ in 0..<40 {
      let (s, c) = (C.sin(lambda), C.cos(lambda))
      let sine = C.hypot(end.cosine * s, start.cosine * end.sine - start.sine * end.cosine * c)
      let cosine = start.sine * end.sine + start.cosine * end.cosine * c
      guard sine > 0 else { return cosine > 0 ? 0 : nil }
      let sigma = C.atan2(sine, cosine)
      let azimuthSine = start.cosine * end.cosine * s / sine
      let azimuthCosine2 = 1 - azimuthSine * azimuthSine
      // On the equator the middle has no latitude.
      let middle = azimuthCosine2 > 1e-12 ? cosine - 2 * start.sine * end.sine / azimuthCosine2 : 0
      let c2 = 2 * middle * middle - 1
      let factor = f / 16 * azimuthCosine2 * (4 + f * (4 - 3 * azimuthCosine2))
      let next = longitude + (1 - factor) * f * azimuthSine * (sigma + factor * sine * (middle + factor * cosine * c2))
      guard abs(next) <= .pi else { return nil }
      defer { lambda = next }
      guard abs(next - lambda) < 1e-13 else { continue }
      let root = (1 + azimuthCosine2 * WGS84.eccentricitySquared / (1 - WGS84.eccentricitySquared)).squareRoot()
      let k = (root - 1) / (root + 1)
      let b = k * (1 - 3 * k * k / 8)
      let last = b / 6 * middle * (4 * sine * sine - 3) * (4 * middle * middle - 3)
      let correction = b * sine * (middle + b / 4 * (cosine * c2 - last))
      return WGS84.polarRadius * (1 + k * k / 4) / (1 - k) * (sigma - correction)
    }
    return nil
  }

  /// The shortest way crosses the great circle a quarter of the earth away from its start, where both halves converge. So
  /// the least sum of two halves is its length.
  private static func distanceInHalves(from a: Point, to b: Point) -> LocationDistance {
    let latitude = a.latitude * .pi / 180
    func way(_ azimuth: Double) -> LocationDistance {
      let middle = C.asin(max(-1, min(1, C.cos(latitude) * C.cos(azimuth))))
      let longitude = C.atan2(C.sin(azimuth) * C.cos(latitude), -C.sin(latitude) * C.sin(middle)) * 180 / .pi
      let point = Point(latitude: middle * 180 / .pi, longitude: a.longitude + longitude)
      return distance(from: a, to: point) + distance(from: point, to: b)
    }
    let step = Double.pi / 8
    let azimuths = (0..<16).map { Double($0) * step }
    guard let best = azimuths.min(by: { way($0) < way($1) }) else { return .nan }
    var (low, high) = (best - step, best + step)
    for _ in 0..<30 {
      let third = (high - low) * 0.381966
      if way(low + third) < way(high - third) { high -= third } else { low += third }
    }
    return way((low + high) / 2)
  }
}
