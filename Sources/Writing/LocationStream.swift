import LocationKit
import Platform
import Records

/// The location stream: formats records and hands them to a record stream on standard output. Without a formatter it does
/// nothing.
@MainActor
package final class LocationStream {
  private var writer: LocationWriter
  private nonisolated let formatter: (any RecordFormatter)?
  private nonisolated let stream: RecordStream?

  /// Writes to a descriptor, which is not closed. The stream's thread calls `onNotice`, and `onEnd` once, when nothing more
  /// will be written. Throws `OutputError` if the descriptor is not open for writing.
  package convenience init(
    formatter: (any RecordFormatter)?, descriptor: Int32 = 1, mode: OutboxMode, limit: Int = 4 << 20,
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (RecordStream.End) -> Void = { _ in }
  ) throws(OutputError) {
    guard formatter == nil || StandardStreams.isWritable(descriptor) else { throw .closedStandardOutput }
    try self.init(
      formatter, to: LineFile(descriptor, name: "standard output", onNotice: onNotice), mode: mode, limit: limit,
      onNotice: onNotice, onEnd: onEnd)
  }

  init(
    _ formatter: (any RecordFormatter)?, to file: sending any RecordFile, mode: OutboxMode, limit: Int,
    host: Host = .system, onNotice: @escaping OutputNotice.Handler,
    onEnd: @escaping @Sendable (RecordStream.End) -> Void
  ) throws(OutputError) {
    self.formatter = formatter
    if let formatter {
      stream = try RecordStream(
        to: file, mode: mode, limit: limit, host: host,
        describeDropped: { count, buffer in
          var formatter = formatter
          formatter.append(dropped: count, to: &buffer)
        }, onNotice: onNotice, onEnd: onEnd)
    } else {
      stream = nil
    }
    writer = LocationWriter(formatter, stream)
    writer.writeStart()
  }

  /// Creates a writer to this stream for another thread. The format is one whose records do not depend on earlier ones.
  package nonisolated func makeWriter() -> LocationWriter { LocationWriter(formatter, stream) }

  package func write(_ location: Location) { writer.write(location) }

  package func write(_ crossing: RegionCrossing) { writer.write(crossing) }

  package func write(_ error: LocationError) { writer.write(error) }

  package nonisolated var isFile: Bool { stream?.isFile ?? true }

  package nonisolated var statistics: OutboxStatistics { stream?.statistics ?? OutboxStatistics() }

  /// Writes the waiting records and the document's end, however long that takes, and returns how the stream ended.
  @discardableResult
  package func finish() async -> RecordStream.End {
    writer.writeEnd()
    return await stream?.finish() ?? .finished
  }

  /// Drops the waiting records, and releases the main actor if it waits for room. Any thread; call it from a thread
  /// that does not wait for the main actor, which a replay blocks while its reader is slow.
  package nonisolated func cancel() { stream?.cancel() }
}

package struct LocationWriter: ~Copyable {
  private var formatter: (any RecordFormatter)?
  private var buffer = RecordBuffer()
  private let stream: RecordStream?

  init(_ formatter: (any RecordFormatter)?, _ stream: RecordStream?) {
    (self.formatter, self.stream) = (formatter, stream)
  }

  package mutating func write(_ location: Location) {
    formatter?.append(location, to: &buffer)
    send()
  }

  package mutating func write(_ crossing: RegionCrossing) {
    formatter?.append(crossing, to: &buffer)
    send()
  }

  package mutating func write(_ error: LocationError) {
    formatter?.append(error, to: &buffer)
    send()
  }

  mutating func writeStart() {
    formatter?.appendStart(to: &buffer)
    send(isRecord: false)
  }

  mutating func writeEnd() {
    formatter?.appendEnd(to: &buffer)
    send(isRecord: false)
  }

  private mutating func send(isRecord: Bool = true) {
    stream?.append(buffer, isRecord: isRecord)
    buffer.removeAll()
  }
}
