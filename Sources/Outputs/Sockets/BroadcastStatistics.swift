/// What a broadcast has done so far.
public struct BroadcastStatistics: Sendable, Hashable {
  /// Readers just now.
  public var readers = 0
  /// Readers that were accepted.
  public var accepted = 0
  /// Readers that were refused because there were too many.
  public var refused = 0
  /// Readers that were closed because they took nothing.
  public var stalled = 0
  /// Messages that were published.
  public var published = 0
  /// Messages that readers lost, each counted for each of them.
  public var dropped = 0
  /// Bytes that were sent.
  public var bytes = 0
}
