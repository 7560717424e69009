/// The records that wait in an outbox, oldest first, or are being written: bytes with the ends of their records, or
/// rows.
public protocol OutboxBatch: Sendable {
  /// Creates an empty batch.
  init()

  /// The room that it takes, in the unit of the outbox's limit: bytes, rows.
  var size: Int { get }

  /// The number of records that are not completely written.
  var unwrittenRecords: Int { get }

  /// Whether everything is written; true for an empty batch.
  var isWritten: Bool { get }

  /// Whether the bytes written so far are complete records.
  var isAtBoundary: Bool { get }

  /// Removes the oldest records until at most `size` is left, and returns their number. It is called only while there
  /// are records and nothing has been written.
  mutating func removeOldest(downTo size: Int) -> Int

  /// Removes everything; it may keep the capacity.
  mutating func removeAll()
}
