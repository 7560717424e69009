import Glibc
import Platform
import SystemPackage

let newline = UInt8(ascii: "\n")

/// The target of a stream's bytes: a descriptor, or a file with a form of its own. It is used by one thread at a time.
protocol RecordFile: AnyObject {
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
  var sendsRecords: Bool { false }

  func describe(_ failure: Errno) -> String {
    "\(name) cannot be written: \(failure.description)"
  }
}

/// Makes one write to a descriptor that `poll` reports as writable. It does not wait for a reader, even if the
/// descriptor is blocking.
func writeWithoutWaiting(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, isRegular: Bool = false
) throws(Errno) -> Int {
  // POSIX guarantees that a writable pipe accepts PIPE_BUF bytes at once.
  let length = isRegular ? bytes.count : min(bytes.count, Int(PIPE_BUF))
  while true {
    var count = -1
    if !isRegular { count = send(descriptor, bytes.baseAddress, length, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) }
    if isRegular || count < 0 && errno == ENOTSOCK { count = Glibc.write(descriptor, bytes.baseAddress, length) }
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
  // A writable pipe accepts PIPE_BUF bytes at once as a whole.
  guard bytes.count <= Int(PIPE_BUF), poll(&request, 1, 0) == 1, request.revents == Int16(POLLOUT) else { return false }
  return Glibc.write(pipe, bytes.baseAddress, bytes.count) == bytes.count
}
