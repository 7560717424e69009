import Glibc

let newline = UInt8(ascii: "\n")

extension LogFile {
  /// Opens `path` for appending and says whether it is a regular file.
  static func open(_ path: String) throws(OutputError) -> (descriptor: Int32, isRegular: Bool) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw OutputError(.usage, "a region log needs a path, or - for standard output")
    }
    if isStandardOutput(path) { return try duplicateStandardOutput() }

    var status = stat()
    let exists = stat(path, &status) == 0
    let kind = exists ? status.st_mode & S_IFMT : S_IFREG
    var flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY
    switch kind {
    case S_IFREG, S_IFCHR: break
    case S_IFIFO:
      // Open for reading too: then it opens without a reader, outlives readers, and none of them ends this program.
      flags = O_RDWR | O_NONBLOCK | O_CLOEXEC
    case S_IFDIR: throw failure(path, "is a directory; name a file in it")
    case S_IFSOCK:
      throw failure(path, "is a socket; serve regions there with a region socket instead")
    default: throw failure(path, "is a device; name a file")
    }
    let (descriptor, code) = retryingInterrupts { Glibc.open(path, flags, 0o640) }
    guard descriptor >= 0 else { throw openFailure(path, code) }
    if kind == S_IFREG { mendLastLine(of: path, descriptor) }
    return (descriptor, kind == S_IFREG)
  }

  private static func isStandardOutput(_ path: String) -> Bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
  }

  /// Standard output may be a socket, as under systemd, which cannot be opened by its name.
  private static func duplicateStandardOutput() throws(OutputError) -> (Int32, Bool) {
    let (descriptor, code) = retryingInterrupts { fcntl(1, F_DUPFD_CLOEXEC, 3) }
    guard descriptor >= 0 else { throw openFailure("standard output", code) }
    return (descriptor, false)
  }

  private static func openFailure(_ path: String, _ code: Int32) -> OutputError {
    let folder = parentFolder(of: path)
    return switch code {
    case ENOENT: failure(path, "cannot be created: there is no folder \(folder); create it first")
    case ENOTDIR: failure(path, "cannot be created: \(folder) is not a folder")
    case EACCES, EPERM:
      failure(
        path, "cannot be written: permission denied; let this user write \(folder) or the file")
    case EROFS:
      failure(path, "cannot be written: the file system is read-only; choose another place")
    default: failure(path, "cannot be opened: \(describe(errno: code))")
    }
  }

  private static func failure(_ path: String, _ what: String) -> OutputError {
    OutputError(.cannotCreate, "region log \(path) \(what)")
  }

  /// Mends what a crash can leave: a last line without its end. The beginning of a record is cut off; anything
  /// else, which this program did not write, is kept and ended.
  private static func mendLastLine(of path: String, _ descriptor: Int32) {
    let reader = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    // Without the right to read the file, nothing is known of its end.
    guard reader >= 0 else { return }
    defer { Glibc.close(reader) }
    var status = stat()
    guard fstat(reader, &status) == 0, status.st_size > 0 else { return }
    let length = min(Int(status.st_size), 64 << 10)
    var end = [UInt8](repeating: 0, count: length)
    let start = Int(status.st_size) - length
    let (count, _) = retryingInterrupts { pread(reader, &end, length, start) }
    guard count == length, end.last != newline else { return }
    let torn = end[((end.lastIndex(of: newline) ?? -1) + 1)...]
    // A last line longer than what was read is no record of this program.
    if torn.count < length || start == 0, isTornRecord(torn) {
      _ = ftruncate(descriptor, start + torn.startIndex)
    } else {
      _ = withUnsafeBytes(of: newline) { Glibc.write(descriptor, $0.baseAddress, 1) }
    }
  }

  /// Whether bytes are the beginning of a record, or zeros that a power failure left instead of data.
  private static func isTornRecord(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = bytes.prefix { $0 != 0 }
    let isZeroFilled = bytes[text.endIndex...].allSatisfy { $0 == 0 }
    let beginning = Array(#"{"type":""#.utf8)
    return isZeroFilled && zip(text, beginning).allSatisfy { $0 == $1 }
  }
}

/// The folder that a path lies in.
func parentFolder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  let folder = path[..<slash]
  return folder.isEmpty ? "/" : String(folder)
}
