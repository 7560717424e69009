extension JournalWriter {
  /// What happens when the disk is slower than the source, or fails.
  public enum Mode: Sendable, Hashable {
    /// A replay can be held up: `append` waits for room, and another program's lock is waited for. A failure ends the
    /// writing.
    case replay
    /// A live source cannot be held up: the oldest records that wait are dropped when there is no more room. A failure is
    /// reported once, committing is tried again every second, and it is reported when it works again.
    case live
  }

  /// Why the writing ended.
  public enum End: Sendable, Hashable {
    /// Everything that had not been dropped is committed.
    case finished
    /// Committing failed.
    case failed(JournalError)
  }

  /// What a journal has done so far.
  public struct Statistics: Sendable, Hashable {
    /// Records that were committed.
    public var rows = 0
    /// Records that were not committed and never will be.
    public var dropped = 0
    /// Rows that the limit of the file's size took before a reader had taken them, of all readers together.
    public var unread = 0
    /// Bytes of the database file.
    public var bytes = 0
    /// Failures, counted once each time committing begins to fail.
    public var failures = 0
    /// Whether committing fails just now.
    public var isFailing = false
    /// The sequence number of the newest row.
    public var newest: Int64 = 0
  }
}
