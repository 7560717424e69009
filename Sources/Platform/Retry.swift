/// What a loop remembers of an operation that fails and is tried again: how long to wait, what has been reported, and since
/// when the operation fails. Pure: the caller passes times and random numbers, so tests need no clock.
///
/// `Kind` tells failures apart that deserve a message of their own. `Instant` is the caller's clock.
public struct Retry<Kind: Sendable & Equatable, Instant: Sendable>: Sendable {
  private var backoff: Backoff
  /// The time of the first failure since the last success; `nil` while the operation succeeds.
  public private(set) var since: Instant?
  /// The kind of failure that was reported last; `nil` when none was reported since the last success.
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
  ///   - kind: What kind of failure it is.
  ///   - now: When it happened.
  ///   - random: From 0 up to 1, spreads the waits of several clients.
  ///   - isSerious: Whether the failure is worth a message; `false` for one that may pass within a moment.
  /// - Returns: The seconds to wait before the next try, and whether this failure has to be reported now: a series of failures of
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
