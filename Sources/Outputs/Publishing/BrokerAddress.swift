public import Platform

/// Where a broker is, and whether the way to it is encrypted.
public struct BrokerAddress: Sendable, Hashable, CustomStringConvertible {
  /// Where it listens.
  public var server: Endpoint
  /// Whether TLS is spoken.
  public var usesTLS: Bool

  /// Creates an address; without a port it is MQTT's own, 1883, or 8883 with TLS.
  public init(host: String, port: UInt16? = nil, usesTLS: Bool = false) {
    server = Endpoint(host: host, port: port ?? (usesTLS ? 8883 : 1883))
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
    // An IPv6 address without brackets is the likely slip.
    guard let parts = Endpoint.parts(of: rest), !parts.host.isEmpty, parts.rest == nil else { throw .noHost }
    var port: UInt16?
    if let digits = parts.port {
      port = Endpoint.port(digits)
      guard port ?? 0 > 0 else { throw .invalidPort(String(digits)) }
    }
    self.init(host: parts.host, port: port, usesTLS: scheme.usesTLS)
  }

  /// As `init(parsing:)` takes it, with the port.
  public var description: String { "\(usesTLS ? "mqtts" : "mqtt")://\(server)" }
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
