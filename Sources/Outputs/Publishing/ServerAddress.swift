public import Platform

/// Where an HTTP server takes OwnTracks messages.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
  /// Where it listens.
  public var server: Endpoint
  /// Whether TLS is spoken.
  public var usesTLS: Bool
  /// The user that the server is to let in.
  public var user: String?
  /// The path and the query, as they are sent.
  public var target: String

  /// Creates an address; without a port it is HTTP's own, 80, or 443 with TLS.
  public init(host: String, port: UInt16? = nil, usesTLS: Bool = true, user: String? = nil, target: String = "/") {
    server = Endpoint(host: host, port: port ?? (usesTLS ? 443 : 80))
    self.usesTLS = usesTLS
    self.user = user
    self.target = target
  }

  /// Reads `http://[USER@]HOST[:PORT][/PATH]` or `https://…`; an IPv6 address is in brackets, and what a URL does not allow
  /// in a user's name or the path is percent-encoded.
  ///
  /// - Throws: `ServerAddressError`, which says what is wrong. Its text never holds a password.
  public init(parsing text: String) throws(ServerAddressError) {
    let schemes: [(prefix: String, usesTLS: Bool)] = [("http://", false), ("https://", true)]
    guard let scheme = schemes.first(where: { text.hasPrefix($0.prefix) }) else { throw .noScheme }
    let rest = text.dropFirst(scheme.prefix.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    var target = String(rest[authority.endIndex...])
    if target.first != "/" { target = "/" + target }
    var user: String?
    var place = authority
    if let at = authority.lastIndex(of: "@") {
      guard !authority[..<at].contains(":") else { throw .hasPassword }
      guard let name = Self.decoded(authority[..<at]), !name.isEmpty, !name.contains(":") else { throw .invalidUser }
      user = name
      place = authority[authority.index(after: at)...]
    }
    guard let parts = Endpoint.parts(of: place), !parts.host.isEmpty, parts.rest == nil else { throw .noHost }
    guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else { throw .invalidPath }
    var port: UInt16?
    if let digits = parts.port {
      port = Endpoint.port(digits)
      guard port ?? 0 > 0 else { throw .invalidPort(String(digits)) }
    }
    self.init(host: parts.host, port: port, usesTLS: scheme.usesTLS, user: user, target: target)
  }

  /// A text with its percent-encoded bytes; `nil` when that is no text without control characters.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, !digits.contains(UInt8(ascii: "+")),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// What is asked for, without the user.
  var url: String { description + target }

  /// The scheme, the host and the port, which messages name. Not the path and the query: those of a webhook are as secret as
  /// a password.
  public var description: String { "\(usesTLS ? "https" : "http")://\(server)" }
}

/// Why a text names no HTTP server.
public enum ServerAddressError: Error, Sendable, Hashable, CustomStringConvertible {
  /// It does not begin with `http://` or `https://`.
  case noScheme
  /// There is no host in it.
  case noHost
  /// The port is not a number from 1 to 65535.
  case invalidPort(String)
  /// There is a password in it.
  case hasPassword
  /// The user's name is empty, or no text without colons and control characters.
  case invalidUser
  /// The path or the query has a character that a URL does not allow there.
  case invalidPath

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .noScheme: "a server begins with http:// or https://, as in https://car@example.org/pub"
    case .noHost: "there is no host; expected one as in https://car@example.org/pub or http://[::1]:8083/pub"
    case .invalidPort(let port): "'\(port)' is no port; expected a number from 1 to 65535"
    case .hasPassword: "a server's address has no password in it; that is in a file, a setting of its own"
    case .invalidUser:
      "the user's name in a server's address is a text without ':', percent-encoded where it needs to be"
    case .invalidPath: "the path of a server's address is printable ASCII without '#'; percent-encode what is not"
    }
  }
}
