public import Platform

/// Where the records of an outbox go in the end: a descriptor, a file, a database. The outbox calls it on its own thread only.
public protocol OutboxDestination: AnyObject, SendableMetatype {
  /// What is written at a time.
  associatedtype Batch: OutboxBatch
  /// Why something cannot be written.
  associatedtype Failure: Error & Hashable

  /// What a person calls it: "standard output", "region log /var/log/…".
  var name: String { get }

  /// Called once, before anything is written.
  func start()

  /// Writes what it can of a batch and marks it as written there. It may wait until `cancellation` is signalled.
  ///
  /// - Returns: How much was written, in the unit of the outbox's statistics; 0 to be called again. A call that throws has
  ///   marked nothing as written.
  func write(_ batch: inout Batch, until cancellation: Wakeup) throws(Failure) -> Int

  /// Whether a failure says that the reader has gone, which is no fault.
  func isReaderGone(_ failure: Failure) -> Bool

  /// Whether a failure will pass by itself, so that a replay, which has the time, waits for that.
  func isTemporary(_ failure: Failure) -> Bool

  /// One sentence about a failure, without what comes of it.
  func describe(_ failure: Failure) -> String

  /// Puts a note that `count` records were dropped before the first record of a batch, where the format has one.
  func note(dropped count: Int, in batch: inout Batch)

  /// Closes the file and opens it again by its name. When that fails the old one stays in use.
  func reopen() throws(OutputError)

  /// Closes the file; nothing is written afterwards.
  func close() throws(Failure)
}

extension OutboxDestination {
  /// Nothing.
  public func start() {}
  /// No failure is temporary.
  public func isTemporary(_ failure: Failure) -> Bool { false }
  /// No reader can go.
  public func isReaderGone(_ failure: Failure) -> Bool { false }
  /// There is no note.
  public func note(dropped count: Int, in batch: inout Batch) {}
  /// There is no file to open again.
  public func reopen() throws(OutputError) {}
}
