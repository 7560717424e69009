/// Where a broker is, and whether the way to it is encrypted.
public struct BrokerAddress: Sendable, Hashable, CustomStringConvertible {
  /// A name or an address; an IPv6 address is without brackets here.
  public var host: String
  /// The TCP port.
  public var port: UInt16
  /// Whether TLS is spoken.
  public var usesTLS: Bool

  /// Creates an address; without a port it is MQTT's own, 1883, or 8883 with TLS.
  public init(host: String, port: UInt16? = nil, usesTLS: Bool = false) {
    self.host = host
    self.port = port ?? (usesTLS ? 8883 : 1883)
    self.usesTLS = usesTLS
  }

  /// Reads `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`; an IPv6 address is in brackets.
  ///
  /// - Throws: `BrokerAddressError`, which says what is wrong. Its text never holds a password.
  public init(parsing text: String) throws(BrokerAddressError) {
    let schemes: [(prefix: String, usesTLS: Bool)] = [("mqtt://", false), ("mqtts://", true)]
    guard let scheme = schemes.first(where: { text.hasPrefix($0.prefix) }) else { throw .noScheme }
    var rest = text.dropFirst(scheme.prefix.count)
    if rest.last == "/" { rest = rest.dropLast() }
    if rest.contains("@") { throw .hasUser }
    if rest.contains("/") { throw .hasPath }
    let host: Substring
    if rest.first == "[" {
      guard let bracket = rest.firstIndex(of: "]") else { throw .noHost }
      host = rest[rest.index(after: rest.startIndex)..<bracket]
      rest = rest[rest.index(after: bracket)...]
      guard host.contains(":"), rest.isEmpty || rest.first == ":" else { throw .noHost }
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest[host.endIndex...]
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw .noHost
    }
    guard !rest.isEmpty else {
      self.init(host: String(host), usesTLS: scheme.usesTLS)
      return
    }
    let digits = rest.dropFirst()
    // An IPv6 address without brackets is the likely slip.
    guard !digits.contains(":") else { throw .noHost }
    // Only digits: UInt16 would take a sign, too.
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
      throw .invalidPort(String(digits))
    }
    self.init(host: String(host), port: port, usesTLS: scheme.usesTLS)
  }

  /// As `init(parsing:)` takes it, with the port.
  public var description: String { (usesTLS ? "mqtts://" : "mqtt://") + hostAndPort }

  /// `HOST:PORT`.
  public var hostAndPort: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

/// Why a text names no broker.
public enum BrokerAddressError: Error, Sendable, Hashable, CustomStringConvertible {
  /// It does not begin with `mqtt://` or `mqtts://`.
  case noScheme
  /// There is no host in it.
  case noHost
  /// The port is not a number from 1 to 65535.
  case invalidPort(String)
  /// It has a user, perhaps with a password.
  case hasUser
  /// Something is behind the host and the port.
  case hasPath

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .noScheme: "a broker begins with mqtt:// or mqtts://, as in mqtts://broker.example.org:8883"
    case .noHost: "there is no host; expected one as in mqtts://broker.example.org:8883 or mqtt://[::1]:1883"
    case .invalidPort(let port): "'\(port)' is no port; expected a number from 1 to 65535"
    case .hasUser: "a broker's address has no user and no password in it; they are settings of their own"
    case .hasPath: "a broker's address ends with the host and the port; the topic is a setting of its own"
    }
  }
}
