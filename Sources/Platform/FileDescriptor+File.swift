import Glibc
import SystemPackage

extension FileDescriptor {
  package var isRegularFile: Bool { (try? Stat(self))?.type == .regular }

  /// Whether the file was removed, or replaced by another one: no folder has a name for it.
  package var isRemoved: Bool { (try? Stat(self))?.linkCount == 0 }

  /// Whether users other than the owner and its group can access the file, or the group can change it. A file whose
  /// status cannot be read counts as open.
  package var isOpenToOthers: Bool {
    guard let status = try? Stat(self) else { return true }
    return !status.permissions.isDisjoint(with: [.otherReadWriteExecute, .groupWrite])
  }

  /// Reads from the current position to the end, or until soon after `limit` bytes. Anything but a regular file may block.
  package func readToEnd(limit: Int = .max) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= limit, case let count = try block.withUnsafeMutableBytes({ try read(into: $0) }), count > 0 {
      bytes += block.prefix(count)
    }
    return bytes
  }
}

/// The folder of the file at a path: "." for a name alone.
package func folder(of path: String) -> String {
  let folder = FilePath(path).removingLastComponent().string
  return folder.isEmpty ? "." : folder
}

/// The identity of a file: its device and its inode. A path may name another file later.
package struct FileIdentity: Sendable, Hashable {
  private let device: dev_t
  private let inode: ino_t

  private init(_ status: Stat) { (device, inode) = (status.rawValue.st_dev, status.rawValue.st_ino) }

  /// The file at a path; `nil` if no file is there. A symbolic link stands for its target.
  package init?(path: String) {
    guard let status = try? Stat(path) else { return nil }
    self.init(status)
  }

  package init?(_ file: FileDescriptor) {
    guard let status = try? Stat(file) else { return nil }
    self.init(status)
  }
}

/// The three descriptors that every process starts with: standard input, output and error.
package enum StandardStreams {
  /// Opens /dev/null for each standard descriptor that the parent process has closed. Otherwise the next file that is
  /// opened would get its number, and with it the program's output. A program calls this first.
  ///
  /// Each is opened for the wrong direction, so reading such an input or writing such an output fails.
  package static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The system assigns the lowest free number, which is this one.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  package static func isReadable(_ descriptor: Int32) -> Bool { isOpen(descriptor, besides: O_WRONLY) }
  package static func isWritable(_ descriptor: Int32) -> Bool { isOpen(descriptor, besides: O_RDONLY) }

  private static func isOpen(_ descriptor: Int32, besides mode: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != mode
  }

  /// Whether the bytes that are written to `descriptor` may appear on a terminal: at once, or behind a pipe, as with `head`.
  package static func mayAppear(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1 || (try? Stat(FileDescriptor(rawValue: descriptor)))?.type == .fifo
  }
}

/// Makes one write to a descriptor that `poll` reports as writable. It waits for no reader, even if the descriptor is
/// blocking, or is a socket with little room. Returns the number of written bytes.
package func writeWithoutWaiting(
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
