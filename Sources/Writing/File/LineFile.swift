import Glibc
import Platform
import Records
import SystemPackage

/// A file that lines are appended to, or a pipe or terminal in its place; with a limit, a file that becomes pieces.
/// Standard output is one that is not opened by a path.
///
/// After a crash the file contains complete lines and at most one torn line at the end, which is removed when the file
/// is opened again. A line that was written only in part, because the disk is full, is removed and written later.
final class LineFile: RecordFile {
  struct Format: Sendable {
    var name: String
    /// Whether the file's last line, perhaps without its end, begins as a line does, so that no other file is changed.
    var isLine: @Sendable ([UInt8]) -> Bool
    /// The line that begins a piece, for the line that follows it; `nil` if the file has no pieces.
    var header: (@Sendable (_ following: UnsafeRawBufferPointer) -> [UInt8])?

    static let regionLog = Format(name: "region log") { line in
      ["region", "dropped"].contains { type in
        let beginning = #"{"type":""# + type + "\""
        return line.starts(with: beginning.utf8) || beginning.utf8.starts(with: line)
      }
    }
  }

  let name: String
  private(set) var descriptor: Int32
  /// Where the file is opened; `nil` for a descriptor that belongs to the caller.
  private let place: (path: String, format: Format)?
  private let onNotice: OutputNotice.Handler
  private var file: FileDescriptor { FileDescriptor(rawValue: descriptor) }
  private var isFile: Bool
  /// Whether the file has a name, without which its lines are lost.
  private let isNamed: Bool
  /// The end of the last write. If the file ends before it, another program has truncated the file.
  private var end = 0
  private var pieces: Pieces?
  private var needsHeader = false
  /// Why the file could not be reopened after it was removed.
  private var failure: OutputError?

  /// Opens or creates a file. `limit` is that of all pieces together, in bytes.
  init(path: String, _ format: Format, limit: Int = 0, onNotice: @escaping OutputNotice.Handler) throws(OutputError) {
    (place, self.onNotice, isNamed) = ((path, format), onNotice, true)
    name = "\(format.name) \(path)"
    descriptor = try Self.open(path, format)
    isFile = FileDescriptor(rawValue: descriptor).isRegularFile
    if isFile { end = Int(lseek(descriptor, 0, SEEK_END)) }
    guard format.header != nil else { return }
    pieces = Pieces(of: path, limit: limit)
    pieces?.makeRoom(for: end)
  }

  /// Writes to an open descriptor, which is not closed here.
  init(_ descriptor: Int32, name: String, onNotice: @escaping OutputNotice.Handler) {
    (self.descriptor, self.name, self.onNotice, place) = (descriptor, name, onNotice, nil)
    let file = FileDescriptor(rawValue: descriptor)
    (isFile, isNamed) = (file.isRegularFile, !file.isRemoved)
  }

  static func standardOutput(name: String, onNotice: @escaping OutputNotice.Handler) throws(OutputError) -> LineFile {
    guard StandardStreams.isWritable(STDOUT_FILENO) else { throw .closedStandardOutput }
    return LineFile(STDOUT_FILENO, name: name, onNotice: onNotice)
  }

