public import LocationKit
import Platform
public import Records

/// The location stream: formats records and hands them to a record stream on standard output.
///
/// Without a formatter it does nothing.
@MainActor
public final class LocationStream {
  private var formatter: (any RecordFormatter)?
  private var buffer = RecordBuffer()
  private nonisolated let stream: RecordStream?
  /// The destination writes the footer, because the file is a complete document at every moment.
  private let isDocument: Bool

  /// Opens the stream.
  ///
  /// A GPX document in a regular file is valid on disk at every moment. A file with one of this program's documents is
  /// continued with a new segment.
  /// - Parameters:
  ///   - formatter: Formats the records; `nil` for no stream.
  ///   - descriptor: The descriptor to write to; it is not closed.
  ///   - limit: The number of bytes that may wait for a slow reader.
  ///   - onNotice: Called on the stream's thread.
  ///   - onEnd: Called once, on the stream's thread, when nothing more will be written.
  /// - Throws: `OutputError` if `descriptor` is not open for writing, or its file cannot hold the format.
  public convenience init(
    formatter: (any RecordFormatter)?,
    descriptor: Int32 = 1,
    mode: OutboxMode,
    limit: Int = 4 << 20,
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (RecordStream.End) -> Void = { _ in }
  ) throws(OutputError) {
    guard let formatter else {
      self.init()
      return
    }
    guard StandardStreams.isWritable(descriptor) else { throw .closedStandardOutput }
    guard formatter is GPXFormatter else {
      try self.init(
        formatter, to: OpenDescriptor(descriptor, name: "standard output"), isDocument: false, mode: mode, limit: limit,
        onNotice: onNotice, onEnd: onEnd)
      return
    }
    let file = try GPXFile(standardOutput: descriptor)
    try self.init(
      file.map { GPXFormatter(continuing: $0.continuesDocument) } ?? formatter,
      to: file ?? OpenDescriptor(descriptor, name: "standard output"), isDocument: file != nil, mode: mode,
      limit: limit, onNotice: onNotice, onEnd: onEnd)
  }

  private init() { (stream, isDocument) = (nil, false) }

  /// Writes to any file. The file writes the end of a document itself.
  init(
    _ formatter: any RecordFormatter, to file: sending any RecordFile, isDocument: Bool = false, mode: OutboxMode,
    limit: Int, host: Host = .system, onNotice: @escaping OutputNotice.Handler,
    onEnd: @escaping @Sendable (RecordStream.End) -> Void
  ) throws(OutputError) {
    (self.formatter, self.isDocument) = (formatter, isDocument)
    stream = try RecordStream(
      to: file, mode: mode, limit: limit, host: host,
      describeDropped: { count, buffer in
        var formatter = formatter
        formatter.append(dropped: count, to: &buffer)
      }, onNotice: onNotice, onEnd: onEnd)
    if !isDocument {
      self.formatter?.appendStart(to: &buffer)
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

  /// The statistics so far.
  public nonisolated var statistics: OutboxStatistics {
    stream?.statistics ?? OutboxStatistics()
  }

  /// Writes the waiting records and the document's end, however long that takes, and returns how the stream ended.
  @discardableResult
  public func finish() async -> RecordStream.End {
    if !isDocument {
      formatter?.appendEnd(to: &buffer)
      send(isRecord: false)
    }
    return await stream?.finish() ?? .finished
  }

  /// Drops the waiting records, and releases the main actor if it waits for room. Any thread; call it from a thread
  /// that does not wait for the main actor, which a replay blocks while its reader is slow.
  public nonisolated func cancel() {
    stream?.cancel()
  }

  private func send(isRecord: Bool = true) {
    stream?.append(buffer, isRecord: isRecord)
    buffer.removeAll()
  }
}
