/// A file that region updates are appended to, whole lines only.
///
/// It is written on a thread of its own. Disk full and I/O errors are told once, counted and tried again every
/// second; everything else goes on meanwhile. "-" and "/dev/stdout" are standard output; a named pipe keeps the
/// newest of what nobody reads.
public final class RegionLog: Sendable {
  private let stream: RecordStream

  /// Opens or creates the log and mends its last line, should a crash have torn it: the beginning of a record is cut
  /// off; a last line that is no record is kept and ended.
  /// - Parameters:
  ///   - path: A file in an existing folder, a named pipe, or "-" for standard output.
  ///   - whenFull: `.wait` for replays, which should lose nothing, `.dropOldest` otherwise.
  ///   - limit: The most bytes that wait for the disk.
  ///   - onNotice: Called on the log's thread.
  ///   - onEnd: Called once, on the log's thread, when nothing will be written any more: for standard output also
  ///     when nobody reads it.
  /// - Throws: `OutputError`, which names the path and the mend.
  public init(
    path: String,
    whenFull: RecordStream.FullPolicy = .dropOldest,
    limit: Int = 1 << 20,
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (RecordStream.End) -> Void = { _ in }
  ) throws(OutputError) {
    stream = RecordStream(
      to: try LogFile(path: path), whenFull: whenFull, onFailure: .retry, limit: limit,
      describeDropped: { count, buffer in
        var formatter = NDJSONFormatter()
        formatter.append(dropped: count, to: &buffer)
      }, onNotice: onNotice, onEnd: onEnd)
  }

  /// Appends one line, its newline included. From any thread, cheaply.
  public func append(_ line: borrowing RecordBuffer) {
    stream.append(line)
  }

  /// Closes the file and opens it again by its name, for logrotate; lines appended before go to the old file where
  /// that has room. When the new one cannot be opened, that is told and the old one stays in use.
  public func reopen() {
    stream.reopen()
  }

  /// What the log has done so far.
  public var statistics: RecordStream.Statistics { stream.statistics }

  /// Writes what waits and closes the file; returns false when that was not done `within` that time. Blocks.
  @discardableResult
  public func finish(within time: Duration) -> Bool {
    stream.finish(within: time)
  }

  /// Gives up what waits and releases a caller that waits for room. From any thread.
  public func cancel() {
    stream.cancel()
  }
}
