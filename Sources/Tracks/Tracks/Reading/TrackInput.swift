import Glibc
import Platform
import Synchronization
public import SystemPackage

/// The inputs that a track can be read from. The bytes may be gzipped.
public enum TrackInput: Sendable, Hashable {
  /// A file, or a pipe or device.
  case path(FilePath)
  /// Standard input.
  case standardInput
  /// Bytes in memory, with a name for messages.
  case bytes([UInt8], name: String)
  /// The pieces of one file, oldest first.
  case pieces([FilePath], name: String)

  /// The name in messages: the path, or `standard input`.
  public var name: String {
    switch self {
    case .path(let path): path.string
    case .standardInput: "standard input"
    case .bytes(_, let name), .pieces(_, let name): name
    }
  }

  var device: String {
    switch self {
    case .path(let path): path.lastComponent?.string ?? path.string
    case .standardInput: "stdin"
    case .bytes(_, let name), .pieces(_, let name): name
    }
  }
}

/// The progress of reading, and the way to end it early. Any thread may use it while another thread reads.
public final class TrackProgress: Sendable {
  private let read = Atomic(0)
  private let cancelled = Atomic(false)

  /// Creates one for one or more inputs in a row.
  public init() {}

  /// Bytes read so far as they are stored, before they are decompressed.
  public var bytesRead: Int { read.load(ordering: .relaxed) }

  /// Whether `cancel()` was called.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Ends the reading within some 100 kB. The events so far count, and the read call returns without an error.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }

  func add(_ count: Int) { read.add(count, ordering: .relaxed) }
}

/// The bytes of an input, decompressed where they are gzipped.
struct InputBytes {
  private static let chunkSize = 128 * 1024
  /// Seconds that a read from a pipe waits before it checks for cancellation.
  private static let patience = 0.2

  let input: TrackInput
  let progress: TrackProgress?

  /// Calls `body` with each piece, which is never empty, until the end or until the reading is cancelled.
  func read(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    if case .pieces(let paths, _) = input {
      for path in paths where progress?.isCancelled != true {
        try InputBytes(input: .path(path), progress: progress).read(body)
      }
      return
    }
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
    case .pieces: break
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
      if (try? Stat(descriptor))?.type == .directory { throw TrackInputError.Reason.isDirectory }
      try readAll(descriptor, body)
    }
  }

  private func readAll(_ descriptor: FileDescriptor, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
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
