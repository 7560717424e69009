import Glibc
import Platform
import Records
import SystemPackage

let newline = UInt8(ascii: "\n")

/// A file that region records are appended to, or a pipe or terminal in its place.
///
/// After a crash the file contains complete lines and at most one torn line at the end, which is removed when the file
/// is opened again. A line that was written only in part, because the disk is full, is removed and written later.
final class LogFile: RecordFile {
  let name: String
  private(set) var descriptor: Int32
  private let path: String
  private let onNotice: OutputNotice.Handler
  /// Standard output as the region log, which cannot be opened by a path.
  private let standardOutput: OpenDescriptor?
  /// Why the file could not be reopened after it was removed.
  private var failure: OutputError?

  /// Opens or creates the file.
  init(path: String, onNotice: @escaping OutputNotice.Handler) throws(OutputError) {
    (self.path, self.onNotice) = (path, onNotice)
    name = Self.isStandardOutput(path) ? "region log on standard output" : "region log \(path)"
    descriptor = try Self.open(path)
    standardOutput = Self.isStandardOutput(path) ? OpenDescriptor(descriptor, name: name) : nil
  }

  /// Opens the file and closes it again. An existing file stays unchanged, and a new file is removed.
  static func trial(_ path: String) throws(OutputError) {
    var status = stat()
    let exists = stat(path, &status) == 0
    let descriptor = try open(path, isTrial: true)
    defer { Glibc.close(descriptor) }
    guard !exists, !isStandardOutput(path), fstat(descriptor, &status) == 0, status.st_size == 0 else { return }
    // A dangling symbolic link stays one.
    guard let real = realpath(path, nil) else { return }
    unlink(real)
    free(real)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    if let standardOutput { try standardOutput.checkName() } else { try reopenIfRemoved() }
    let count = try writeWithoutWaiting(bytes, to: descriptor)
    guard count < bytes.count, count > 0, FileDescriptor(rawValue: descriptor).isRegularFile else { return count }
    // A file accepts only a part of the bytes when it has no more room.
    let whole = (bytes[..<count].lastIndex(of: newline) ?? -1) + 1
    if whole == 0 {
      // The system gives the reason only at the next write.
      do throws(Errno) {
        return count + (try writeWithoutWaiting(UnsafeRawBufferPointer(rebasing: bytes[count...]), to: descriptor))
      } catch {
        guard truncate(by: count) else { return count }
        throw error
      }
    }
    guard truncate(by: count - whole) else { return count }
    return whole
  }

  func reopen() throws(OutputError) {
    let opened = try Self.open(path)
    Glibc.close(descriptor)
    descriptor = opened
  }

  /// Continues in a new file, as after SIGHUP. A file that was renamed stays in use until that signal.
  private func reopenIfRemoved() throws(Errno) {
    guard FileDescriptor(rawValue: descriptor).isRemoved else { return }
    do throws(OutputError) {
      try reopen()
      failure = nil
    } catch {
      failure = error
      throw .noSuchFileOrDirectory
    }
    onNotice(OutputNotice(.warning, "\(name) was removed or replaced; writing continues in a new file"))
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

  /// Removes the last `length` bytes that were written, unless another process has appended since.
  private func truncate(by length: Int) -> Bool {
    var status = stat()
    let position = lseek(descriptor, 0, SEEK_CUR)
    guard fstat(descriptor, &status) == 0, status.st_size == position, position >= length else { return false }
    return ftruncate(descriptor, position - length) == 0
  }
}

extension LogFile {
  private static func open(_ path: String, isTrial: Bool = false) throws(OutputError) -> Int32 {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw OutputError(.cannotCreate, "a region log needs the path of a file")
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
    // Opens for reading too, so that it opens without a reader and a reader that leaves does not end this program.
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

  /// Removes a record that a crash tore, and rejects a file that another program wrote. Without a descriptor nothing is
  /// removed.
  private static func completeLastLine(of path: String, _ descriptor: Int32?) throws(OutputError) {
    let reader = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    // A file that cannot be read cannot be checked.
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
      throw failure(path, "ends with a line that is not a region record; choose another file")
    }
    guard let descriptor else { return }
    let lacksNewline = !line.isEmpty && line.last != newline
    let isTorn = lacksNewline && !RegionLine.isWhole(line)
    let excess = tail.count - (isTorn ? start : text.count)
    if excess > 0 { ftruncate(descriptor, off_t(size - excess)) }
    if lacksNewline && !isTorn { _ = withUnsafeBytes(of: newline) { Glibc.write(descriptor, $0.baseAddress, 1) } }
  }

