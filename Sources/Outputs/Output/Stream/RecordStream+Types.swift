extension RecordStream {
  /// What happens to a record for which there is no room, because the destination is slower than the source.
  public enum FullPolicy: Sendable, Hashable {
    /// The caller waits: for replays, which can be held up. `cancel()` releases it.
    case wait
    /// The oldest records that wait are lost, counted and told: for live use, which cannot.
    case dropOldest
  }

  /// What happens when the destination fails: disk full, I/O error.
  public enum FailurePolicy: Sendable, Hashable {
    /// The stream ends with `.failed`.
    case end
    /// Told once, tried again every second, told when it works again; meanwhile the oldest records are lost when
    /// there is no more room, whatever the full policy.
    case retry
  }

  /// Appends a record that says that so many records were lost.
  public typealias DroppedDescription =
    @Sendable (_ count: Int, _ buffer: inout RecordBuffer) -> Void

  /// Why a stream ended.
  public enum End: Sendable, Hashable {
    /// `finish` was called and everything is written.
    case finished
    /// Nobody reads any more: the usual, quiet end of a pipe.
    case readerGone
    /// The destination failed, by the system's error number.
    case failed(Int32)
    /// `cancel` was called, or `finish` could not write everything.
    case cancelled
  }

  /// What a stream has done so far.
  public struct Statistics: Sendable, Hashable {
    /// Records that were appended.
    public var records = 0
    /// Records that were lost.
    public var dropped = 0
    /// Bytes that the destination took.
    public var bytes = 0
    /// Failures of the destination, counted once per episode.
    public var failures = 0
    /// Whether the destination fails just now.
    public var isFailing = false
  }
}
