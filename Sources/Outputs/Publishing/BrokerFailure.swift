import Platform

/// Why there is no session with a broker. The texts say what happened, without the address, and never hold a password.
public enum BrokerFailure: Error, Sendable, Hashable {
  /// The publisher is being stopped.
  case stopped
  /// The host has no address.
  case noAddress(String)
  /// Nobody answers there.
  case unreachable(String)
  /// The encryption was refused: the certificate, or what both sides speak.
  case tls(String)
  /// The broker does not let this user or client in.
  case login(String)
  /// What answers there does not speak MQTT as it should, or not at all.
  case noMQTT(String)
  /// The session was there and has ended.
  case lost(String)
  /// A file that the session needs, such as a certificate, cannot be used.
  case file(String)
  /// This process is out of something.
  case system(String)

  /// What happened, for a person.
  public var reason: String {
    switch self {
    case .stopped: "stopped"
    case .noAddress(let text), .unreachable(let text), .tls(let text), .login(let text), .noMQTT(let text),
      .lost(let text), .file(let text), .system(let text):
      text
    }
  }

  init(_ failure: LookupFailure) {
    switch failure {
    case .stopped: self = .stopped
    case .failed(let reason): self = .noAddress(reason)
    case .system(let reason): self = .system(reason)
    }
  }

  /// Whether both are of one kind: an outage is reported again only when its kind changes.
  func isLike(_ other: BrokerFailure) -> Bool {
    switch (self, other) {
    case (.stopped, .stopped), (.noAddress, .noAddress), (.unreachable, .unreachable), (.tls, .tls), (.login, .login),
      (.noMQTT, .noMQTT), (.lost, .lost), (.file, .file), (.system, .system):
      true
    default: false
    }
  }
}
