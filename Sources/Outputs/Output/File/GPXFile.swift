import Glibc
import Platform
import Records
import SystemPackage

/// A GPX document in the regular file on standard output. The file is a complete document whenever this program dies,
/// because each write replaces the old footer with the new points and the footer.
///
/// A kill may come between two pages of one write. A document without its footer, which that or a power cut may leave,
/// is truncated after its last complete point when it is continued.
final class GPXFile: RecordFile {
  let name = "GPX document on standard output"
  let descriptor: Int32
  /// Whether the file contains a document that is continued.
  let continuesDocument: Bool
  private let standardOutput: Int32
  /// Whether the file has a name. Data written after its removal are lost.
  private let isNamed: Bool
  /// The position of the footer.
  private var footerOffset: Int

  private static let header = bytes(GPXFormatter.start)
  private static let footer = bytes(GPXFormatter.end) + [newline]

  /// Begins a document in an empty file, or continues one of this program; `nil` if `standardOutput` is not a regular
  /// file, where a document can only be streamed.
  /// - Throws: `OutputError` if the file has other contents, cannot be written, or another process writes it.
  init?(standardOutput: Int32) throws(OutputError) {
    var status = stat()
    guard fstat(standardOutput, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.standardOutput = standardOutput
    isNamed = status.st_nlink > 0
    continuesDocument = status.st_size > 0
    descriptor = try Self.open(standardOutput, isEmpty: status.st_size == 0)
    do throws(OutputError) {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
        throw OutputError(.cannotCreate, "the GPX document is being written by another process; choose another file")
      }
      footerOffset = continuesDocument ? try Self.endOfPoints(in: descriptor, size: Int(status.st_size)) : 0
      do throws(Errno) {
        try replaceFooter(with: continuesDocument ? [] : Self.header[...])
      } catch {
        throw OutputError(.inputOutput, "the GPX document cannot be written: \(error.description)")
      }
    } catch {
      Self.release(descriptor)
      throw error
    }
  }

  func write(_ points: UnsafeRawBufferPointer) throws(Errno) -> Int {
    if isNamed, FileDescriptor(rawValue: descriptor).isRemoved { throw .noSuchFileOrDirectory }
    try replaceFooter(with: points)
    return points.count
  }

  func reopen() {}

  func close() throws(Errno) {
    // The next process that writes to standard output continues after the document.
    lseek(standardOutput, off_t(footerOffset + Self.footer.count), SEEK_SET)
    Self.release(descriptor)
  }

  /// Writes `points` and the footer over the footer. After a failure the document is as it was.
  private func replaceFooter(with points: some Collection<UInt8>) throws(Errno) {
    let old = footerOffset
    do {
      try Self.write(points + Self.footer, at: old, to: descriptor)
      footerOffset += points.count
    } catch {
      // The space of the old footer is available even on a full disk.
      if (try? Self.write(Self.footer, at: old, to: descriptor)) != nil {
        ftruncate(descriptor, off_t(old + Self.footer.count))
      }
      throw error
    }
  }
}

extension GPXFile {
  /// Opens the file again, because with `>>` all data would be appended.
  private static func open(_ standardOutput: Int32, isEmpty: Bool) throws(OutputError) -> Int32 {
    let descriptor = Glibc.open("/proc/self/fd/\(standardOutput)", O_RDWR | O_CLOEXEC)
    if descriptor >= 0 { return descriptor }
    let error = Errno(rawValue: errno)
    // A service manager may have opened it for a user who is not permitted to open it. An empty file need not be read.
    if isEmpty && fcntl(standardOutput, F_GETFL) & O_APPEND == 0 {
      let duplicate = fcntl(standardOutput, F_DUPFD_CLOEXEC, 3)
      if duplicate >= 0 { return duplicate }
    }
    throw OutputError(
      .cannotCreate,
      "the file on standard output cannot hold a GPX document: \(error.description); let this user read and write it")
  }

  /// Also unlocks the file, because a child process that is being spawned may hold the descriptor a little longer.
  private static func release(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    Glibc.close(descriptor)
  }

  /// The position of the footer of this program's document, present or missing.
  private static func endOfPoints(in descriptor: Int32, size: Int) throws(OutputError) -> Int {
    let start = max(0, size - 64 << 10)
    if read(header.count, at: 0, from: descriptor) == header, let tail = read(size - start, at: start, from: descriptor)
    {
      if tail.suffix(footer.count) == footer[...] { return size - footer.count }
      let pointEnd = Array("</trkpt>\n".utf8)
      var end = tail.count
      while let lineEnd = tail[..<end].lastIndex(of: newline) {
        let line = tail[...lineEnd]
        if start + line.count == header.count || line.suffix(pointEnd.count) == pointEnd[...] {
          return start + line.count
        }
        end = lineEnd
      }
    }
    throw OutputError(
      .cannotCreate,
      "the file on standard output contains something other than a GPX document of this program; choose another file")
  }

  private static func read(_ count: Int, at offset: Int, from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
  }

  private static func write(_ bytes: [UInt8], at offset: Int, to descriptor: Int32) throws(Errno) {
    do {
      _ = try FileDescriptor(rawValue: descriptor).writeAll(toAbsoluteOffset: Int64(offset), bytes)
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  private static func bytes(_ literal: StaticString) -> [UInt8] {
    Array(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }
}
