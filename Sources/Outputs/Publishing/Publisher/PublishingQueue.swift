public import Journal

/// The source of a publisher: a journal's reader, or rows in memory for a test. Called on the publisher's thread; may
/// block for a moment.
public protocol PublishingQueue: Sendable {
  /// The row up to which everything is acknowledged.
  var cursor: Int64 { get }
  /// The rows after `sequence`, oldest first.
  func entries(after sequence: Int64, limit: Int) throws(JournalError) -> [JournalEntry]
  /// Whether the receiver was inside each fence after the row `sequence`, by the fence's name; unknown fences are
  /// absent.
  func fenceStates(after sequence: Int64) throws(JournalError) -> [String: Bool]
  /// The times that identify fences, in seconds since 1970. A fence without a time gets a unique one, from `now` on,
  /// and keeps it.
  func waypointTimes(of fences: [String], now: Int) throws(JournalError) -> [String: Int]
  /// The last row's number; 0 without rows.
  func newestSequence() throws(JournalError) -> Int64
  /// Moves the cursor. When the call returns, the move is permanent.
  func advance(to sequence: Int64) throws(JournalError)
  /// The number of rows after the cursor, and the time of the oldest.
  func waiting() throws(JournalError) -> JournalWaiting
}

extension JournalReader: PublishingQueue {}
