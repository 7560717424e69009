import Glibc
import SystemPackage

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

  package static func isReadable(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_WRONLY
  }

  /// Whether the bytes that are written to `descriptor` may appear on a terminal: at once, or behind a pipe, as with `head`.
  package static func mayAppear(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1 || (try? Stat(FileDescriptor(rawValue: descriptor)))?.type == .fifo
  }

  package static func isWritable(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_RDONLY
  }
}
