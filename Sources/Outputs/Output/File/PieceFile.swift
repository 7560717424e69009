import Glibc
import Gzip
import Platform
import SystemPackage

/// A file of lines that stays below a limit, together with its older pieces. When it has an eighth of the limit, it
/// becomes a numbered piece, `PATH.000001`, which is compressed in small steps beside the writing, to `PATH.000001.gz`.
/// The oldest pieces are removed.
///
/// After a crash the file contains complete lines and at most one torn line at the end, which is removed when the file is
/// opened again. A piece that was not compressed to its end is compressed again.
final class PieceFile: RecordFile {
  /// The form of the lines.
  struct Format: Sendable {
    /// Whether a file's first bytes are those of a line.
    var isLine: @Sendable ([UInt8]) -> Bool
    /// The line that begins a piece, for the line that follows it.
    var header: @Sendable (_ following: UnsafeRawBufferPointer) -> [UInt8]
  }

  private struct Piece {
    var number: Int
    var size: Int
    var isCompressed: Bool
  }

  private struct Compression {
    var number: Int
    var input: FileDescriptor
    var output: FileDescriptor
    var stream: GzipStream
    var written = 0
  }

  /// The bytes that are compressed with each write.
  private static let stepSize = 256 << 10

  let name: String
  private(set) var descriptor: Int32
  private let path: String
  private let limit: Int
  private let format: Format
  private let onNotice: OutputNotice.Handler
  private var size: Int
  /// Whether the last write ended with a line.
  private var isAtLineEnd = true
  private var needsHeader = false
  /// The older pieces, oldest first.
  private var pieces: [Piece]
  private var compression: Compression?
  private var failure: OutputError?

  /// Opens or creates the file. `limit` is that of all pieces together, in bytes.
  init(
    path: String, limit: Int, format: Format, onNotice: @escaping OutputNotice.Handler
  ) throws(OutputError) {
    (self.path, self.limit, self.format, self.onNotice) = (path, limit, format, onNotice)
    name = "record \(path)"
    descriptor = try Self.open(path, format)
    size = Int(lseek(descriptor, 0, SEEK_END))
    pieces = Self.repairedPieces(of: path)
    makeRoom(for: 0)
  }