  /// Whether a path stands for standard output, which may be a socket that cannot be opened by a name.
  static func isStandardOutput(_ path: String) -> Bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
  }

  /// The descriptor of a pipe that is never opened again.
  var pipe: Int32? { place == nil && (try? Stat(file))?.type == .fifo ? descriptor : nil }

  /// Opens the file and closes it again. An existing file stays unchanged, and a new file is removed.
  static func trial(_ path: String, _ format: Format) throws(OutputError) {
    let exists = access(path, F_OK) == 0
    let descriptor = try open(path, format, isTrial: true)
    defer { Glibc.close(descriptor) }
    guard !exists, FileDescriptor(rawValue: descriptor).isRegularFile, let real = realpath(path, nil) else { return }
    // A dangling symbolic link stays one.
    unlink(real)
    free(real)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    guard isFile else { return try writeWithoutWaiting(bytes, to: descriptor) }
    try repairIfChanged()
    return try append(try pieces == nil ? bytes : linesOfPiece(bytes))
  }

  private func append(_ lines: UnsafeRawBufferPointer) throws(Errno) -> Int {
    let count = try write(lines, after: 0)
    guard 0 < count, count < lines.count else { return count }
    let whole = (lines[..<count].lastIndex(of: newline) ?? -1) + 1
    var failure: Errno?
    if whole == 0 {
      // The system gives the reason only at the next write.
      do throws(Errno) { return count + (try write(lines, after: count)) } catch { failure = error }
    }
    // The torn line is removed, unless another process has appended since.
    let boundary = end - (count - whole)
    guard let status = try? Stat(file), status.size == end, ftruncate(descriptor, off_t(boundary)) == 0
    else { return count }
    end = Int(lseek(descriptor, off_t(boundary), SEEK_SET))
    if let failure { throw failure }
    return whole
  }

  private func write(_ bytes: UnsafeRawBufferPointer, after start: Int) throws(Errno) -> Int {
    let count = try writeWithoutWaiting(
      UnsafeRawBufferPointer(rebasing: bytes[start...]), to: descriptor, isRegular: true)
    end = Int(lseek(descriptor, 0, SEEK_CUR))
    return count
  }

  func reopen() throws(OutputError) {
    // A record is renewed by itself.
    if pieces == nil { try openAgain() }
  }

  private func openAgain() throws(OutputError) {
    guard let place else { return }
    let opened = try Self.open(place.path, place.format)
    Glibc.close(descriptor)
    (descriptor, failure) = (opened, nil)
    isFile = FileDescriptor(rawValue: opened).isRegularFile
    end = isFile ? Int(lseek(opened, 0, SEEK_END)) : 0
  }

  /// Continues in a new file after the file was removed, and at its end after another program truncated it. A log that was
  /// renamed stays in use until SIGHUP.
  private func repairIfChanged() throws(Errno) {
    guard isNamed, let status = try? Stat(file) else { return }
    let isElsewhere = pieces != nil && place.flatMap { FileIdentity(path: $0.path) } != FileIdentity(file)
    let isGone = status.linkCount == 0 || isElsewhere
    guard isGone || status.size < end else { return }
    guard let place else {
      if isGone { throw .noSuchFileOrDirectory }
      return reportTruncation(to: status.size)
    }
    do throws(OutputError) {
      try isGone ? openAgain() : Self.completeLastLine(descriptor, name, place.format)
    } catch {
      failure = error
      throw .noSuchFileOrDirectory
    }
    needsHeader = pieces != nil
    if isGone {
      onNotice(OutputNotice(.warning, "\(name) was removed or replaced; writing continues in a new file"))
    } else {
      reportTruncation(to: status.size)
    }
  }

  /// Continues at the end of the file. Writing on at the old place would leave a hole.
  private func reportTruncation(to size: Int64) {
    let what = counted(end - Int(size), "byte is", "bytes are")
    onNotice(OutputNotice(.warning, "\(name) was truncated by another program: \(what) gone"))
    end = Int(lseek(descriptor, 0, SEEK_END))
  }

  func describe(_ failure: Errno) -> String {
    guard failure == .noSuchFileOrDirectory else { return "\(name) cannot be written: \(failure.description)" }
    return self.failure.map { "\(name) was removed, and \($0.message)" }
      ?? "\(name) cannot be written: the file was removed"
  }

  func close() throws(Errno) {
    pieces?.abandonCompression()
    if isFile, let size = try? Stat(file).size, size < end { reportTruncation(to: size) }
    guard place != nil else { return }
    defer { descriptor = -1 }
    // The system reports here what it could not write in the background.
    if Glibc.close(descriptor) != 0 && errno != EINTR { throw Errno(rawValue: errno) }
  }

  deinit { if place != nil, descriptor >= 0 { Glibc.close(descriptor) } }

  // MARK: Pieces

  /// The lines that the piece has room for, after a new piece was begun if it has none.
  private func linesOfPiece(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> UnsafeRawBufferPointer {
    guard let size = pieces?.pieceSize else { return bytes }
    pieces?.compressStep(beside: end)
    var length = bytes.firstIndex(of: newline).map { $0 + 1 } ?? bytes.count
    if end > 0, end + length > size {
      try pieces?.add(size: end)
      do throws(OutputError) {
        try openAgain()
      } catch {
        failure = error
        throw .noSuchFileOrDirectory
      }
      needsHeader = true
    }
    while length < bytes.count, let next = bytes[length...].firstIndex(of: newline), end + next + 1 <= size {
      length = next + 1
    }
    if needsHeader, let header = place?.format.header?(bytes) {
      pieces?.makeRoom(for: end + header.count)
      guard try header.withUnsafeBytes({ bytes in Result { () throws(Errno) in try append(bytes) } }).get() > 0
      else { throw .noSpace }
      needsHeader = false
    }
    pieces?.makeRoom(for: end + length)
    return UnsafeRawBufferPointer(rebasing: bytes[..<length])
  }
}

