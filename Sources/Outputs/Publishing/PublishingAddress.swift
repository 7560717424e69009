public import Platform

/// Where messages are published to.
public enum PublishingAddress: Sendable, Hashable, CustomStringConvertible {
  /// An MQTT broker.
  case broker(BrokerAddress)
  /// An HTTP server.
  case server(ServerAddress)

  /// Reads `mqtt[s]://…` or `http[s]://…`.
  ///
  /// - Throws: `PublishingAddressError`, which says what is wrong. Its text never holds a password.
  public init(parsing text: String) throws(PublishingAddressError) {
    if text.hasPrefix("http://") || text.hasPrefix("https://") {
      do throws(ServerAddressError) {
        self = .server(try ServerAddress(parsing: text))
      } catch {
        throw .server(error)
      }
    } else {
      do throws(BrokerAddressError) {
        self = .broker(try BrokerAddress(parsing: text))
      } catch {
        throw error == .noScheme ? .noScheme : .broker(error)
      }
    }
  }

  /// The host and the port.
  public var server: Endpoint {
    switch self {
    case .broker(let address): address.server
    case .server(let address): address.server
    }
  }

  /// Whether TLS is spoken.
  public var usesTLS: Bool {
    switch self {
    case .broker(let address): address.usesTLS
    case .server(let address): address.usesTLS
    }
  }

  /// The user that is part of the address.
  public var user: String? {
    if case .server(let address) = self { address.user } else { nil }
  }

  /// What is there, for a person: a broker or a server.
  public var peer: String {
    switch self {
    case .broker: "broker"
    case .server: "server"
    }
  }

  /// The same with TLS, at the same port where the address has one.
  public var withTLS: String { "\(peer == "broker" ? "mqtts" : "https")://\(server)" }

  /// The address as messages name it.
  public var description: String {
    switch self {
    case .broker(let address): address.description
    case .server(let address): address.description
    }
  }
}

/// Why a text names nothing to publish to.
public enum PublishingAddressError: Error, Sendable, Hashable, CustomStringConvertible {
  /// It has no scheme that is known.
  case noScheme
  /// It is no broker's.
  case broker(BrokerAddressError)
  /// It is no server's.
  case server(ServerAddressError)

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .noScheme: "\(BrokerAddressError.noScheme), and an HTTP server with http:// or https://"
    case .broker(let error): error.description
    case .server(let error): error.description
    }
  }
}
