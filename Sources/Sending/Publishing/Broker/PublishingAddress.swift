public import Platform

/// The address of an MQTT broker, or of an HTTP server that accepts OwnTracks messages.
public struct PublishingAddress: Sendable, Hashable, CustomStringConvertible {
  /// The kind of peer, named as in messages.
  public enum Peer: String, Sendable {
    /// An MQTT broker.
    case broker
    /// An HTTP server.
    case server
  }

  /// The kind of peer.
  public var peer: Peer
  /// The host and port.
  public var server: Endpoint
  /// Whether to use TLS.
  public var usesTLS: Bool
  /// The user in a server's address.
  public var user: String?
  /// The path and the query of a server's address, percent-encoded.
  var target = ""
}

extension PublishingAddress {
  /// Creates the address of a broker; the default port is 1883, or 8883 with TLS.
  public static func broker(host: String, port: UInt16? = nil, usesTLS: Bool = false) -> PublishingAddress {
    PublishingAddress(
      peer: .broker, server: Endpoint(host: host, port: port ?? (usesTLS ? 8883 : 1883)), usesTLS: usesTLS)
  }

  /// Creates the address of an HTTP server; the default port is 80, or 443 with TLS.
  public static func server(
    host: String, port: UInt16? = nil, usesTLS: Bool = true, user: String? = nil, target: String = "/"
  ) -> PublishingAddress {
    PublishingAddress(
      peer: .server, server: Endpoint(host: host, port: port ?? (usesTLS ? 443 : 80)), usesTLS: usesTLS, user: user,
      target: target)
  }

  /// Parses `mqtt[s]://HOST[:PORT]` or `http[s]://[USER@]HOST[:PORT][/PATH]`. An IPv6 address is in brackets.
  /// Characters that a URL does not allow in a user's name or in the path are percent-encoded.
  ///
  /// - Throws: `AddressError` with the reason, without a password.
  public init(parsing text: String) throws(AddressError) {
    if text.hasPrefix("http://") || text.hasPrefix("https://") {
      try self.init(parsingServer: text)
    } else if text.hasPrefix("mqtt://") || text.hasPrefix("mqtts://") {
      try self.init(parsingBroker: text)
    } else {
      throw AddressError("\(Self.brokerAdvice), and an HTTP server with http:// or https://")
    }
  }

  private static let brokerAdvice = "a broker begins with mqtt:// or mqtts://, as in mqtts://broker.example.org:8883"

  /// Parses `mqtt[s]://HOST[:PORT]`.
  ///
  /// - Throws: `AddressError` with the reason, without a password.
  public init(parsingBroker text: String) throws(AddressError) {
    let usesTLS = text.hasPrefix("mqtts://")
    guard usesTLS || text.hasPrefix("mqtt://") else { throw AddressError(Self.brokerAdvice) }
    var authority = text.dropFirst(usesTLS ? 8 : 7)
    if authority.last == "/" { authority = authority.dropLast() }
    if authority.contains("@") {
      throw AddressError("a broker's address has no user and no password in it; they are settings of their own")
    }
    if authority.contains("/") {
      throw AddressError("a broker's address ends with the host and the port; the topic is a setting of its own")
    }
    let server = try Endpoint(
      authority: authority, defaultPort: usesTLS ? 8883 : 1883,
      example: "mqtts://broker.example.org:8883 or mqtt://[::1]:1883")
    self.init(peer: .broker, server: server, usesTLS: usesTLS)
  }

  private init(parsingServer text: String) throws(AddressError) {
    let usesTLS = text.hasPrefix("https://")
    let rest = text.dropFirst(usesTLS ? 8 : 7)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    var target = String(rest[authority.endIndex...])
    if target.first != "/" { target = "/" + target }
    var user: String?
    var place = authority
    if let at = authority.lastIndex(of: "@") {
      guard !authority[..<at].contains(":") else {
        throw AddressError("a server's address has no password in it; that is in a file, a setting of its own")
      }
      user = Self.userName(authority[..<at])
      guard user != nil else {
        throw AddressError(
          "the user's name in a server's address is a text without ':', percent-encoded where it needs to be")
      }
      place = authority[authority.index(after: at)...]
    }
    let server = try Endpoint(
      authority: place, defaultPort: usesTLS ? 443 : 80,
      example: "https://car@example.org/pub or http://[::1]:8083/pub")
    guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
      throw AddressError(
        "the path of a server's address is printable ASCII without '#'; percent-encode other characters")
    }
    self.init(peer: .server, server: server, usesTLS: usesTLS, user: user, target: target)
  }

  private static func userName(_ text: Substring) -> String? {
    guard let bytes = percentDecoded(text), !bytes.isEmpty,
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: ":") })
    else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The URL to request, without the user.
  var url: String { description + target }

  private var scheme: String { (peer == .broker ? "mqtt" : "http") + (usesTLS ? "s" : "") }

  /// The same address with TLS, at the same port.
  public var withTLS: String { "\(peer == .broker ? "mqtts" : "https")://\(server)" }

  /// The scheme, the host and the port, for messages. The path and the query are left out, because those of a webhook
  /// are as secret as a password.
  public var description: String { "\(scheme)://\(server)" }
}
