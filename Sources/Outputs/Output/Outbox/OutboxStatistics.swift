/// What an outbox has done so far.
public struct OutboxStatistics: Sendable, Hashable {
  /// Records that were appended.
  public var records = 0
  /// Records that were not written and never will be.
  public var dropped = 0
  /// How much the destination took: bytes, rows.
  public var written = 0
  /// Failures of the destination, counted once each time it begins to fail.
  public var failures = 0
  /// Whether the destination fails just now.
  public var isFailing = false

  /// Nothing yet.
  public init() {}
}
