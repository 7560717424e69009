/// How many decimals a kind of quantity is written with.
public struct DecimalPlaces: Sendable, Hashable {
  /// How many digits after the point.
  let count: Int
  /// Ten to the power of `count`.
  let divisor: UInt64
  let scale: Double

  private init(count: Int, divisor: UInt64) {
    self.count = count
    self.divisor = divisor
    scale = Double(divisor)
  }

  /// Nine: degrees of latitude and longitude, to a tenth of a millimetre on the ground; as many as gpsd writes.
  public static let angle = DecimalPlaces(count: 9, divisor: 1_000_000_000)
  /// Four: metres, metres per second, degrees of course. gpsd writes three or four; a thousandth of a knot is kept.
  public static let measure = DecimalPlaces(count: 4, divisor: 10_000)
}
