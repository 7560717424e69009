/// The waits between failed tries: each is half as long again as the one before, up to a limit.
public struct Backoff: Sendable {
  /// Grows more slowly than doubling, so that a client finds a peer that is back after a few seconds within two.
  private static let growth = 1.5
  private let minimum: Double
  private let maximum: Double
  private var next: Double

  /// Creates waits from `minimum` to `maximum` seconds. Limits that make no sense are replaced.
  public init(minimum: Double, maximum: Double) {
    self.minimum = minimum.isFinite ? max(0.001, minimum) : 0.25
    self.maximum = max(self.minimum, maximum.isFinite ? maximum : 3600)
    next = self.minimum
  }

  /// Returns the seconds to wait now; `random` is between 0 and 1.
  public mutating func delay(random: Double) -> Double {
    let spread = next * (0.75 + 0.5 * random)
    next = min(maximum, next * Self.growth)
    return min(maximum, max(minimum, spread))
  }

  /// Starts over after a successful try.
  public mutating func reset() { next = minimum }
}
