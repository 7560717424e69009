/// A host and a TCP port, written `HOST:PORT`.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// A name or an address; an IPv6 address has no brackets here.
  public var host: String
  /// The TCP port.
  public var port: UInt16

  /// Creates an endpoint.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// `HOST:PORT`, with an IPv6 address in brackets.
  public var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  /// Splits `HOST[:PORT[:REST]]` into its parts as they are written, without the brackets of an IPv6 address.
  ///
  /// - Returns: `nil` if the text has no valid host, as in `[::1` or `two words`. An omitted host is empty.
  public static func parts(of text: Substring) -> (host: String, port: Substring?, rest: Substring?)? {
    var rest = text
    let host: Substring
    if rest.first == "[" {
      guard let bracket = rest.firstIndex(of: "]") else { return nil }
      host = rest[rest.index(after: rest.startIndex)..<bracket]
      rest = rest[rest.index(after: bracket)...]
      guard host.contains(":"), rest.isEmpty || rest.first == ":" else { return nil }
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest[host.endIndex...]
    }
    guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }) else { return nil }
    guard !rest.isEmpty else { return (String(host), nil, nil) }
    let port = rest.dropFirst().prefix { $0 != ":" }
    rest = rest[port.endIndex...]
    return (String(host), port, rest.isEmpty ? nil : rest.dropFirst())
  }

  /// The port that the digits name; `nil` for anything else, a sign included.
  public static func port(_ digits: Substring) -> UInt16? {
    digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(digits) : nil
  }
}
