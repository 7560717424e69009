/// Exponential waits between tries, each spread by a quarter up or down, never outside the limits.
struct Backoff {
  /// Gentler than doubling: what came back within a few seconds is found within two.
  private static let growth = 1.5
  private let minimum: Double
  private let maximum: Double
  private var next: Double

  /// Waits from `minimum` to `maximum` seconds; limits that make no sense are mended, not refused.
  init(minimum: Double, maximum: Double) {
    self.minimum = minimum.isFinite ? max(0.001, minimum) : 0.25
    self.maximum = max(self.minimum, maximum.isFinite ? maximum : 3600)
    next = self.minimum
  }

  /// How long to wait now; `random` is from 0 up to 1.
  mutating func delay(random: Double) -> Double {
    let spread = next * (0.75 + 0.5 * random)
    next = min(maximum, next * Self.growth)
    return min(maximum, max(minimum, spread))
  }

  /// Starts over: the last try succeeded.
  mutating func reset() {
    next = minimum
  }
}
