import Platform

/// The destination of an outbox's records: a descriptor, a file, a database. The outbox calls it only on its own
/// thread.
package protocol OutboxDestination: AnyObject, SendableMetatype {
  associatedtype Batch: OutboxBatch
  associatedtype Failure: Error & Hashable

  /// The name for a person: "standard output", "region log /var/log/…".
  var name: String { get }

  func start()

  /// Writes a part of a batch and marks it as written. It may wait until `cancellation` is signalled. Returns the amount in
  /// the unit of the outbox's statistics; 0 to be called again. A call that throws has marked nothing as written.
  func write(_ batch: inout Batch, until cancellation: Wakeup) throws(Failure) -> Int

  /// Whether a failure means that the reader has left, which is not an error.
  func isReaderGone(_ failure: Failure) -> Bool

  /// Whether a failure will pass by itself, so that a replay waits for that.
  func isTemporary(_ failure: Failure) -> Bool

  /// One sentence about a failure, without its consequences.
  func describe(_ failure: Failure) -> String

  /// Adds a note that `count` records were dropped before the first record of a batch, if the format has one.
  func note(dropped count: Int, in batch: inout Batch)

  /// Closes the file and opens it again by its name. If that fails, the old file stays in use.
  func reopen() throws(OutputError)

  /// Closes the file; nothing is written afterwards.
  func close() throws(Failure)
}

extension OutboxDestination {
  package func start() {}
  package func isTemporary(_ failure: Failure) -> Bool { false }
  package func isReaderGone(_ failure: Failure) -> Bool { false }
  package func note(dropped count: Int, in batch: inout Batch) {}
  package func reopen() throws(OutputError) {}
}

/// The records that wait in an outbox, oldest first, or are being written: bytes or rows.
package protocol OutboxBatch: Sendable {
  init()
  /// Its size in the unit of the outbox's limit: bytes, rows.
  var size: Int { get }
  var unwrittenRecords: Int { get }
  var isWritten: Bool { get }
  var isAtBoundary: Bool { get }
  /// Removes the oldest records until at most `size` is left, and returns their number. It is called only while there
  /// are records and nothing has been written.
  mutating func removeOldest(downTo size: Int) -> Int

  /// Removes everything; it may keep the capacity.
  mutating func removeAll()
}
