/// The waits between one failed try and the next: each half as long again as the one before, up to a limit.
public struct Backoff: Sendable {
  /// Gentler than doubling: a peer that came back within a few seconds is found within two.
  private static let growth = 1.5
  private let minimum: Double
  private let maximum: Double
  private var next: Double

  /// Waits from `minimum` to `maximum` seconds. Limits that make no sense are replaced by ones that do.
  public init(minimum: Double, maximum: Double) {
    self.minimum = minimum.isFinite ? max(0.001, minimum) : 0.25
    self.maximum = max(self.minimum, maximum.isFinite ? maximum : 3600)
    next = self.minimum
  }

  /// How many seconds to wait now; `random` is from 0 up to 1.
  public mutating func delay(random: Double) -> Double {
    let spread = next * (0.75 + 0.5 * random)
    next = min(maximum, next * Self.growth)
    return min(maximum, max(minimum, spread))
  }

  /// Starts over: the last try succeeded.
  public mutating func reset() {
    next = minimum
  }
}
