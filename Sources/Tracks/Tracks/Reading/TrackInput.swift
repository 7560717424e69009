public import SystemPackage

/// The inputs that a track can be read from. The bytes may be gzipped.
public enum TrackInput: Sendable, Hashable {
  /// A file, or a pipe or device.
  case path(FilePath)
  /// Standard input.
  case standardInput
  /// Bytes in memory, with a name for messages.
  case bytes([UInt8], name: String)

  /// The name in messages: the path, or `standard input`.
  public var name: String {
    switch self {
    case .path(let path): path.string
    case .standardInput: "standard input"
    case .bytes(_, let name): name
    }
  }

  /// The device name of its fixes.
  var device: String {
    switch self {
    case .path(let path): path.lastComponent?.string ?? path.string
    case .standardInput: "stdin"
    case .bytes(_, let name): name
    }
  }
}
