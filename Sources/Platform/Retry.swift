/// The state of a loop that retries a failing operation: the wait, the reported failure, and the time of the first
/// failure. It is pure: the caller passes times and random numbers, so tests need no clock.
///
/// `Kind` distinguishes failures with separate messages. `Instant` is the caller's clock.
public struct Retry<Kind: Sendable & Equatable, Instant: Sendable>: Sendable {
  private var backoff: Backoff
  /// The time of the first failure since the last success; `nil` while the operation succeeds.
  public private(set) var since: Instant?
  /// The kind of failure that was reported last; `nil` if none was reported since the last success.
  public private(set) var reported: Kind?
  /// Failures since the last success.
  public private(set) var failures = 0

  /// Creates the state of an operation that has not failed. Waits grow from `minimum` to `maximum` seconds.
  public init(minimum: Double, maximum: Double) {
    backoff = Backoff(minimum: minimum, maximum: maximum)
  }

  /// Whether the last try failed.
  public var isFailing: Bool { since != nil }

  /// Records a failure.
  ///
  /// - Parameters:
  ///   - kind: The kind of the failure.
  ///   - now: The time of the failure.
  ///   - random: A number from 0 up to 1, which spreads the waits of several clients.
  ///   - isSerious: Whether the failure is worth a message; `false` for one that may pass within a moment.
  /// - Returns: The seconds to wait before the next try, and whether to report this failure: a series of failures of
  ///   one kind is reported once.
  public mutating func fail(
    _ kind: Kind, at now: Instant, random: Double = .random(in: 0..<1), isSerious: Bool = true
  ) -> (wait: Double, isNews: Bool) {
    failures += 1
    since = since ?? now
    let isNews = isSerious && reported != kind
    if isNews { reported = kind }
    return (backoff.delay(random: random), isNews)
  }

  /// Records a success: the next failure begins a new series.
  ///
  /// - Returns: Whether a failure had been reported, so that the recovery is reported as well.
  @discardableResult
  public mutating func succeed() -> Bool {
    defer { (since, reported, failures) = (nil, nil, 0) }
    backoff.reset()
    return reported != nil
  }
}
