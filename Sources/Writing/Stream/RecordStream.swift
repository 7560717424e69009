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

  /// `limit` is in bytes; the other arguments are those of the outbox. Throws `OutputError` if the system has no thread or
  /// descriptor.
  package init(
    to file: sending any RecordFile, mode: OutboxMode, limit: Int, interval: Double = 0.001, host: Host = .system,
    describeDropped: @escaping DroppedDescription = { _, _ in }, onNotice: @escaping OutputNotice.Handler,
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
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
      throw OutputError(.noResources, "\(name) cannot be opened: no thread: \(error.description)")
    }
  }

  package var name: String { outbox.name }

  /// Appends one record, or several complete ones that are dropped together. Any thread. `isRecord` is false for the header
  /// and the footer of a document.
  package func append(_ record: borrowing RecordBuffer, isRecord: Bool = true) {
    record.withUnsafeBytes { append($0, isRecord: isRecord) }
  }

  package func append(_ record: [UInt8]) { record.withUnsafeBytes { append($0, isRecord: true) } }

  private func append(_ bytes: UnsafeRawBufferPointer, isRecord: Bool) {
    guard !bytes.isEmpty else { return }
    let store = { (batch: inout RecordBatch) in batch.append(bytes, isRecord: isRecord) }
    if let pipe {
      outbox.append(size: bytes.count, isRecord: isRecord, directly: { writeWhole(bytes, toPipe: pipe) }, store: store)
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

let newline = UInt8(ascii: "\n")

/// The target of a stream's bytes: a descriptor, or a file with a form of its own. It is used by one thread at a time.
package protocol RecordFile: AnyObject {
  var name: String { get }
  var descriptor: Int32 { get }
  /// Whether each write is one record.
  var sendsRecords: Bool { get }

  /// Writes the beginning of `bytes`, as much as possible without waiting for a reader, and returns the number of
  /// bytes. 0 means that the reader is slow.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int

  func describe(_ failure: Errno) -> String
  func reopen() throws(OutputError)
  func close() throws(Errno)
}

extension RecordFile {
  package var sendsRecords: Bool { false }
  package func describe(_ failure: Errno) -> String { "\(name) cannot be written: \(failure.description)" }
  package func reopen() throws(OutputError) {}
}

/// Writes all of `bytes` to a pipe if that needs no waiting, and nothing otherwise. Errors are left to the next write.
func writeWhole(_ bytes: UnsafeRawBufferPointer, toPipe pipe: Int32) -> Bool {
  var request = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
  // A writable pipe accepts PIPE_BUF bytes at once as a whole.
  guard bytes.count <= Int(PIPE_BUF), poll(&request, 1, 0) == 1, request.revents == Int16(POLLOUT) else { return false }
  return Glibc.write(pipe, bytes.baseAddress, bytes.count) == bytes.count
}

/// Complete records in order, and how far they have been written.
struct RecordBatch: OutboxBatch {
  private(set) var bytes: [UInt8] = []
  private var ends: [Int] = []
  private(set) var position = 0
  private var written = 0

  var size: Int { bytes.count }

  /// The end of the first record that is not written.
  var endOfNext: Int { written < ends.count ? ends[written] : bytes.count }

  var unwrittenRecords: Int { ends.count - written }

  var isWritten: Bool { position == bytes.count }

  var isAtBoundary: Bool { position == (written == 0 ? 0 : ends[written - 1]) }

  mutating func append(_ record: UnsafeRawBufferPointer, isRecord: Bool) {
    bytes.append(contentsOf: record)
    if isRecord { ends.append(bytes.count) }
  }

  mutating func advance(by count: Int) {
    position += count
    while written < ends.count && ends[written] <= position { written += 1 }
  }

  mutating func removeOldest(downTo size: Int) -> Int {
    let last = ends.firstIndex { bytes.count - $0 <= size } ?? ends.count - 1
    let removed = ends[last]
    bytes.removeFirst(removed)
    ends = ends[(last + 1)...].map { $0 - removed }
    return last + 1
  }

  /// Puts `note` before the first record, as a part of it.
  mutating func prepend(_ note: UnsafeRawBufferPointer) {
    bytes.insert(contentsOf: note, at: 0)
    ends = ends.map { $0 + note.count }
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    position = 0
    written = 0
  }
}
