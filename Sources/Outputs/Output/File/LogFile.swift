import Glibc
import Platform
import SystemPackage

let newline = UInt8(ascii: "\n")

/// A file that region records are appended to, or a pipe or terminal in its place.
///
/// After a crash the file holds whole lines and at most one torn one at the end, which is cut off when it is opened
/// again. A line that fits only in part, because the disk is full, is taken back and written later.
final class LogFile: RecordFile {
  let name: String
  private(set) var descriptor: Int32
  private let path: String
  private let onNotice: OutputNotice.Handler
  /// Standard output as the region log, which has no path to open it by.
  private let standardOutput: OpenDescriptor?
  /// Why the file could not be opened again after it was removed.
  private var failure: OutputError?

  /// Opens or creates the file.
  init(path: String, onNotice: @escaping OutputNotice.Handler) throws(OutputError) {
    (self.path, self.onNotice) = (path, onNotice)
    name = Self.isStandardOutput(path) ? "region log on standard output" : "region log \(path)"
    descriptor = try Self.open(path)
    standardOutput = Self.isStandardOutput(path) ? OpenDescriptor(descriptor, name: name) : nil
  }

  /// Opens the file and closes it again; what was there stays as it was, and what was not goes again.
  static func tryOpening(_ path: String) throws(OutputError) {
    var status = stat()
    let exists = stat(path, &status) == 0
    let descriptor = try open(path, isTrial: true)
    defer { Glibc.close(descriptor) }
    guard !exists, !isStandardOutput(path), fstat(descriptor, &status) == 0, status.st_size == 0 else { return }
    // A symbolic link that led nowhere stays one.
    guard let real = realpath(path, nil) else { return }
    unlink(real)
    free(real)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    if let standardOutput { try standardOutput.checkName() } else { try reopenIfRemoved() }
    let count = try writeWithoutWaiting(bytes, to: descriptor)
    guard count < bytes.count, count > 0, FileDescriptor(rawValue: descriptor).isRegularFile else { return count }
    // A file takes less than it is given only when there is no more room.
    let whole = (bytes[..<count].lastIndex(of: newline) ?? -1) + 1
    if whole == 0 {
      // What stands in the way, the system says of the next write only.
      do throws(Errno) {
        return count + (try writeWithoutWaiting(UnsafeRawBufferPointer(rebasing: bytes[count...]), to: descriptor))
      } catch {
        guard takeBack(count) else { return count }
        throw error
      }
    }
    guard takeBack(count - whole) else { return count }
    return whole
  }

  func reopen() throws(OutputError) {
    let opened = try Self.open(path)
    Glibc.close(descriptor)
    descriptor = opened
  }

  /// Goes on in a new file, as after SIGHUP. A file that was renamed is used on until that signal.
  private func reopenIfRemoved() throws(Errno) {
    guard FileDescriptor(rawValue: descriptor).isRemoved else { return }
    do throws(OutputError) {
      try reopen()
      failure = nil
    } catch {
      failure = error
      throw .noSuchFileOrDirectory
    }
    onNotice(OutputNotice(.warning, "\(name) was removed or replaced; it goes on in a new file"))
  }

  func describe(_ failure: Errno) -> String {
    guard failure == .noSuchFileOrDirectory, let reason = self.failure else {
      return "\(name) cannot be written: \(failure.description)"
    }
    return "\(name) was removed, and \(reason.message)"
  }

  func close() throws(Errno) {
    // The system reports here what it could not write in the background.
    if Glibc.close(descriptor) != 0 && errno != EINTR { throw Errno(rawValue: errno) }
  }

  /// Cuts off the last `length` bytes that were written; not when somebody else has appended since.
  private func takeBack(_ length: Int) -> Bool {
    var status = stat()
    let position = lseek(descriptor, 0, SEEK_CUR)
    guard fstat(descriptor, &status) == 0, status.st_size == position, position >= length else { return false }
    return ftruncate(descriptor, position - length) == 0
  }
}

