/// What waits in an outbox, oldest first, or is being written: bytes with the ends of their records, rows.
public protocol OutboxBatch: Sendable {
  /// Creates an empty batch.
  init()

  /// How much room it takes, in the unit of the outbox's limit: bytes, rows.
  var size: Int { get }

  /// How many records have not been written to their end.
  var unwrittenRecords: Int { get }

  /// Whether everything has been written, as it is when there is nothing.
  var isWritten: Bool { get }

  /// Whether what has been written so far are whole records.
  var isAtBoundary: Bool { get }

  /// Removes the oldest records until no more than `size` is left, and returns how many records that were. Called only
  /// while there are records and nothing has been written.
  mutating func removeOldest(downTo size: Int) -> Int

  /// Forgets everything; it may keep the room.
  mutating func removeAll()
}
