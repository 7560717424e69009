public import Journal

/// What a publisher reads: a journal's reader, or rows in memory for a test. Called on the publisher's thread, and may
/// block for a moment.
public protocol PublishingQueue: Sendable {
  /// The row up to which everything is acknowledged.
  var cursor: Int64 { get }
  /// The rows behind `sequence`, oldest first.
  func entries(after sequence: Int64, limit: Int) throws(JournalError) -> [JournalEntry]
  /// Whether the receiver was in each fence after the row `sequence`, by the fence's name, as far as that is known.
  func fenceStates(after sequence: Int64) throws(JournalError) -> [String: Bool]
  /// The times by which fences are known, in seconds since 1970. Those of these names that have none get one from
  /// `now` on that no other has, and keeps it for good.
  func waypointTimes(of fences: [String], now: Int) throws(JournalError) -> [String: Int]
  /// The last row; 0 when there is none.
  func newestSequence() throws(JournalError) -> Int64
  /// Moves the cursor, for good once it returns.
  func advance(to sequence: Int64) throws(JournalError)
  /// How many rows wait behind the cursor, and the time of the oldest.
  func waiting() throws(JournalError) -> JournalWaiting
}

extension JournalReader: PublishingQueue {}