extension LogFile {
  private static func open(_ path: String, isTrial: Bool = false) throws(OutputError) -> Int32 {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw OutputError(.usage, "a region log needs the path of a file")
    }
    // Standard output may be a socket, as under systemd, which cannot be opened by its name.
    if isStandardOutput(path) {
      guard StandardStreams.isWritable(STDOUT_FILENO) else { throw .closedStandardOutput }
      let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
      guard descriptor >= 0 else { throw openFailure("standard output", Errno(rawValue: errno)) }
      return descriptor
    }
    var status = stat()
    let exists = stat(path, &status) == 0
    var flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY
    switch exists ? status.st_mode & S_IFMT : S_IFREG {
    case S_IFREG, S_IFCHR: break
    // Open for reading too: then it opens without a reader, outlives readers, and none of them ends this program.
    case S_IFIFO: flags = O_RDWR | O_NONBLOCK | O_CLOEXEC
    case S_IFDIR: throw failure(path, "is a directory; name a file in it")
    case S_IFSOCK: throw failure(path, "is a socket; serve regions there with a region socket instead")
    default: throw failure(path, "is a device; name a file")
    }
    let descriptor = Glibc.open(path, flags, 0o640)
    guard descriptor >= 0 else { throw openFailure(path, Errno(rawValue: errno)) }
    do throws(OutputError) {
      if FileDescriptor(rawValue: descriptor).isRegularFile {
        try completeLastLine(of: path, isTrial ? nil : descriptor)
      }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func isStandardOutput(_ path: String) -> Bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
  }

  /// Cuts off a record that a crash tore, and refuses a file that belongs to somebody else. Without a descriptor nothing is
  /// cut.
  private static func completeLastLine(of path: String, _ descriptor: Int32?) throws(OutputError) {
    let reader = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    // Without the right to read the file, nothing is known of its end.
    guard reader >= 0 else { return }
    defer { Glibc.close(reader) }
    let size = Int(lseek(reader, 0, SEEK_END))
    // A record of this program is far shorter.
    var tail = [UInt8](repeating: 0, count: min(size, 4096))
    guard pread(reader, &tail, tail.count, size - tail.count) == tail.count else { return }
    // A power cut may leave zeros in place of data.
    let text = tail[..<((tail.lastIndex { $0 != 0 } ?? -1) + 1)]
    let start = (text.dropLast().lastIndex(of: newline) ?? -1) + 1
    let line = text[start...]
    let isLineWhole = start > 0 || tail.count == size
    guard isLineWhole, line.isEmpty || RegionLine.isBeginning(line) else {
      throw failure(path, "ends with a line that is no region record; choose another file")
    }
    guard let descriptor else { return }
    if line.last == newline || line.isEmpty {
      cut(descriptor, size - (tail.count - text.count), from: size)
    } else if RegionLine.isWhole(line) {
      cut(descriptor, size - (tail.count - text.count), from: size)
      _ = withUnsafeBytes(of: newline) { Glibc.write(descriptor, $0.baseAddress, 1) }
    } else {
      cut(descriptor, size - (tail.count - start), from: size)
    }
  }

  private static func cut(_ descriptor: Int32, _ length: Int, from size: Int) {
    if length < size { ftruncate(descriptor, off_t(length)) }
  }

  /// The folder that a path lies in.
  private static func parentFolder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    let folder = path[..<slash]
    return folder.isEmpty ? "/" : String(folder)
  }

  private static func openFailure(_ path: String, _ error: Errno) -> OutputError {
    let folder = parentFolder(of: path)
    return switch error {
    case .noSuchFileOrDirectory:
      failure(path, "cannot be created: there is no folder \(folder); create it first")
    case .notDirectory: failure(path, "cannot be created: \(folder) is not a folder")
    case .permissionDenied, .notPermitted:
      failure(path, "cannot be written: permission denied; let this user write \(folder) or the file")
    case .readOnlyFileSystem:
      failure(path, "cannot be written: the file system is read-only; choose another place")
    default: failure(path, "cannot be opened: \(error.description)")
    }
  }

  private static func failure(_ path: String, _ what: String) -> OutputError {
    OutputError(.cannotCreate, "region log \(path) \(what)")
  }
}
