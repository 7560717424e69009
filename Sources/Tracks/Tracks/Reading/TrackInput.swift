import Replay
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
  private let input: TrackInput
  private let progress: TrackProgress?

  init(_ input: TrackInput, progress: TrackProgress?) {
    (self.input, self.progress) = (input, progress)
  }

  private var goesOn: Bool { progress?.isCancelled != true }

  /// Calls `body` with each piece, which is never empty, until the end or until the reading is cancelled.
  func read(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    switch input {
    case .bytes(let bytes, let name): try read(ReplayInput(name: name, bytes: bytes), body)
    case .standardInput: try read(.open(path: "-"), body)
    case .path(let path): try read(.open(path: path == "-" ? "./-" : path), body)
    case .pieces(let paths, _): for path in paths where goesOn { try read(.open(path: path), body) }
    }
  }

  private func read(_ input: ReplayInput, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    var isEmpty = true
    func count(_ bytes: Int) {
      isEmpty = false
      progress?.add(bytes)
    }
    try input.readStored(countRead: count, waitsOn: { goesOn }) { bytes in
      try body(bytes)
      return goesOn
    }
    if isEmpty && goesOn { throw TrackInputError.Reason.empty }
  }
}
