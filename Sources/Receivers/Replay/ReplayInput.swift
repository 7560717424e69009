import Glibc
import Platform
public import SystemPackage

/// A recording that can be played, plain or gzipped, or a receiver's live output.
public final class ReplayInput: Sendable {
  package enum Content: Sendable {
    case bytes([UInt8])
    /// A file, opened only when its turn comes, so that thousands of files need one descriptor.
    case path(FilePath)
    /// An open file that is read from `start` on, with positioned reads, so that it can be played again.
    case file(FileDescriptor, start: Int64)
    /// A stream such as a pipe, a terminal or a serial line.
    case stream(FileDescriptor)
  }

  /// The name in messages: the path, or `standard input`.
  public let name: String
  /// The device name in locations: the file's name, or `stdin`.
  public let device: String
  package let content: Content
  /// The number of bytes of a file when it was opened; `nil` for a stream.
  public let byteCount: Int?

  package var isRecording: Bool { if case .stream = content { false } else { true } }

  private init(name: String, device: String, content: Content, byteCount: Int? = nil) {
    self.name = name
    self.device = device
    self.content = content
    self.byteCount = byteCount
  }

  /// Creates an input of bytes in memory.
  public convenience init(name: String, bytes: [UInt8]) {
    self.init(name: name, device: name, content: .bytes(bytes), byteCount: bytes.count)
  }

  deinit {
    switch content {
    case .file(let descriptor, _), .stream(let descriptor): try? descriptor.close()
    case .bytes, .path: break
    }
  }

  /// Creates an input from a recording, a device or, for `-`, standard input.
  ///
  /// A file is opened, checked and closed again. Other inputs stay open. The call does not wait for a named pipe's
  /// writer or a modem's carrier.
  ///
  /// - Throws: The reason why it cannot be played.
  public static func open(path: FilePath) throws(ReplayError) -> ReplayInput {
    let input = try opened(path: path)
    guard path != "-", case .file = input.content else { return input }
    return ReplayInput(name: input.name, device: input.device, content: .path(path), byteCount: input.byteCount)
  }

  /// Creates an input from a descriptor that is open for reading, and closes the descriptor at the end.
  ///
  /// - Throws: The reason why it cannot be played; the descriptor is then closed, too.
  public static func open(descriptor: Int32, name: String) throws(ReplayError) -> ReplayInput {
    try adopt(FileDescriptor(rawValue: descriptor), name: name, device: name)
  }

  static func opened(path: FilePath) throws(ReplayError) -> ReplayInput {
    if path == "-" {
      let copy = try attempt("standard input") { try FileDescriptor.standardInput.duplicate() }
      return try adopt(copy, name: "standard input", device: "stdin")
    }
    let name = path.string
    let options: FileDescriptor.OpenOptions = [.closeOnExec, .nonBlocking, .init(rawValue: O_NOCTTY)]
    let descriptor = try attempt(name) { try FileDescriptor.open(path, .readOnly, options: options) }
    return try adopt(descriptor, name: name, device: path.lastComponent?.string ?? name)
  }

  private static func adopt(
    _ descriptor: FileDescriptor, name: String, device: String
  ) throws(ReplayError) -> ReplayInput {
    func refuse(_ reason: ReplayError.Reason) -> ReplayError {
      try? descriptor.close()
      return ReplayError(input: name, reason: reason)
    }
    _ = fcntl(descriptor.rawValue, F_SETFD, FD_CLOEXEC)
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw refuse(.notReadable(Errno(rawValue: errno))) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw refuse(.isDirectory)
    case S_IFREG:
      let start = max(0, (try? descriptor.seek(offset: 0, from: .current)) ?? 0)
      guard status.st_size > start else { throw refuse(.empty) }
      if let tool = decompressor(descriptor, start) { throw refuse(.compressed(decompressor: tool)) }
      let count = Int(status.st_size) - Int(start)
      return ReplayInput(name: name, device: device, content: .file(descriptor, start: start), byteCount: count)
    default:
      return ReplayInput(name: name, device: device, content: .stream(descriptor))
    }
  }

  private static func attempt<T>(_ name: String, _ body: () throws -> T) throws(ReplayError) -> T {
    do {
      return try body()
    } catch {
      let number = error as? Errno ?? .ioError
      throw ReplayError(input: name, reason: number == .noSuchFileOrDirectory ? .notFound : .notReadable(number))
    }
  }

  private static let chunkSize = 128 * 1024

  /// Reads a recording, decompressed if it is gzipped, and calls `body` with each piece until that returns false.
  /// `countRead` gets the number of stored bytes that were read since its last call. Not for a stream.
  ///
  /// - Throws: `ReplayError` if it cannot be opened, `Errno`, `GzipError`, and the errors of `body`.
  package func readStored(
    countRead: (Int) -> Void = { _ in }, _ body: (UnsafeBufferPointer<UInt8>) throws -> Bool
  ) throws {
    var gunzip: Gunzip?
    var (isFirst, goesOn) = (true, true)
    func read(_ bytes: UnsafeBufferPointer<UInt8>) throws {
      countRead(bytes.count)
      if isFirst, Gunzip.isGzip(bytes) { gunzip = try Gunzip() }
      isFirst = false
      guard let gunzip else { return goesOn = try body(bytes) }
      try gunzip.decompress(bytes) { if goesOn { goesOn = try body($0) } }
    }
    switch content {
    case .bytes(let bytes): try bytes.withUnsafeBufferPointer { if !$0.isEmpty { try read($0) } }
    case .file(let descriptor, let start):
      try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.chunkSize) { buffer in
        var offset = start
        while goesOn {
          let count = pread(descriptor.rawValue, buffer.baseAddress, buffer.count, off_t(offset))
          if count < 0 && errno == EINTR { continue }
          if count < 0 { throw Errno(rawValue: errno) }
          if count == 0 { break }
          try read(UnsafeBufferPointer(rebasing: buffer[..<count]))
          offset += Int64(count)
        }
      }
    case .path(let path): return try ReplayInput.opened(path: path).readStored(countRead: countRead, body)
    case .stream: throw Errno.illegalSeek
    }
    if goesOn { try gunzip?.finish() }
  }

  /// The tool for the compression that the file's first bytes show; `nil` for a file that can be read, including a
  /// gzipped one.
  private static func decompressor(_ descriptor: FileDescriptor, _ start: Int64) -> String? {
    var head: [UInt8] = [0, 0, 0, 0]
    guard let count = try? head.withUnsafeMutableBytes({ try descriptor.read(fromAbsoluteOffset: start, into: $0) }),
      count == 4
    else { return nil }
    switch (head[0], head[1], head[2], head[3]) {
    case (0x28, 0xB5, 0x2F, 0xFD): return "zstdcat"
    case (0xFD, 0x37, 0x7A, 0x58): return "xzcat"
    case (0x42, 0x5A, 0x68, _): return "bzcat"
    default: return nil
    }
  }
}
