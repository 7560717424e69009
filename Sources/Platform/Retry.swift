/// The state of a loop that retries a failing operation: the wait, the reported failure, and the time of the first
/// failure. It is pure: the caller passes times and random numbers, so tests need no clock.
///
/// `Kind` distinguishes failures with separate messages. `Instant` is the caller's clock.
package struct Retry<Kind: Sendable & Equatable, Instant: Sendable>: Sendable {
  private var backoff: Backoff
  /// The time of the first failure since the last success; `nil` while the operation succeeds.
  package private(set) var since: Instant?
  package private(set) var reported: Kind?
  package private(set) var failures = 0

  /// Creates the state of an operation that has not failed. Waits grow from `minimum` to `maximum` seconds.
  package init(minimum: Double, maximum: Double) { backoff = Backoff(minimum: minimum, maximum: maximum) }

  package var isFailing: Bool { since != nil }

  /// Records a failure. `random`, from 0 up to 1, spreads the waits of several clients. A failure that may pass within a
  /// moment is not serious.
  ///
  /// - Returns: The seconds to wait before the next try, and whether to report this failure: a series of failures of
  ///   one kind is reported once.
  package mutating func fail(
    _ kind: Kind, at now: Instant, random: Double = .random(in: 0..<1), isSerious: Bool = true
  ) -> (wait: Double, isNews: Bool) {
    failures += 1
    since = since ?? now
    let isNews = isSerious && reported != kind
    if isNews { reported = kind }
    return (backoff.delay(random: random), isNews)
  }

  /// Records a success: the next failure begins a new series. Returns whether to report the recovery, because a failure was
  /// reported.
  @discardableResult
  package mutating func succeed() -> Bool {
    defer { (since, reported, failures) = (nil, nil, 0) }
    backoff.reset()
    return reported != nil
  }
}

/// The waits between failed tries: each is half as long again as the one before, up to a limit.
package struct Backoff: Sendable {
  /// Grows more slowly than doubling, so that a client finds a peer that is back after a few seconds within two.
  private static let growth = 1.5
  private let minimum: Double
  private let maximum: Double
  private var next: Double

  /// Creates waits from `minimum` to `maximum` seconds. Limits that make no sense are replaced.
  package init(minimum: Double, maximum: Double) {
    self.minimum = minimum.isFinite ? max(0.001, minimum) : 0.25
    self.maximum = max(self.minimum, maximum.isFinite ? maximum : 3600)
    next = self.minimum
  }

  package mutating func delay(random: Double) -> Double {
    let spread = next * (0.75 + 0.5 * random)
    next = min(maximum, next * Self.growth)
    return min(maximum, max(minimum, spread))
  }

  package mutating func reset() { next = minimum }
}
