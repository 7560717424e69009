import Glibc
import Platform
import Records
import SystemPackage

/// What the bytes of a stream are written to: a descriptor, or a file that has a form of its own. For one thread at a time.
protocol RecordFile: AnyObject {
  /// What a person calls it: "standard output", "region log /var/log/…".
  var name: String { get }

  /// The descriptor whose readiness is waited for.
  var descriptor: Int32 { get }

  /// Writes the beginning of `bytes`, as much as can be written without waiting for a reader, and returns how many bytes
  /// that were. 0 means that the reader is slow.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int

  /// Closes the file and opens it again by its name. When that fails the old one stays in use.
  func reopen() throws(OutputError)

  /// Closes the file; nothing is written afterwards.
  func close() throws(Errno)
}

/// Writes batches of records to a file, each time as much as it takes without waiting for a reader.
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

  func describe(_ failure: Errno) -> String { "\(name) cannot be written: \(failure.description)" }

  func note(dropped count: Int, in batch: inout RecordBatch) {
    var note = RecordBuffer(capacity: 128)
    describeDropped(count, &note)
    note.withUnsafeBytes { batch.prepend($0) }
  }

  func reopen() throws(OutputError) { try file.reopen() }

  func close() throws(Errno) { try file.close() }
}

/// An open descriptor that is not this library's to close, such as standard output.
final class OpenDescriptor: RecordFile {
  let name: String
  let descriptor: Int32

  init(_ descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  var isPipe: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try writeWithoutWaiting(bytes, to: descriptor)
  }

  func reopen() {}

  func close() {}
}

/// One write to a descriptor that `poll` calls writable. It does not wait for a reader, although the descriptor may be a
/// blocking one.
func writeWithoutWaiting(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(Errno) -> Int {
  var status = stat()
  let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  // A pipe that is writable takes PIPE_BUF bytes at once, by POSIX.
  let length = isRegular ? bytes.count : min(bytes.count, Int(PIPE_BUF))
  while true {
    var count = -1
    if status.st_mode & S_IFMT == S_IFSOCK {
      count = send(descriptor, bytes.baseAddress, length, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    } else {
      count = Glibc.write(descriptor, bytes.baseAddress, length)
    }
    if count >= 0 { return count }
    switch Errno(rawValue: errno) {
    case .interrupted: continue
    case .wouldBlock: return 0
    case let error: throw error
    }
  }
}

/// Writes all of `bytes` to a pipe if that needs no waiting, and nothing otherwise. Errors are left to the next write.
func writeWhole(_ bytes: UnsafeRawBufferPointer, toPipe pipe: Int32) -> Bool {
  var request = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
  // A pipe that is writable takes PIPE_BUF bytes at once, whole.
  guard bytes.count <= Int(PIPE_BUF), poll(&request, 1, 0) == 1, request.revents == Int16(POLLOUT) else { return false }
  return Glibc.write(pipe, bytes.baseAddress, bytes.count) == bytes.count
}
