public import Output
public import Platform
import Sockets

/// The address of a region socket; as text `unix:PATH` or `tcp:HOST:PORT`.
public enum RegionSocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// A unix domain socket at a path.
  case unix(path: String)
  /// A TCP port; the host is a name, an address (IPv6 without brackets) or `*` for every address of this machine. Port 0
  /// lets the system choose.
  case tcp(Endpoint)

  /// Parses `unix:PATH` or `tcp:HOST:PORT`; an IPv6 address has brackets, as in `tcp:[::1]:2948`.
  /// - Throws: `OutputError` of code `usage` with the problem and the expected form.
  public init(parsing text: String) throws(OutputError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw Self.malformed(text, "the kind of socket is missing")
    }
    let rest = text[text.index(after: colon)...]
    switch text[..<colon] {
    case "unix": self = try Self.unix(parsing: String(rest), in: text)
    case "tcp": self = try Self.tcp(parsing: rest, in: text)
    default: throw Self.malformed(text, "\"\(text[..<colon])\" is not a kind of socket")
    }
  }

  /// The form that `init(parsing:)` reads.
  public var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let address): "tcp:\(address)"
    }
  }

  private static func unix(parsing path: String, in text: String) throws(OutputError) -> Self {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw malformed(text, "the path is missing")
    }
    guard path.utf8.count <= Listeners.longestUnixPath else {
      throw malformed(
        text, "the path has \(path.utf8.count) bytes and a unix socket's at most \(Listeners.longestUnixPath)")
    }
    guard !path.hasSuffix("/") else { throw malformed(text, "the path ends in a slash") }
    return .unix(path: path)
  }

  private static func tcp(parsing rest: Substring, in text: String) throws(OutputError) -> Self {
    guard rest.contains(":"), let address = try? Endpoint(listening: String(rest)) else {
      throw malformed(text, "the host or the port is missing, or the port is not 0 … 65535")
    }
    return .tcp(address)
  }

  private static func malformed(_ text: String, _ what: String) -> OutputError {
    OutputError(.usage, "region socket \"\(text)\": \(what); expected unix:PATH or tcp:HOST:PORT")
  }
}
