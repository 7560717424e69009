import CMosquitto
import Platform
import SystemPackage

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
    case .noAddress, .unreachable, .refused, .denied: self = .noAddress(failure.reason)
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

  /// The broker closed a session without giving a reason.
  static let closed = BrokerFailure.lost("the broker closed the connection")
  /// The library cannot parse the broker's data in a session.
  static let breach = BrokerFailure.lost("the broker's answer breaks the protocol")
  /// The connection was closed before the session began.
  static let closedEarly = BrokerFailure.noMQTT("the connection was closed before the broker answered")

  /// Creates a failure from the broker's answer to CONNECT; `nil` for success.
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
    // Other codes are the broker's own problems.
    self = aboutThisClient.contains(code) ? .login(reason) : .noMQTT(reason)
  }

  /// Creates a failure from the broker's reason for ending a session; `nil` when the library ends it.
  init?(disconnectReason code: Int32, clientID: String) {
    guard code >= 0x80 else { return nil }
    let reason = "the broker ended the session: \(String(cString: mosquitto_reason_string(code)))"
    switch mqtt5_return_codes(UInt32(code)) {
    case MQTT_RC_SESSION_TAKEN_OVER:
      self = .takenOver(
        "another client has connected as '\(clientID)', and two clients with one identifier disconnect each other")
    case MQTT_RC_NOT_AUTHORIZED: self = .login(reason)
    default: self = .lost(reason)
    }
  }

  /// Creates a failure from an error of TLS, for which the library always uses the same code.
  private init(tls log: String?, isEstablished: Bool) {
    // OpenSSL has no text for a connection that was reset.
    let words = TLSError.words(log) ?? TLSError.withoutTLS
    let isClosed = log.map(TLSError.isUnexpectedEnd) ?? true
    self = !isEstablished ? .tls(words) : isClosed ? .closed : .lost(words)
  }

  /// Creates a failure from a code of libmosquitto, `errno` right after the call, and the library's last message.
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
      self = .noMQTT("the peer does not speak MQTT: \(text)")
    case MOSQ_ERR_QOS_NOT_SUPPORTED:
      self = .noMQTT("the broker does not accept messages with acknowledgement: \(text)")
    case MOSQ_ERR_KEEPALIVE: self = .lost("the broker does not answer any more")
    case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN:
      if isEstablished { self = .closed } else { self = TLSError.words(log).map { .tls($0) } ?? .closedEarly }
    case MOSQ_ERR_AUTH, MOSQ_ERR_CONN_REFUSED, MOSQ_ERR_ACL_DENIED: self = .login(text)
    default: self = isEstablished ? .lost(text) : .unreachable(text)
    }
  }
}

/// OpenSSL's errors as libmosquitto logs them.
enum TLSError {
  /// The last part of a message such as "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed".
  static func words(_ log: String?) -> String? {
    guard let log else { return nil }
    guard let last = log.split(separator: ":").last else { return log }
    let text = last.drop { $0 == " " }
    if isOfOneWithoutTLS(log) { return "\(withoutTLS): \(text)" }
    return String(text)
  }

  static let withoutTLS = "the peer does not speak TLS, or closes at once"

  /// Whether the other side closed the connection without a reason.
  static func isUnexpectedEnd(_ text: String) -> Bool { text.contains("unexpected eof") }

  /// Whether the other side appears not to use TLS.
  static func isOfOneWithoutTLS(_ text: String) -> Bool {
    [withoutTLS, "unexpected eof", "wrong version number", "packet length too long", "http request"]
      .contains { text.contains($0) }
  }
}