  private static func openFailure(_ path: String, _ error: Errno) -> OutputError {
    .opening("region log \(path)", path, error)
  }

  private static func failure(_ path: String, _ what: String) -> OutputError {
    OutputError(.cannotCreate, "region log \(path) \(what)")
  }
}

extension OutputError {
  /// Why a file with this name in messages cannot be opened.
  static func opening(_ name: String, _ path: String, _ error: Errno) -> OutputError {
    let parent = FilePath(path).removingLastComponent().string
    let folder = parent.isEmpty ? "." : parent
    let reason =
      switch error {
      case .noSuchFileOrDirectory: "cannot be created: there is no folder \(folder); create it first"
      case .notDirectory: "cannot be created: \(folder) is not a folder"
      case .permissionDenied, .notPermitted:
        "cannot be written: permission denied; let this user write \(folder) or the file"
      case .readOnlyFileSystem: "cannot be written: the file system is read-only; choose another place"
      default: "cannot be opened: \(error.description)"
      }
    return OutputError(.cannotCreate, "\(name) \(reason)")
  }
}

/// The lines of a region log, as `NDJSONFormatter` writes them. In the patterns `*` stands for a number or a time.
enum RegionLine {
  private static let place = #""center":{"latitude":*,"longitude":*},"span":{"latitudeDelta":*,"longitudeDelta":*}}"#
  private static let patterns = [
    #"{"type":"region","time":"*","# + place,
    #"{"type":"region","# + place,
    #"{"type":"region","time":"*"}"#,
    #"{"type":"region"}"#,
    #"{"type":"dropped","count":*}"#,
  ].map { Array($0.utf8) }

  /// Whether `line` is a complete record, with or without its line feed.
  static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    patterns.contains { length(of: $0, matching: line) == $0.count }
  }

  /// Whether `line` is a record or the beginning of one.
  static func isBeginning(_ line: ArraySlice<UInt8>) -> Bool {
    patterns.contains { length(of: $0, matching: line) != nil }
  }

  /// The length of `pattern` that the line matches; `nil` if the line does not match.
  private static func length(of pattern: [UInt8], matching line: ArraySlice<UInt8>) -> Int? {
    var rest = line.last == newline ? line.dropLast() : line
    for (index, byte) in pattern.enumerated() {
      guard let first = rest.first else { return line.last == newline ? nil : index }
      if byte == UInt8(ascii: "*") {
        let value = rest.prefix { Array("0123456789.-:TZ".utf8).contains($0) }
        guard !value.isEmpty else { return nil }
        rest = rest.dropFirst(value.count)
      } else {
        guard first == byte else { return nil }
        rest = rest.dropFirst()
      }
    }
    return rest.isEmpty ? pattern.count : nil
  }
}

extension RecordStream {
  /// Opens or creates a region log: a file to which region updates are appended as complete lines.
  ///
  /// It is written on a thread of its own, so that a slow disk delays nothing else. "-" and "/dev/stdout" are standard
  /// output. A named pipe without a reader keeps the newest updates. A last line that a crash has torn is removed.
  /// - Parameters:
  ///   - limit: The number of bytes that may wait for the disk.
  ///   - onNotice: Called on the log's thread.
  ///   - onEnd: Called once, on the log's thread, when nothing more will be written.
  /// - Throws: `OutputError` with the path and the way out, also for a file whose last line is not a record of a region
  ///   log, because another program wrote it.
  public convenience init(
    regionLog path: String,
    mode: OutboxMode = .live,
    limit: Int = 1 << 20,
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(OutputError) {
    try self.init(
      to: try LogFile(path: path, onNotice: onNotice), mode: mode, limit: limit,
      describeDropped: { NDJSONFormatter().append(dropped: $0, to: &$1) }, onNotice: onNotice, onEnd: onEnd)
  }

  /// Checks whether a region log can be opened, and leaves everything unchanged.
  /// - Throws: `OutputError` as `init(regionLog:)` does.
  public static func trial(regionLog path: String) throws(OutputError) { try LogFile.trial(path) }
}
