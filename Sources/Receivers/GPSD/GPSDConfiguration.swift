/// How patient a `GPSDSource` is. All times are in seconds.
public struct GPSDConfiguration: Sendable {
  /// The wait before the first new try; each further one is half as long again.
  public var minimumRetryDelay: Double
  /// The longest wait between two tries.
  public var maximumRetryDelay: Double
  /// How many tries may fail before the source says so in a `failed` event and a warning.
  public var quietTries: Int
  /// How long looking up the host's name, and connecting to each of its addresses, may take.
  public var connectTimeout: Double
  /// How long gpsd may take to greet and to confirm the watch.
  public var greetingTimeout: Double
  /// A number from 0 up to 1 that spreads the waits, so that many clients do not come back at once.
  public var random: @Sendable () -> Double

  /// Creates a configuration; the defaults suit a gpsd on this host or a near one.
  public init(
    minimumRetryDelay: Double = 0.25,
    maximumRetryDelay: Double = 15,
    quietTries: Int = 5,
    connectTimeout: Double = 5,
    greetingTimeout: Double = 5,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.minimumRetryDelay = minimumRetryDelay
    self.maximumRetryDelay = maximumRetryDelay
    self.quietTries = quietTries
    self.connectTimeout = connectTimeout
    self.greetingTimeout = greetingTimeout
    self.random = random
  }
}

/// Exponential waits between tries, each spread by a quarter up or down, never outside the limits.
struct Backoff {
  /// Gentler than doubling: a gpsd that came back within a few seconds is found within two.
  private static let growth = 1.5
  private let minimum: Double
  private let maximum: Double
  private var next: Double

  /// Waits from `minimum` to `maximum` seconds. Limits that make no sense are replaced by ones that do.
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

/// A time for a person, such as "0.25 s" or "15 s".
func secondsText(_ seconds: Double) -> String {
  let rounded = (seconds * 100).rounded() / 100
  return (Int(exactly: rounded).map(String.init) ?? String(rounded)) + " s"
}
