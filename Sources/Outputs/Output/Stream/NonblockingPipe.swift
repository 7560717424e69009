import Glibc

/// A second way into a pipe, which never waits: an open file description of its own, so that whoever shares the first
/// one still has it blocking.
final class NonblockingPipe: Sendable {
  private let descriptor: Int32

  /// Opens the pipe behind `descriptor` again; `nil` when that is no pipe or the system does not let it be opened.
  init?(behind descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    let second = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard second >= 0 else { return nil }
    self.descriptor = second
  }

  deinit {
    close(descriptor)
  }

  /// Writes all of `record` or nothing: false when there is no room for it, when it is longer than the system writes in
  /// one piece (PIPE_BUF), or when writing fails in whatever way.
  func write(_ record: UnsafeRawBufferPointer) -> Bool {
    record.count <= Int(PIPE_BUF) && Glibc.write(descriptor, record.baseAddress, record.count) == record.count
  }
}