extension LineFile {
  private static func open(_ path: String, _ format: Format, isTrial: Bool = false) throws(OutputError) -> Int32 {
    let name = "\(format.name) \(path)"
    func failure(_ what: String) -> OutputError { OutputError(.cannotCreate, "\(name) \(what)") }
    guard !path.isEmpty, path != "-", !path.utf8.contains(0) else {
      throw OutputError(.cannotCreate, "a \(format.name) needs the path of a file")
    }
    var flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY
    switch (try? Stat(path))?.type ?? .regular {
    case .regular: break
    case .directory: throw failure("is a directory; name a file in it")
    case _ where format.header != nil: throw failure("is not a file; name one")
    case .characterSpecial: break
    // Opens for reading too, so that it opens without a reader and a reader that leaves does not end this program.
    case .fifo: flags = O_RDWR | O_NONBLOCK | O_CLOEXEC
    case .socket: throw failure("is a socket; serve regions there with a region socket instead")
    default: throw failure("is a device; name a file")
    }
    var descriptor = Glibc.open(path, flags, 0o640)
    // A log that this user may not read cannot be checked.
    if descriptor < 0, errno == EACCES, format.header == nil {
      descriptor = Glibc.open(path, flags & ~O_RDWR | O_WRONLY, 0o640)
    }
    guard descriptor >= 0 else { throw .opening(name, path, Errno(rawValue: errno)) }
    guard FileDescriptor(rawValue: descriptor).isRegularFile else { return descriptor }
    do throws(OutputError) {
      // A file with pieces has one writer; several programs may append to a log. The daemon may run while doctor looks.
      let isFree = isTrial || format.header == nil || flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
      guard isFree else { throw failure("is written by another process; choose another file") }
      try completeLastLine(descriptor, name, format, isTrial: isTrial)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Ends a last line that lacks only its line feed, removes one that a crash tore, and rejects a file that another
  /// program wrote.
  private static func completeLastLine(
    _ descriptor: Int32, _ name: String, _ format: Format, isTrial: Bool = false
  ) throws(OutputError) {
    let size = Int(lseek(descriptor, 0, SEEK_END))
    // A line of this program is far shorter.
    var tail = [UInt8](repeating: 0, count: min(size, 256 << 10))
    // A log that this user may only write cannot be checked.
    guard size > 0, pread(descriptor, &tail, tail.count, off_t(size - tail.count)) == tail.count else { return }
    // A power cut may leave zeros in place of data.
    let text = tail[..<((tail.lastIndex { $0 != 0 } ?? -1) + 1)]
    let start = (text.dropLast().lastIndex(of: newline) ?? -1) + 1
    let line = text[start...]
    guard start > 0 || tail.count == size, line.isEmpty || format.isLine(Array(line)) else {
      throw OutputError(.cannotCreate, "\(name) ends with a line that is not of a \(format.name); choose another file")
    }
    guard !isTrial else { return }
    let lacksEnd = !line.isEmpty && line.last != newline
    let isTorn = lacksEnd && !isWhole(line)
    let end = isTorn ? start : text.count
    if end < tail.count { ftruncate(descriptor, off_t(size - tail.count + end)) }
    if lacksEnd && !isTorn { _ = withUnsafeBytes(of: newline) { Glibc.write(descriptor, $0.baseAddress, 1) } }
  }

  private static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    (try? JSONReader.forEachMember(of: Array(line.drop { $0 != UInt8(ascii: "{") })) { _, _ in }) != nil
  }
}

extension OutputError {
  /// Why a file with this name in messages cannot be opened.
  static func opening(_ name: String, _ path: String, _ error: Errno) -> OutputError {
    let folder = folder(of: path)
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

extension RecordStream {
  /// Opens or creates a region log: a file to which region updates are appended as complete lines. "-" and "/dev/stdout"
  /// are standard output. A named pipe without a reader keeps the newest updates.
  ///
  /// `limit` is the number of bytes that may wait for the disk. The log's thread calls `onNotice`, and `onEnd` once. Throws
  /// `OutputError` with the path and the way out, also for a file whose last line another program wrote.
  package convenience init(
    regionLog path: String, mode: OutboxMode = .live, limit: Int = 1 << 20,
    onNotice: @escaping OutputNotice.Handler = { _ in }, onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(OutputError) {
    let file =
      LineFile.isStandardOutput(path)
      ? try LineFile.standardOutput(name: "region log on standard output", onNotice: onNotice)
      : try LineFile(path: path, .regionLog, onNotice: onNotice)
    try self.init(
      to: file, mode: mode, limit: limit, describeDropped: { NDJSONFormatter().append(dropped: $0, to: &$1) },
      onNotice: onNotice, onEnd: onEnd)
  }

  /// Checks whether a region log can be opened, and leaves everything unchanged.
  package static func trial(regionLog path: String) throws(OutputError) {
    if LineFile.isStandardOutput(path) {
      _ = try LineFile.standardOutput(name: "", onNotice: { _ in })
    } else {
      try LineFile.trial(path, .regionLog)
    }
  }

  /// Opens or creates a record of a receiver: a file of lines and its older pieces, which together stay below `limit`
  /// bytes. Lines are written at most 0.8 seconds after they came, on a thread of the record's own, which calls `onNotice`.
  ///
  /// `isLine` says whether a line, perhaps without its end, begins as a record's does, so that no other file is changed.
  /// `header` makes the line that begins a piece, for the line that follows it.
  package convenience init(
    record path: String, limit: Int, isLine: @escaping @Sendable ([UInt8]) -> Bool,
    header: @escaping @Sendable (_ following: UnsafeRawBufferPointer) -> [UInt8], host: Host = .system,
    onNotice: @escaping OutputNotice.Handler = { _ in }
  ) throws(OutputError) {
    let format = LineFile.Format(name: "record", isLine: isLine, header: header)
    try self.init(
      to: try LineFile(path: path, format, limit: limit, onNotice: onNotice), mode: .live, limit: 1 << 20,
      interval: 0.8, host: host, onNotice: onNotice)
  }

  /// Checks whether a record can be opened, and leaves everything unchanged.
  package static func trial(record path: String, isLine: @escaping @Sendable ([UInt8]) -> Bool) throws(OutputError) {
    try LineFile.trial(path, LineFile.Format(name: "record", isLine: isLine, header: { _ in [] }))
  }
}
