import Glibc

/// The three descriptors that every process begins with: standard input, output and error.
public enum StandardStreams {
  /// Opens /dev/null in place of those that the parent process has closed, so that nothing else that is opened gets
  /// their numbers and with them what is meant for them. A program does this first.
  ///
  /// Each is open for the other direction only: a read from such an input, and a write to such an output, is an error.
  public static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The system gives the lowest number that is free, which is this one.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether `descriptor` is open for reading.
  public static func isReadable(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_WRONLY
  }

  /// Whether `descriptor` is open for writing.
  public static func isWritable(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_RDONLY
  }
}
