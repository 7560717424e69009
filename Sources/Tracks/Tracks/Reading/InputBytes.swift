import Glibc
import Gzip
import Platform
import SystemPackage

/// The bytes of an input, decompressed where they are gzipped.
struct InputBytes {
  private static let chunkSize = 128 * 1024
  /// Seconds that a read from a pipe waits before it checks for cancellation.
  private static let patience = 0.2

  private let input: TrackInput
  private let progress: TrackProgress?

  init(_ input: TrackInput, progress: TrackProgress?) {
    (self.input, self.progress) = (input, progress)
  }

  /// Calls `body` with each piece, which is never empty, until the end or until the reading is cancelled.
  ///
  /// - Throws: A `TrackInputError.Reason` that says why there are no bytes, or no more.
  func read(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    var isFirst = true
    var gunzip: Gunzip?
    try readStored { bytes in
      if isFirst, Gunzip.isGzip(bytes) { gunzip = try Gunzip() }
      isFirst = false
      if let gunzip { try gunzip.decompress(bytes, body) } else { try body(bytes) }
    }
    if progress?.isCancelled == true { return }
    if isFirst { throw TrackInputError.Reason.empty }
    try gunzip?.finish()
  }

  private func readStored(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    switch input {
    case .bytes(let bytes, _):
      progress?.add(bytes.count)
      if !bytes.isEmpty { try bytes.withUnsafeBufferPointer(body) }
    case .standardInput: try readAll(.standardInput, body)
    case .path(let path):
      let descriptor: FileDescriptor
      do {
        descriptor = try FileDescriptor.open(
          path, .readOnly, options: [.closeOnExec, .nonBlocking, .init(rawValue: O_NOCTTY)])
      } catch {
        let number = error as? Errno ?? .ioError
        throw number == .noSuchFileOrDirectory ? TrackInputError.Reason.notFound : .notReadable(number)
      }
      defer { try? descriptor.close() }
      var status = stat()
      if fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        throw TrackInputError.Reason.isDirectory
      }
      try readAll(descriptor, body)
    }
  }

  private func readAll(
    _ descriptor: FileDescriptor, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.chunkSize) { buffer in
      while progress?.isCancelled != true {
        guard hasInput(descriptor) else { continue }
        let count = Glibc.read(descriptor.rawValue, buffer.baseAddress, buffer.count)
        if count < 0 {
          if errno == EINTR || errno == EAGAIN { continue }
          let number = Errno(rawValue: errno)
          throw number == .isDirectory ? TrackInputError.Reason.isDirectory : .readFailed(number)
        }
        if count == 0 { break }
        progress?.add(count)
        try body(UnsafeBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }

  /// Waits a while for input. A file always has some.
  private func hasInput(_ descriptor: FileDescriptor) -> Bool {
    var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, Int32(Self.patience * 1000)) > 0
  }
}