  /// Opens the file and closes it again. An existing file stays unchanged, and a new file is removed.
  static func trial(_ path: String, _ format: Format) throws(OutputError) {
    let exists = access(path, F_OK) == 0
    Glibc.close(try open(path, format, isTrial: true))
    if !exists { unlink(path) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try reopenIfRemoved()
    compressStep()
    let pieceSize = limit / 8
    var end = bytes.firstIndex(of: newline).map { $0 + 1 } ?? bytes.count
    if isAtLineEnd, size > 0, size + end > pieceSize { try beginPiece() }
    // Whole lines, as many as the piece has room for.
    while end < bytes.count, let next = bytes[end...].firstIndex(of: newline), size + next + 1 <= pieceSize {
      end = next + 1
    }
    if needsHeader { try writeHeader(before: bytes) }
    let lines = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    makeRoom(for: lines.count)
    let count = try writeWithoutWaiting(lines, to: descriptor)
    if count > 0 { isAtLineEnd = lines[count - 1] == newline }
    size += count
    return count
  }

  /// The file is renewed by itself.
  func reopen() {}

  func describe(_ failure: Errno) -> String {
    guard failure == .noSuchFileOrDirectory, let reason = self.failure else {
      return "\(name) cannot be written: \(failure.description)"
    }
    return "\(name) was removed, and \(reason.message)"
  }

  func close() throws(Errno) {
    abandonCompression()
    if Glibc.close(descriptor) != 0 && errno != EINTR { throw Errno(rawValue: errno) }
  }

  /// Continues in a new file after the file was removed or renamed.
  private func reopenIfRemoved() throws(Errno) {
    guard FileIdentity(path: path) != FileIdentity(FileDescriptor(rawValue: descriptor)) else { return }
    do throws(OutputError) {
      try openNew()
    } catch {
      failure = error
      throw .noSuchFileOrDirectory
    }
    onNotice(OutputNotice(.warning, "\(name) was removed or replaced; writing continues in a new file"))
  }

  private func openNew() throws(OutputError) {
    let opened = try Self.open(path, format)
    Glibc.close(descriptor)
    (descriptor, size, needsHeader, isAtLineEnd, failure) = (opened, Int(lseek(opened, 0, SEEK_END)), true, true, nil)
  }

  // MARK: Pieces

  private func beginPiece() throws(Errno) {
    // A piece that is still being compressed delays the writing, which happens only to a flood of lines.
    while compression != nil { compressStep() }
    let number = (pieces.last?.number ?? 0) + 1
    guard rename(path, Self.name(path, number)) == 0 else { throw Errno(rawValue: errno) }
    pieces.append(Piece(number: number, size: size, isCompressed: false))
    do throws(OutputError) {
      try openNew()
    } catch {
      failure = error
      throw .noSuchFileOrDirectory
    }
  }

  private func writeHeader(before bytes: UnsafeRawBufferPointer) throws(Errno) {
    let header = format.header(bytes)
    makeRoom(for: header.count)
    let count = try header.withUnsafeBytes { header in
      Result { () throws(Errno) in try writeWithoutWaiting(header, to: descriptor) }
    }.get()
    guard count == header.count else {
      ftruncate(descriptor, off_t(size))
      throw .noSpace
    }
    size += count
    needsHeader = false
  }

  /// Removes the oldest pieces until there is room for so many bytes more.
  private func makeRoom(for count: Int) {
    func total() -> Int { pieces.reduce(size + (compression?.written ?? 0)) { $0 + $1.size } }
    while total() + count > limit, let oldest = pieces.first {
      if compression?.number == oldest.number { abandonCompression() }
      unlink(Self.name(path, oldest.number) + (oldest.isCompressed ? ".gz" : ""))
      pieces.removeFirst()
    }
  }

  private static func name(_ path: String, _ number: Int) -> String {
    let digits = String(number)
    return path + "." + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// The pieces on the disk. Removes what a crash has left half done.
  private static func repairedPieces(of path: String) -> [Piece] {
    let file = FilePath(path)
    let parent = file.removingLastComponent()
    guard let base = file.lastComponent?.string, let folder = opendir(parent.isEmpty ? "." : parent.string) else {
      return []
    }
    defer { closedir(folder) }
    var found: [Int: Piece] = [:]
    while let entry = readdir(folder) {
      let entryName = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard entryName.hasPrefix(base + ".") else { continue }
      let rest = entryName.dropFirst(base.count + 1)
      let digits = rest.prefix { $0.isNumber }
      guard (6...12).contains(digits.count), let number = Int(digits) else { continue }
      let whole = name(path, number)
      switch rest.dropFirst(digits.count) {
      case ".gz.part": unlink(whole + ".gz.part")
      case ".gz":
        if found[number] != nil { unlink(whole) }
        found[number] = Piece(number: number, size: sizeOfFile(whole + ".gz"), isCompressed: true)
      case "":
        if found[number] != nil {
          unlink(whole)
        } else {
          found[number] = Piece(number: number, size: sizeOfFile(whole), isCompressed: false)
        }
      default: break
      }
    }
    return found.values.sorted { $0.number < $1.number }
  }

  private static func sizeOfFile(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  // MARK: Compressing

  /// Compresses the next bytes of the oldest plain piece. A piece that cannot be compressed now stays plain.
  private func compressStep() {
    guard let index = pieces.firstIndex(where: { !$0.isCompressed }) else { return }
    let plain = Self.name(path, pieces[index].number)
    do {
      if compression == nil {
        compression = Compression(
          number: pieces[index].number, input: try FileDescriptor.open(plain, .readOnly, options: .closeOnExec),
          output: try FileDescriptor.open(
            plain + ".gz.part", .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead]),
          stream: try GzipStream())
      }
      guard let current = compression else { return }
      var block = [UInt8](repeating: 0, count: Self.stepSize)
      let count = try block.withUnsafeMutableBytes { try current.input.read(into: $0) }
      block.removeLast(block.count - count)
      let compressed = current.stream.compress(block, isLast: count == 0)
      makeRoom(for: compressed.count)
      guard compression != nil else { return }
      try compressed.withUnsafeBytes { _ = try current.output.writeAll($0) }
      compression?.written += compressed.count
      if count == 0 { try endCompression(of: plain) }
    } catch {
      abandonCompression()
      // Compressing is tried again with the next write, unless another program has removed the piece.
      if access(plain, F_OK) != 0 { pieces.removeAll { !$0.isCompressed && Self.name(path, $0.number) == plain } }
    }
  }

  private func endCompression(of plain: String) throws {
    guard let done = compression, let index = pieces.firstIndex(where: { $0.number == done.number }) else { return }
    // The piece is removed, so its compressed form has to be on the disk.
    guard fsync(done.output.rawValue) == 0, rename(plain + ".gz.part", plain + ".gz") == 0 else {
      throw Errno(rawValue: errno)
    }
    unlink(plain)
    pieces[index].size = done.written
    pieces[index].isCompressed = true
    try? done.input.close()
    try? done.output.close()
    compression = nil
  }

  private func abandonCompression() {
    guard let current = compression else { return }
    try? current.input.close()
    try? current.output.close()
    unlink(Self.name(path, current.number) + ".gz.part")
    compression = nil
  }
}

extension PieceFile {
  private static func open(_ path: String, _ format: Format, isTrial: Bool = false) throws(OutputError) -> Int32 {
    let name = "record \(path)"
    guard !path.isEmpty, path != "-", !path.utf8.contains(0) else {
      throw OutputError(.cannotCreate, "a record needs the path of a file")
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let what = status.st_mode & S_IFMT == S_IFDIR ? "is a directory; name a file in it" : "is not a file; name one"
      throw OutputError(.cannotCreate, "\(name) \(what)")
    }
    let descriptor = Glibc.open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o640)
    guard descriptor >= 0 else { throw .opening(name, path, Errno(rawValue: errno)) }
    do throws(OutputError) {
      // The daemon may be running while doctor looks.
      guard isTrial || flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
        throw OutputError(.cannotCreate, "\(name) is written by another process; choose another file")
      }
      try completeLastLine(descriptor, name, format, isTrial: isTrial)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Removes a line that a crash tore, and rejects a file that another program wrote.
  private static func completeLastLine(
    _ descriptor: Int32, _ name: String, _ format: Format, isTrial: Bool
  ) throws(OutputError) {
    let size = Int(lseek(descriptor, 0, SEEK_END))
    var head = [UInt8](repeating: 0, count: min(size, 64))
    guard size > 0, pread(descriptor, &head, head.count, 0) == head.count else { return }
    guard format.isLine(head) || !head.contains(newline) && size < head.count else {
      throw OutputError(.cannotCreate, "\(name) is another kind of file; choose another name")
    }
    guard !isTrial else { return }
    // A line of this program is far shorter.
    var tail = [UInt8](repeating: 0, count: min(size, 256 << 10))
    guard pread(descriptor, &tail, tail.count, off_t(size - tail.count)) == tail.count else { return }
    let excess = tail.count - ((tail.lastIndex(of: newline) ?? -1) + 1)
    if excess > 0 { ftruncate(descriptor, off_t(size - excess)) }
  }
}

extension RecordStream {
  /// Opens or creates a record of a receiver: a file of lines and its older pieces, which together stay below `limit`
  /// bytes.
  ///
  /// Lines are written at most 0.8 seconds after they came, on a thread of the record's own.
  /// - Parameters:
  ///   - isLine: Whether a file's first bytes are those of a line, so that no other file is changed.
  ///   - header: The line that begins a piece, for the line that follows it.
  ///   - onNotice: Called on the record's thread.
  /// - Throws: `OutputError` with the path and the way out.
  public convenience init(
    record path: String, limit: Int, isLine: @escaping @Sendable ([UInt8]) -> Bool,
    header: @escaping @Sendable (_ following: UnsafeRawBufferPointer) -> [UInt8],
    onNotice: @escaping OutputNotice.Handler = { _ in }
  ) throws(OutputError) {
    let format = PieceFile.Format(isLine: isLine, header: header)
    try self.init(
      to: try PieceFile(path: path, limit: limit, format: format, onNotice: onNotice), mode: .live, limit: 1 << 20,
      interval: 0.8, describeDropped: { _, _ in }, onNotice: onNotice, onEnd: { _ in })
  }

  /// Checks whether a record can be opened, and leaves everything unchanged.
  /// - Throws: `OutputError` as `init(record:)` does.
  public static func trial(record path: String, isLine: @escaping @Sendable ([UInt8]) -> Bool) throws(OutputError) {
    try PieceFile.trial(path, PieceFile.Format(isLine: isLine, header: { _ in [] }))
  }
}
