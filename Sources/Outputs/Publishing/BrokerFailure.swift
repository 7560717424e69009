import CMosquitto
import Platform
import SystemPackage

/// Why there is no session with a broker or a server, or why it came to its end. The texts say what happened, without the address, and
/// never hold a password.
public enum BrokerFailure: Error, Sendable, Hashable {
  /// The publisher is being stopped.
  case stopped
  /// The host has no address.
  case noAddress(String)
  /// Nobody answers there.
  case unreachable(String)
  /// The encryption was refused: the certificate, or what both sides speak.
  case tls(String)
  /// The broker or the server does not let this user or client in.
  case login(String)
  /// What answers there does not speak MQTT or HTTP as it should, or not at all.
  case noMQTT(String)
  /// The session was there and has ended.
  case lost(String)
  /// Another client has this one's identifier, and each drives the other out.
  case takenOver(String)
  /// The broker does not take a message, which stays in the queue.
  case refused(String)
  /// The server takes nothing for the moment, and perhaps says for how many seconds.
  case busy(String, wait: Int?)
  /// The server takes no messages at this address.
  case wrongAddress(String)
  /// A file that the session needs, such as a certificate, cannot be used.
  case file(String)
  /// This process is out of something, or cannot use a setting.
  case system(String)

  /// What happened, for a person.
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
    case .noAddress, .unreachable, .refused, .denied: self = .noAddress(failure.reason)
    }
  }

  /// Whether both are of one kind: an outage is reported again only when its kind changes, or when another topic is refused.
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

  /// The broker has closed a session without a word.
  static let closed = BrokerFailure.lost("the broker closed the connection")
  /// The library cannot read what the broker has said in a session.
  static let breach = BrokerFailure.lost("the broker's answer breaks the protocol")
  /// The connection was closed before there was a session.
  static let closedEarly = BrokerFailure.noMQTT("the connection was closed before the broker answered")

  /// The broker's answer to a connection, unless it is a yes.
  init?(connectReason code: Int32, _ version: MQTTVersion) {
    guard code != 0 else { return nil }
    let words = version == .v5 ? mosquitto_reason_string(code) : mosquitto_connack_string(code)
    let reason = "the broker says: \(words.map { String(cString: $0) } ?? "\(code)")"
    let aboutThisClient =
      version == .v5
      ? [
        MQTT_RC_CLIENTID_NOT_VALID, MQTT_RC_BAD_USERNAME_OR_PASSWORD, MQTT_RC_NOT_AUTHORIZED, MQTT_RC_BANNED,
        MQTT_RC_BAD_AUTHENTICATION_METHOD,
      ].map { Int32($0.rawValue) }
      : [
        CONNACK_REFUSED_IDENTIFIER_REJECTED, CONNACK_REFUSED_BAD_USERNAME_PASSWORD, CONNACK_REFUSED_NOT_AUTHORIZED,
      ].map { Int32($0.rawValue) }
    // The others are the broker's own troubles.
    self = aboutThisClient.contains(code) ? .login(reason) : .noMQTT(reason)
  }

  /// What a broker says when it ends a session; `nil` when the library ends it, which says why itself.
  init?(disconnectReason code: Int32, clientID: String) {
    guard code >= 0x80 else { return nil }
    let reason = "the broker ended the session: \(String(cString: mosquitto_reason_string(code)))"
    switch mqtt5_return_codes(UInt32(code)) {
    case MQTT_RC_SESSION_TAKEN_OVER:
      self = .takenOver("another client has connected as '\(clientID)', and two of one identifier drive each other out")
    case MQTT_RC_NOT_AUTHORIZED: self = .login(reason)
    default: self = .lost(reason)
    }
  }

  /// What an error of TLS means, for which the library's code is the same whatever happened.
  private init(tls log: String?, isEstablished: Bool) {
    // OpenSSL has no words for a connection that was reset.
    let words = TLSError.words(log) ?? TLSError.withoutTLS
    let isClosed = log.map(TLSError.isUnexpectedEnd) ?? true
    self = !isEstablished ? .tls(words) : isClosed ? .closed : .lost(words)
  }

  /// What a code of the library means.
  ///
  /// - Parameters:
  ///   - systemError: `errno` right after the call.
  ///   - log: What the library said of errors.
  ///   - isEstablished: Whether there was a session.
  init(code: Int32, systemError: Int32, log: String?, isEstablished: Bool) {
    let text = String(cString: mosquitto_strerror(code))
    switch mosq_err_t(code) {
    case MOSQ_ERR_NOMEM: self = .system("no memory")
    case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: self.init(tls: log, isEstablished: isEstablished)
    case MOSQ_ERR_ERRNO where Errno(rawValue: systemError) == .protocolError:
      self.init(tls: log, isEstablished: isEstablished)
    case MOSQ_ERR_ERRNO:
      let reason = Errno(rawValue: systemError)
      if isEstablished {
        self = .lost(reason.description)
      } else if let error = TLSError.words(log) {
        self = .tls(error)
      } else if [.connectionReset, .brokenPipe, .connectionAbort].contains(reason) {
        self = .closedEarly
      } else {
        self = .unreachable(reason.description)
      }
    case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP: self = .noAddress(text)
    case MOSQ_ERR_PROTOCOL where isEstablished: self = .breach
    case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET:
      self = .noMQTT("what answers there does not speak MQTT: \(text)")
    case MOSQ_ERR_QOS_NOT_SUPPORTED:
      self = .noMQTT("the broker takes no messages that it would have to acknowledge: \(text)")
    case MOSQ_ERR_KEEPALIVE: self = .lost("the broker has fallen silent")
    case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN:
      if isEstablished { self = .closed } else { self = TLSError.words(log).map { .tls($0) } ?? .closedEarly }
    case MOSQ_ERR_AUTH, MOSQ_ERR_CONN_REFUSED, MOSQ_ERR_ACL_DENIED: self = .login(text)
    default: self = isEstablished ? .lost(text) : .unreachable(text)
    }
  }
}
