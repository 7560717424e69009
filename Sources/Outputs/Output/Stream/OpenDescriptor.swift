import Glibc
import Platform
import SystemPackage

/// An open descriptor that belongs to the caller and is not closed here, such as standard output.
final class OpenDescriptor: RecordFile {
  let name: String
  let descriptor: Int32
  /// Whether it is a regular file with a name. Data written after its removal are lost.
  private let isNamed: Bool

  init(_ descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    let file = FileDescriptor(rawValue: descriptor)
    isNamed = file.isRegularFile && !file.isRemoved
  }

  var isPipe: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try checkName()
    return try writeWithoutWaiting(bytes, to: descriptor)
  }

  /// - Throws: `Errno.noSuchFileOrDirectory` if the file was removed.
  func checkName() throws(Errno) {
    if isNamed, FileDescriptor(rawValue: descriptor).isRemoved { throw .noSuchFileOrDirectory }
  }

  func reopen() {}

  func close() {}
}

/// Writes all of `bytes` to a pipe if that needs no waiting, and nothing otherwise. Errors are left to the next write.
func writeWhole(_ bytes: UnsafeRawBufferPointer, toPipe pipe: Int32) -> Bool {
  var request = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
  // A writable pipe accepts PIPE_BUF bytes at once as a whole.
  guard bytes.count <= Int(PIPE_BUF), poll(&request, 1, 0) == 1, request.revents == Int16(POLLOUT) else { return false }
  return Glibc.write(pipe, bytes.baseAddress, bytes.count) == bytes.count
}
