/// Where a region socket listens, as the command line writes it: `unix:PATH` or `tcp:HOST:PORT`.
public enum RegionSocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// A unix domain socket at a path.
  case unix(path: String)
  /// A TCP port; the host is a name or an address, IPv6 without brackets. Port 0 lets the system choose.
  case tcp(host: String, port: Int)

  /// Longest path that `sockaddr_un` holds, in bytes.
  static let longestPath = 107

  /// Parses `unix:PATH` or `tcp:HOST:PORT`; an IPv6 address is written in brackets, `tcp:[::1]:2948`.
  /// - Throws: `OutputError` of code `usage`, which says what is wrong and what was expected.
  public init(parsing text: String) throws(OutputError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw Self.malformed(text, "it names no kind of socket")
    }
    let rest = text[text.index(after: colon)...]
    switch text[..<colon] {
    case "unix": self = try Self.unix(parsing: String(rest), in: text)
    case "tcp": self = try Self.tcp(parsing: rest, in: text)
    default: throw Self.malformed(text, "\"\(text[..<colon])\" is no kind of socket")
    }
  }

  /// As the command line writes it.
  public var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port):
      host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    }
  }

  private static func unix(parsing path: String, in text: String) throws(OutputError) -> Self {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw malformed(text, "the path is missing")
    }
    guard path.utf8.count <= longestPath else {
      throw malformed(
        text, "the path has \(path.utf8.count) bytes and a unix socket's at most \(longestPath)")
    }
    guard !path.hasSuffix("/") else { throw malformed(text, "the path is a folder's") }
    return .unix(path: path)
  }

  private static func tcp(parsing rest: Substring, in text: String) throws(OutputError) -> Self {
    guard let (host, port) = splitHostAndPort(rest) else {
      throw malformed(text, "the host or the port is missing, or the port is not 0 … 65535")
    }
    return .tcp(host: host, port: port)
  }

  private static func malformed(_ text: String, _ what: String) -> OutputError {
    OutputError(.usage, "region socket \"\(text)\": \(what); expected unix:PATH or tcp:HOST:PORT")
  }
}

/// Splits `HOST:PORT` or `[IPV6]:PORT`; `nil` when either is missing or the port is out of range.
func splitHostAndPort(_ text: Substring) -> (host: String, port: Int)? {
  guard let colon = text.lastIndex(of: ":") else { return nil }
  var host = text[..<colon]
  let digits = text[text.index(after: colon)...]
  guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
    let port = UInt16(digits)
  else {
    return nil
  }
  if host.hasPrefix("["), host.hasSuffix("]") {
    host = host.dropFirst().dropLast()
  } else if host.contains(":") {
    return nil
  }
  guard !host.isEmpty, !host.utf8.contains(0) else { return nil }
  return (String(host), Int(port))
}
