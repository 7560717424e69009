import Glibc
import SystemPackage

/// The target of a stream's bytes: a descriptor, or a file with a form of its own. It is used by one thread at a time.
protocol RecordFile: AnyObject {
  /// The name for a person: "standard output", "region log /var/log/…".
  var name: String { get }

  /// The descriptor that is polled.
  var descriptor: Int32 { get }

  /// Writes the beginning of `bytes`, as much as possible without waiting for a reader, and returns the number of
  /// bytes. 0 means that the reader is slow.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int

  /// One sentence about a failure to write.
  func describe(_ failure: Errno) -> String

  /// Closes the file and opens it again by its name. If that fails, the old file stays in use.
  func reopen() throws(OutputError)

  /// Closes the file; nothing is written afterwards.
  func close() throws(Errno)
}

extension RecordFile {
  func describe(_ failure: Errno) -> String {
    "\(name) cannot be written: \(failure == .noSuchFileOrDirectory ? "the file was removed" : failure.description)"
  }
}

/// Makes one write to a descriptor that `poll` reports as writable. It does not wait for a reader, even if the
/// descriptor is blocking.
func writeWithoutWaiting(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(Errno) -> Int {
  var status = stat()
  let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  // POSIX guarantees that a writable pipe accepts PIPE_BUF bytes at once.
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
