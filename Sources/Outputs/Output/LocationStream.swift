public import LocationKit
import Platform
import Records

/// The location stream: formats records and hands them to a record stream on standard output.
///
/// With format `none` it does nothing.
@MainActor
public final class LocationStream {
  private var formatter: (any RecordFormatter)?
  private var buffer = RecordBuffer()
  private nonisolated let stream: RecordStream?
  /// The destination writes the footer, because the file is a whole document at every moment.
  private let isDocument: Bool

  /// Opens the stream.
  ///
  /// A GPX document in a regular file is valid on disk at every moment; a file that holds one of this program's
  /// documents is continued with a new segment.
  /// - Parameters:
  ///   - format: What to write.
  ///   - descriptor: Where to; it is not closed.
  ///   - mode: What happens when the reader is slow or writing fails.
  ///   - limit: How many bytes may wait for a slow reader.
  ///   - onNotice: Called on the stream's thread.
  ///   - onEnd: Called once, on the stream's thread, when nothing will be written any more.
  /// - Throws: `OutputError` when `descriptor` is not open for writing, or a file that cannot hold the format.
  public init(
    format: StreamFormat,
    descriptor: Int32 = 1,
    mode: OutboxMode,
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
    guard StandardStreams.isWritable(descriptor) else { throw .closedStandardOutput }
    let document = format == .gpx ? try GPXFile(standardOutput: descriptor) : nil
    isDocument = document != nil
    let describeDropped: RecordStream.DroppedDescription = { count, buffer in
      var formatter = format.makeFormatter()
      formatter?.append(dropped: count, to: &buffer)
    }
    if let document {
      formatter = GPXFormatter(continuing: document.continuesDocument)
      stream = try RecordStream(
        to: document, mode: mode, limit: limit, describeDropped: describeDropped, onNotice: onNotice, onEnd: onEnd)
    } else {
      stream = try RecordStream(
        descriptor: descriptor, mode: mode, limit: limit, describeDropped: describeDropped, onNotice: onNotice,
        onEnd: onEnd)
      formatter?.appendStart(to: &buffer)
      send(isRecord: false)
    }
  }

  /// Writes a location.
  public func write(_ location: Location) {
    formatter?.append(location, to: &buffer)
    send()
  }

  /// Writes the crossing of a fence.
  public func write(_ crossing: RegionCrossing) {
    formatter?.append(crossing, to: &buffer)
    send()
  }

  /// Writes a failure of the location service.
  public func write(_ error: LocationError) {
    formatter?.append(error, to: &buffer)
    send()
  }

  /// What the stream has done so far.
  public nonisolated var statistics: OutboxStatistics {
    stream?.statistics ?? OutboxStatistics()
  }

  /// Writes what waits and the document's end, however long that takes, and says how the stream ended.
  @discardableResult
  public func finish() async -> RecordStream.End {
    if !isDocument {
      formatter?.appendEnd(to: &buffer)
      send(isRecord: false)
    }
    return await stream?.finish() ?? .finished
  }

  /// Drops what waits, and releases the main actor, should it wait for room. From any thread: call it from a thread that
  /// does not wait for the main actor, which a replay holds up while its reader is slow.
  public nonisolated func cancel() {
    stream?.cancel()
  }

  private func send(isRecord: Bool = true) {
    stream?.append(buffer, isRecord: isRecord)
    buffer.removeAll()
  }
}
