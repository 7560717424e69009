import FoundationEssentials

extension LocationCoordinate2D: CustomStringConvertible {
  /// The degrees north and east, each with a sign and eight decimals, as `CLLocation` prints them:
  ///
  ///     <+37.78583400,-122.40641700>
  public var description: String {
    "<\(fixedPoint(latitude, decimals: 8, withSign: true)),\(fixedPoint(longitude, decimals: 8, withSign: true))>"
  }
}

extension Location: CustomStringConvertible {
  /// The location as `CLLocation` prints it, with the time in UTC to the millisecond:
  ///
  ///     <+37.78583400,-122.40641700> +/- 5.00m (speed 1.20 mps / course 10.30) @ 2024-02-24T07:36:03.000Z
  ///
  /// The parts are the coordinate, the horizontal accuracy in metres, the speed in metres per second, the course in
  /// degrees and the receiver's time. Unknown parts are left out, where `CLLocation` prints -1:
  ///
  ///     <+37.78583400,-122.40641700> (speed 1.20 mps)
  public var description: String {
    var parts = [coordinate.description]
    if let horizontalAccuracy { parts.append("+/- \(fixedPoint(horizontalAccuracy, decimals: 2))m") }
    let movement = [
      speed.map { "speed \(fixedPoint($0, decimals: 2)) mps" }, course.map { "course \(fixedPoint($0, decimals: 2))" },
    ].compactMap { $0 }
    if !movement.isEmpty { parts.append("(\(movement.joined(separator: " / ")))") }
    if let timestamp {
      parts.append("@ \(timestamp.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))")
    }
    return parts.joined(separator: " ")
  }
}

/// Returns a number with the given decimals, independent of the locale. A number that is not finite or has more than
/// about fifteen digits is printed as Swift does.
package func fixedPoint(_ value: Double, decimals: Int, withSign: Bool = false) -> String {
  let unit = (0..<decimals).reduce(1) { unit, _ in unit * 10 }
  let scaled = (value * Double(unit)).rounded()
  guard abs(scaled) < 1e15 else { return "\(value)" }
  let (whole, fraction) = Int(abs(scaled)).quotientAndRemainder(dividingBy: unit)
  let digits = String(fraction)
  let sign = scaled < 0 ? "-" : withSign ? "+" : ""
  guard decimals > 0 else { return "\(sign)\(whole)" }
  return "\(sign)\(whole).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
}
