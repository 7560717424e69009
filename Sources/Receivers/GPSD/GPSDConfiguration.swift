/// The timeouts and retries of a `GPSDSource`. All times are in seconds.
public struct GPSDConfiguration: Sendable {
  /// The wait before the first retry; each further wait is half as long again.
  public var minimumRetryDelay: Double
  /// The longest wait between two tries.
  public var maximumRetryDelay: Double
  /// How many tries may fail before the source reports it in a `failed` event and a warning.
  public var quietTries: Int
  /// The limit for looking up the host's name, and for connecting to each of its addresses.
  public var connectTimeout: Double
  /// The limit for gpsd's greeting and for its confirmation of the watch.
  public var greetingTimeout: Double
  /// Returns a number from 0 up to 1 that spreads the waits, so that many clients do not come back at once.
  public var random: @Sendable () -> Double

  /// Creates a configuration; the defaults suit a gpsd on this host or a near one.
  public init(
    minimumRetryDelay: Double = 0.25, maximumRetryDelay: Double = 15, quietTries: Int = 5, connectTimeout: Double = 5,
    greetingTimeout: Double = 5, random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.minimumRetryDelay = minimumRetryDelay
    self.maximumRetryDelay = maximumRetryDelay
    self.quietTries = quietTries
    self.connectTimeout = connectTimeout
    self.greetingTimeout = greetingTimeout
    self.random = random
  }
}
