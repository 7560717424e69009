public import Records
/// A file that region updates are appended to, whole lines only.
///
/// It is written on a thread of its own, so that a slow disk holds up nothing else. "-" and "/dev/stdout" are standard
/// output. A named pipe keeps the newest of what nobody reads.
public final class RegionLog: Sendable {
  private let stream: RecordStream

  /// Opens or creates the log. A last line that a crash has torn is cut off.
  /// - Parameters:
  ///   - path: A file in an existing folder, a named pipe, or "-" for standard output.
  ///   - mode: What happens when the disk is slow or full.
  ///   - limit: How many bytes may wait for the disk.
  ///   - onNotice: Called on the log's thread.
  ///   - onEnd: Called once, on the log's thread, when nothing will be written any more.
  /// - Throws: `OutputError`, which names the path and the way out; also for a file whose last line is no record of a
  ///   region log, which therefore belongs to somebody else.
  public init(
    path: String,
    mode: OutboxMode = .live,
    limit: Int = 1 << 20,
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (RecordStream.End) -> Void = { _ in }
  ) throws(OutputError) {
    stream = try RecordStream(
      to: try LogFile(path: path), mode: mode, limit: limit,
      describeDropped: { NDJSONFormatter().append(dropped: $0, to: &$1) }, onNotice: onNotice, onEnd: onEnd)
  }

  /// Tries whether a log can be opened, and leaves everything as it was.
  /// - Throws: `OutputError` as `init` does.
  public static func tryOpening(path: String) throws(OutputError) { try LogFile.tryOpening(path) }

  /// What a person calls it: "region log PATH".
  public var name: String { stream.name }

  /// Appends one line, its newline included. From any thread.
  public func append(_ line: borrowing RecordBuffer) {
    stream.append(line)
  }

  /// Closes the file and opens it again by its name, for logrotate. Lines that were appended before go to the old file.
  /// When the new one cannot be opened, a notice says so and the old one stays in use.
  public func reopen() {
    stream.reopen()
  }

  /// What the log has done so far.
  public var statistics: OutboxStatistics { stream.statistics }

  /// Writes what waits, however long that takes, closes the file and says how it ended.
  @discardableResult
  public func finish() async -> RecordStream.End {
    await stream.finish()
  }

  /// Drops what waits, and releases a caller that waits for room. From any thread.
  public func cancel() {
    stream.cancel()
  }
}
