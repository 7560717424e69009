import Glibc
import Synchronization
import SystemPackage

/// Wakes a thread from `poll`, as often as needed. Any thread may ring.
final class Bell: Sendable {
  // `eventfd` would take one descriptor, but Swift's Glibc module does not have it.
  private let readEnd: FileDescriptor
  private let writeEnd: FileDescriptor
  /// Whether somebody rang since `reset()`: a pipe must not fill up.
  private let isRinging = Atomic(false)

  init() throws(Errno) {
    do {
      (readEnd, writeEnd) = try FileDescriptor.pipe()
    } catch {
      throw error as? Errno ?? .tooManyOpenFiles
    }
    for end in [readEnd, writeEnd] {
      _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    try? readEnd.close()
    try? writeEnd.close()
  }

  /// Readable while it rings.
  var descriptor: Int32 { readEnd.rawValue }

  func ring() {
    guard !isRinging.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var byte: UInt8 = 1
    _ = Glibc.write(writeEnd.rawValue, &byte, 1)
  }

  /// Whether it rang; it does no more then.
  func reset() -> Bool {
    var bytes: (UInt64, UInt64) = (0, 0)
    let count = withUnsafeMutableBytes(of: &bytes) { Glibc.read(readEnd.rawValue, $0.baseAddress, $0.count) }
    // After the read: who rings from here on writes again.
    return isRinging.exchange(false, ordering: .acquiringAndReleasing) || count > 0
  }
}
