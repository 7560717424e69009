import Glibc
import Platform
import Records
import SystemPackage

/// Records for a file descriptor, through an outbox whose limit is in bytes.
///
/// A single record is written directly to a pipe that has room, without the outbox's thread, so that a live reader gets
/// it sooner.
package final class RecordStream: Sendable {
  package typealias End = OutboxEnd<Errno>

  /// Appends a record which says that `count` records were dropped.
  package typealias DroppedDescription = @Sendable (_ count: Int, _ buffer: inout RecordBuffer) -> Void

  private let outbox: Outbox<RecordDestination>
  /// The descriptor of a pipe, which stays open and unchanged.
  private let pipe: Int32?
  /// Whether the destination is a regular file, which has no reader that it could wait for.
  package let isFile: Bool

  /// - Parameters:
  ///   - limit: The number of bytes that may wait, in addition to the same number that is being written.
  ///   - interval: The seconds between writes when many records come.
  ///   - onNotice: Called on the stream's thread.
  ///   - onEnd: Called once, on the stream's thread, when nothing more will be written.
  /// - Throws: `OutputError` if the system has no thread or descriptor.
  init(
    to file: sending any RecordFile,
    mode: OutboxMode,
    limit: Int,
    interval: Double = 0.001,
    host: Host = .system,
    describeDropped: @escaping DroppedDescription,
    onNotice: @escaping OutputNotice.Handler,
    onEnd: @escaping @Sendable (End) -> Void
  ) throws(OutputError) {
    let name = file.name
    isFile = FileDescriptor(rawValue: file.descriptor).isRegularFile
    pipe = (file as? LineFile)?.pipe
    do throws(Errno) {
      // A single record is written at once; if many come, those of an interval are written together.
      outbox = try Outbox(
        to: RecordDestination(file, describeDropped: describeDropped), mode: mode, limit: limit, interval: interval,
        host: host, onNotice: onNotice, onEnd: onEnd)
    } catch {
      throw OutputError(.noResources, "\(name) cannot be opened: \(error.description)")
    }
  }

  package var name: String { outbox.name }

  /// Appends one record, or several complete ones that are dropped together. Any thread. `isRecord` is false for the header
  /// and the footer of a document.
  package func append(_ record: borrowing RecordBuffer, isRecord: Bool = true) {
    record.withUnsafeBytes { append($0, isRecord: isRecord) }
  }

  package func append(_ record: [UInt8]) {
    record.withUnsafeBytes { append($0, isRecord: true) }
  }

  private func append(_ bytes: UnsafeRawBufferPointer, isRecord: Bool) {
    guard !bytes.isEmpty else { return }
    let store = { (batch: inout RecordBatch) in batch.append(bytes, isRecord: isRecord) }
    if let pipe {
      outbox.append(
        size: bytes.count, isRecord: isRecord, directly: { writeWhole(bytes, toPipe: pipe) }, store: store)
    } else {
      outbox.append(size: bytes.count, isRecord: isRecord, store: store)
    }
  }

  /// The statistics so far; ``OutboxStatistics/amount`` is in bytes.
  package var statistics: OutboxStatistics { outbox.statistics }

  /// Closes the destination and opens it again by its name after the records so far, for logrotate. If that fails, a
  /// notice reports it and the old file stays in use. A stream to an open descriptor does not change.
  package func reopen() { outbox.reopen() }

  @discardableResult
  package nonisolated(nonsending) func finish() async -> End { await outbox.finish() }

  package func cancel() { outbox.cancel() }
}

/// Writes batches of records to a file, each time as much as possible without waiting for a reader.
private final class RecordDestination: OutboxDestination {
  private let file: any RecordFile
  private let describeDropped: RecordStream.DroppedDescription

  init(_ file: any RecordFile, describeDropped: @escaping RecordStream.DroppedDescription) {
    self.file = file
    self.describeDropped = describeDropped
  }

  var name: String { file.name }

  func write(_ batch: inout RecordBatch, until cancellation: Wakeup) throws(Errno) -> Int {
    guard cancellation.wait(for: file.descriptor, events: POLLOUT) == .ready else { return 0 }
    let rest = batch.position..<(file.sendsRecords ? batch.endOfNext : batch.bytes.count)
    let count = try batch.bytes.withUnsafeBytes { bytes in
      Result { () throws(Errno) in try file.write(UnsafeRawBufferPointer(rebasing: bytes[rest])) }
    }.get()
    batch.advance(by: count)
    return count
  }

  func isReaderGone(_ failure: Errno) -> Bool { failure == .brokenPipe || failure == .connectionReset }

  func describe(_ failure: Errno) -> String { file.describe(failure) }

  func note(dropped count: Int, in batch: inout RecordBatch) {
    var note = RecordBuffer(capacity: 128)
    describeDropped(count, &note)
    note.withUnsafeBytes { batch.prepend($0) }
  }

  func reopen() throws(OutputError) { try file.reopen() }

  func close() throws(Errno) { try file.close() }
}
