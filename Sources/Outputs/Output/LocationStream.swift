public import LocationKit

/// The location stream: formats records and hands them to a record stream on standard output.
///
/// With format `none` it does nothing.
@MainActor
public final class LocationStream {
  private var formatter: (any RecordFormatter)?
  private var buffer = RecordBuffer()
  private nonisolated let stream: RecordStream?
  /// The document's end is the destination's business, because the file is whole at every moment.
  private let isDocument: Bool

  /// Opens the stream.
  ///
  /// A GPX document in a regular file is valid on disk at every moment; a file that holds one of this program's
  /// documents is continued with a new segment.
  /// - Parameters:
  ///   - format: What to write.
  ///   - descriptor: Where to; it is not closed.
  ///   - whenFull: `.wait` for replays, `.dropOldest` for live use.
  ///   - onFailure: What happens when writing fails.
  ///   - limit: The most bytes that wait for a slow reader.
  ///   - onNotice: Called on the stream's thread.
  ///   - onEnd: Called once, on the stream's thread, when nothing will be written any more.
  /// - Throws: `OutputError` when `descriptor` is a file that cannot hold the format.
  public init(
    format: StreamFormat,
    descriptor: Int32 = 1,
    whenFull: RecordStream.FullPolicy,
    onFailure: RecordStream.FailurePolicy = .end,
    limit: Int = 4 << 20,
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (RecordStream.End) -> Void = { _ in }
  ) throws(OutputError) {
    formatter = format.makeFormatter()
    guard formatter != nil else {
      stream = nil
      isDocument = false
      return
    }
    let document = format == .gpx ? try GPXFile(standardOutput: descriptor) : nil
    isDocument = document != nil
    let describeDropped: RecordStream.DroppedDescription = { count, buffer in
      var formatter = format.makeFormatter()
      formatter?.append(dropped: count, to: &buffer)
    }
    if let document {
      formatter = GPXFormatter(continuing: document.continuesDocument)
      stream = RecordStream(
        to: document, whenFull: whenFull, onFailure: onFailure, limit: limit,
        describeDropped: describeDropped,
        onNotice: onNotice, onEnd: onEnd)
    } else {
      stream = RecordStream(
        descriptor: descriptor, whenFull: whenFull, onFailure: onFailure, limit: limit,
        describeDropped: describeDropped, onNotice: onNotice, onEnd: onEnd)
      formatter?.appendStart(to: &buffer)
      send()
    }
  }

  /// Writes a location.
  public func write(_ location: Location) {
    formatter?.append(location, to: &buffer)
    send()
  }

  /// Writes the crossing of a fence.
  public func write(_ fence: FenceRecord) {
    formatter?.append(fence, to: &buffer)
    send()
  }

  /// Writes a failure of the location service.
  public func write(_ error: LocationError) {
    formatter?.append(error, to: &buffer)
    send()
  }

  /// What the stream has done so far.
  public nonisolated var statistics: RecordStream.Statistics {
    stream?.statistics ?? RecordStream.Statistics()
  }

  /// Writes what waits and the document's end; returns false when that was not done `within` that time. Blocks.
  @discardableResult
  public func finish(within time: Duration) -> Bool {
    if !isDocument {
      formatter?.appendEnd(to: &buffer)
      send()
    }
    return stream?.finish(within: time) ?? true
  }

  /// Gives up what waits and releases the main actor, should it wait for room. From any thread: a replay that waits
  /// for its reader holds up the main actor, so call this from a signal's own queue.
  public nonisolated func cancel() {
    stream?.cancel()
  }

  private func send() {
    stream?.append(buffer)
    buffer.removeAll()
  }
}
