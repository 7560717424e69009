import Platform

/// The reason why a session with a broker or a server could not start or has ended. The texts do not contain the
/// address or a password.
public enum BrokerFailure: Error, Sendable, Hashable {
  /// The publisher is being stopped.
  case stopped
  /// The host has no address.
  case noAddress(String)
  /// Connecting failed.
  case unreachable(String)
  /// TLS failed: the certificate or the protocol.
  case tls(String)
  /// The broker or the server refuses this user or client.
  case login(String)
  /// The peer does not speak MQTT or HTTP properly.
  case noMQTT(String)
  /// An established session has ended.
  case lost(String)
  /// Another client uses the same identifier, and each disconnects the other.
  case takenOver(String)
  /// The broker refuses a message, which stays in the queue.
  case refused(String)
  /// The server is temporarily unavailable; it may tell for how many seconds.
  case busy(String, wait: Int?)
  /// The server takes no messages at this address.
  case wrongAddress(String)
  /// A file that the session needs, such as a certificate, cannot be used.
  case file(String)
  /// A system resource is exhausted, or a setting cannot be used.
  case system(String)

  /// The failure in words.
  public var reason: String {
    switch self {
    case .stopped: "stopped"
    case .noAddress(let text), .unreachable(let text), .tls(let text), .login(let text), .noMQTT(let text),
      .lost(let text), .takenOver(let text), .refused(let text), .busy(let text, _), .wrongAddress(let text),
      .file(let text), .system(let text):
      text
    }
  }

  init(_ failure: ConnectFailure) {
    switch failure {
    case .stopped: self = .stopped
    case .system(let reason): self = .system(reason)
    case .noAddress(let reason): self = .noAddress(reason)
    case .unreachable, .refused, .denied: self = .unreachable(failure.reason)
    }
  }

  /// Whether both are of one kind. An outage is reported again only when its kind or the refused topic changes.
  func isLike(_ other: BrokerFailure) -> Bool {
    switch (self, other) {
    case (.stopped, .stopped), (.noAddress, .noAddress), (.unreachable, .unreachable), (.tls, .tls), (.login, .login),
      (.noMQTT, .noMQTT), (.lost, .lost), (.takenOver, .takenOver), (.busy, .busy), (.file, .file),
      (.system, .system):
      true
    case (.refused(let text), .refused(let other)), (.wrongAddress(let text), .wrongAddress(let other)): text == other
    default: false
    }
  }

  static let closed = BrokerFailure.lost("the broker closed the connection")
  static let breach = BrokerFailure.lost("the broker's answer breaks the protocol")
  static let closedEarly = BrokerFailure.noMQTT("the connection was closed before the broker answered")

  init(connectReason code: UInt8) {
    let reason = "the broker says: \(MQTTReason.text(code))"
    // Other codes are the broker's own problems.
    self = MQTTReason.ofClient.contains(code) ? .login(reason) : .noMQTT(reason)
  }

  init(disconnectReason code: UInt8, clientID: String) {
    let reason = "the broker ended the session: \(MQTTReason.text(code))"
    switch code {
    case ..<0x80: self = .closed
    case MQTTReason.takenOver:
      self = .takenOver(
        "another client has connected as '\(clientID)', and two clients with one identifier disconnect each other")
    case let code where MQTTReason.ofClient.contains(code): self = .login(reason)
    default: self = .lost(reason)
    }
  }
}
