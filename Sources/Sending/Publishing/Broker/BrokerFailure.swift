import FoundationEssentials
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

/// The state of trying a broker again, which also detects a rival: another client with the same identifier. A broker
/// disconnects one of two such clients whenever the other connects. Pure.
///
/// MQTT 5 has a reason code for that. MQTT 3.1.1 and brokers without that code, such as mosquitto 2.0.11, only close the
/// connection, again and again.
package struct BrokerRetry {
  /// The first failure of each kind in this outage is reported.
  private var retry: Retry<BrokerFailure, Date>
  private let clientID: String
  /// The longest time in seconds after which a rival comes back. It waits like this client.
  private let longestWindow: Double
  /// The number of consecutive sessions that the broker closed without a reason soon after accepting them.
  private var closures = 0
  /// The longest session in seconds that a suspected rival has ended; `nil` if the broker has named the rival, or none
  /// is suspected.
  private var suspicion: Double?

  /// Sessions up to this many seconds are short.
  private static let shortSession = 10.0
  /// This many short sessions in a row are not a coincidence.
  private static let suspiciousClosures = 3

  package init(_ session: SessionConfiguration) {
    clientID = session.clientID
    retry = Retry(minimum: session.minimumRetryDelay, maximum: session.maximumRetryDelay)
    longestWindow = 2 * session.maximumRetryDelay
  }

  package var reported: BrokerFailure? { retry.reported }

  /// Whether a rival may end a session that has lasted `seconds`. A rival's waits grow at most 2.5 times from one to the
  /// next, so a broker that was only restarted a few times is soon trusted.
  private func mayHaveRival(after seconds: Double) -> Bool {
    guard case .takenOver? = reported else { return false }
    return seconds < (suspicion.map { min(longestWindow, max(Self.shortSession, 3 * $0)) } ?? longestWindow)
  }

  /// Notes a failure. `session` is how many seconds the session lasted, `nil` without one. Returns the failure to report, if
  /// any, and the seconds to wait before the next try.
  package mutating func fail(
    _ failure: BrokerFailure, session: Double?, at now: Date = .now, random: Double = .random(in: 0..<1)
  ) -> (report: BrokerFailure?, wait: Double) {
    let failure = explained(failure, session)
    let known = reported.flatMap { $0.isLike(failure) ? $0 : nil }
    let (wait, isNews) = retry.fail(known ?? failure, at: now, random: random)
    return (isNews ? failure : nil, wait)
  }

  /// Notes that the broker has accepted messages. The outage ends and later retries start early again, unless the
  /// broker still refuses a message or another client may be about to disconnect this one.
  /// `session` is how many seconds the session has lasted. Returns whether to report the end of an outage.
  package mutating func succeed(session: Double, stillRefuses: Bool = false) -> Bool {
    if stillRefuses || mayHaveRival(after: session) { return false }
    suspicion = nil
    return retry.succeed()
  }

  private mutating func explained(_ failure: BrokerFailure, _ session: Double?) -> BrokerFailure {
    guard failure == .closed, let session else {
      // A failure before a session does not indicate a rival.
      if session != nil { closures = 0 }
      if case .takenOver = failure { suspicion = nil }
      return failure
    }
    let isKnown = mayHaveRival(after: session)
    closures = session < Self.shortSession ? closures + 1 : 0
    guard isKnown || closures >= Self.suspiciousClosures else { return failure }
    if !isKnown || suspicion != nil { suspicion = max(suspicion ?? 0, session) }
    return .takenOver(
      "the broker has closed \(Self.suspiciousClosures) connections in a row soon after it accepted them; another client "
        + "may have the identifier '\(clientID)', and two clients with one identifier disconnect each other")
  }
}
