import Glibc
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

  /// One sentence about a failure to write.
  func describe(_ failure: Errno) -> String

  /// Closes the file and opens it again by its name. When that fails the old one stays in use.
  func reopen() throws(OutputError)

  /// Closes the file; nothing is written afterwards.
  func close() throws(Errno)
}

extension RecordFile {
  func describe(_ failure: Errno) -> String {
    "\(name) cannot be written: \(failure == .noSuchFileOrDirectory ? "the file was removed" : failure.description)"
  }
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
