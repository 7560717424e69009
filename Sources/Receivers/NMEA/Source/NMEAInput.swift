#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An opened recording, or a receiver's live output.
public final class NMEAInput: Sendable {
  enum Content {
    /// Read at positions of its own, so that it can be played again.
    case file(Int32, start: Int)
    /// Read as it comes: a pipe, a terminal, a serial line.
    case stream(Int32)
    case bytes([UInt8])
  }

  /// What messages call it: the path, or `standard input`.
  public let name: String
  /// What its locations call their device: the file's name, or `stdin`.
  public let device: String
  let content: Content

  private init(name: String, device: String, content: Content) {
    self.name = name
    self.device = device
    self.content = content
  }

  /// Bytes in memory, for tests and for callers that have them already.
  public convenience init(name: String, bytes: [UInt8]) {
    self.init(name: name, device: name, content: .bytes(bytes))
  }

  deinit {
    switch content {
    case .file(let descriptor, _), .stream(let descriptor): close(descriptor)
    case .bytes: break
    }
  }

  /// Opens a recording, a device or, for `-`, standard input.
  ///
  /// Does not wait: neither for a named pipe's writer nor for a modem's carrier.
  public static func open(path: String) throws(NMEASourceError) -> NMEAInput {
    if path == "-" { return try adopt(dup(STDIN_FILENO), name: "standard input", device: "stdin") }
    let descriptor = openForReading(path)
    return try adopt(descriptor, name: path, device: path.split(separator: "/").last.map(String.init) ?? path)
  }

  /// Takes over a descriptor that is open for reading, and closes it in the end.
  public static func open(descriptor: Int32, name: String) throws(NMEASourceError) -> NMEAInput {
    try adopt(descriptor, name: name, device: name)
  }

  private static func adopt(_ descriptor: Int32, name: String, device: String) throws(NMEASourceError) -> NMEAInput {
    guard descriptor >= 0 else {
      let code = errno
      throw NMEASourceError(input: name, reason: code == ENOENT ? .notFound : .notReadable(words(code)))
    }
    func refuse(_ reason: NMEASourceError.Reason) -> NMEASourceError {
      close(descriptor)
      return NMEASourceError(input: name, reason: reason)
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw refuse(.notReadable(words(errno))) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw refuse(.isDirectory)
    case S_IFREG:
      let start = max(0, Int(lseek(descriptor, 0, SEEK_CUR)))
      guard Int(status.st_size) > start else { throw refuse(.empty) }
      if let tool = decompressor(descriptor, start) { throw refuse(.compressed(decompressor: tool)) }
      return NMEAInput(name: name, device: device, content: .file(descriptor, start: start))
    default:
      return NMEAInput(name: name, device: device, content: .stream(descriptor))
    }
  }

  /// Which tool undoes the compression that the file's first bytes tell of.
  private static func decompressor(_ descriptor: Int32, _ start: Int) -> String? {
    var head = [UInt8](repeating: 0, count: 4)
    guard pread(descriptor, &head, 4, off_t(start)) == 4 else { return nil }
    switch (head[0], head[1], head[2], head[3]) {
    case (0x1F, 0x8B, _, _): return "zcat"
    case (0x28, 0xB5, 0x2F, 0xFD): return "zstdcat"
    case (0xFD, 0x37, 0x7A, 0x58): return "xzcat"
    case (0x42, 0x5A, 0x68, _): return "bzcat"
    default: return nil
    }
  }

  static func words(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

private func openForReading(_ path: String) -> Int32 {
  open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
}
