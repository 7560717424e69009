import Glibc
import Platform
import Records
import SystemPackage

/// Writes batches of records to a file, each time as much as possible without waiting for a reader.
final class RecordDestination: OutboxDestination {
  private let file: any RecordFile
  private let describeDropped: RecordStream.DroppedDescription

  init(_ file: any RecordFile, describeDropped: @escaping RecordStream.DroppedDescription) {
    self.file = file
    self.describeDropped = describeDropped
  }

  var name: String { file.name }

  func write(_ batch: inout RecordBatch, until cancellation: Wakeup) throws(Errno) -> Int {
    guard cancellation.wait(for: file.descriptor, events: POLLOUT) == .ready else { return 0 }
    let rest = batch.position...
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
