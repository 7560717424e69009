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
  public init(parsing text: String) throws(AddressError) {
    func malformed(_ problem: String) -> AddressError {
      AddressError("region socket \"\(text)\": \(problem); expected unix:PATH or tcp:HOST:PORT")
    }
    guard let colon = text.firstIndex(of: ":") else { throw malformed("the kind of socket is missing") }
    let rest = String(text[text.index(after: colon)...])
    switch text[..<colon] {
    case "unix":
      let (length, longest) = (rest.utf8.count, Listeners.longestUnixPath)
      guard length > 0, !rest.utf8.contains(0) else { throw malformed("the path is missing") }
      guard length <= longest else { throw malformed("the path has \(length) bytes; the most is \(longest)") }
      guard !rest.hasSuffix("/") else { throw malformed("the path ends in a slash") }
      self = .unix(path: rest)
    case "tcp":
      guard rest.contains(":"), let address = try? Endpoint(listening: rest) else {
        throw malformed("the host or the port is missing, or the port is not 0 … 65535")
      }
      self = .tcp(address)
    default: throw malformed("\"\(text[..<colon])\" is not a kind of socket")
    }
  }

  /// The form that `init(parsing:)` reads.
  public var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let address): "tcp:\(address)"
    }
  }
}
