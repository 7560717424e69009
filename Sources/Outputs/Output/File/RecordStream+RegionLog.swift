import Records

extension RecordStream {
  /// Opens or creates a region log: a file that region updates are appended to, whole lines only.
  ///
  /// It is written on a thread of its own, so that a slow disk holds up nothing else. "-" and "/dev/stdout" are standard
  /// output. A named pipe keeps the newest of what nobody reads. A last line that a crash has torn is cut off.
  /// - Parameters:
  ///   - path: A file in an existing folder, a named pipe, or "-" for standard output.
  ///   - mode: What happens when the disk is slow or full.
  ///   - limit: How many bytes may wait for the disk.
  ///   - onNotice: Called on the log's thread.
  ///   - onEnd: Called once, on the log's thread, when nothing will be written any more.
  /// - Throws: `OutputError`, which names the path and the way out; also for a file whose last line is no record of a
  ///   region log, which therefore belongs to somebody else.
  public convenience init(
    regionLog path: String,
    mode: OutboxMode = .live,
    limit: Int = 1 << 20,
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(OutputError) {
    try self.init(
      to: try LogFile(path: path, onNotice: onNotice), mode: mode, limit: limit,
      describeDropped: { NDJSONFormatter().append(dropped: $0, to: &$1) }, onNotice: onNotice, onEnd: onEnd)
  }

  /// Tries whether a region log can be opened, and leaves everything as it was.
  /// - Throws: `OutputError` as `init(regionLog:)` does.
  public static func tryOpening(regionLog path: String) throws(OutputError) { try LogFile.tryOpening(path) }
}
