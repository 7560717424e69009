import Platform

/// Decides when a failure is reported and when to try again. Pure: no broker, no clock.
struct Outage {
  /// The kind of failure that was reported; `nil` without an outage.
  private(set) var reported: BrokerFailure?
  private let clientID: String
  private var backoff: Backoff
  /// The longest time in seconds after which a rival comes back.
  private let longestPeace: Double
  /// The number of consecutive sessions that the broker closed without a reason soon after accepting them.
  private var closures = 0
  /// The longest session in seconds that a suspected rival has ended; `nil` if the broker has named the rival, or none
  /// is suspected.
  private var suspicion: Double?

  /// Sessions up to this many seconds count as closed soon.
  private static let soon = 10.0
  /// This many in a row are not a coincidence.
  private static let suspicious = 3

  init(_ session: SessionConfiguration) {
    clientID = session.clientID
    backoff = Backoff(minimum: session.minimumRetryDelay, maximum: session.maximumRetryDelay)
    // A rival waits like this client.
    longestPeace = 2 * session.maximumRetryDelay
  }

  /// The seconds after which a session has no rival. A rival's waits grow at most 2.5 times from one to the next, so a
  /// broker that was only restarted a few times is soon trusted.
  private var peace: Double {
    suspicion.map { min(longestPeace, max(Self.soon, 3 * $0)) } ?? longestPeace
  }

  /// Notes a failure.
  ///
  /// - Parameters:
  ///   - session: How many seconds the session lasted; `nil` without a session.
  /// - Returns: The failure to report, if any, and the seconds to wait before the next try.
  mutating func fail(
    _ failure: BrokerFailure, session: Double?, random: Double
  ) -> (report: BrokerFailure?, wait: Double) {
    let failure = named(failure, session)
    defer { reported = failure }
    return (reported?.isLike(failure) == true ? nil : failure, backoff.delay(random: random))
  }

  /// Notes that the broker has accepted messages. The outage ends and later retries start early again, unless the
  /// broker still refuses a message or another client may be about to disconnect this one.
  ///
  /// - Parameter session: How many seconds the session has lasted.
  /// - Returns: Whether to report the end of an outage.
  mutating func progress(session: Double, stillRefuses: Bool) -> Bool {
    if stillRefuses { return false }
    if case .takenOver? = reported, session < peace { return false }
    backoff.reset()
    suspicion = nil
    defer { reported = nil }
    return reported != nil
  }

  /// MQTT 5 has a reason code for a client that another one replaces. MQTT 3.1.1 and brokers without that code, such as
  /// mosquitto 2.0.11, only close the connection, again and again.
  private mutating func named(_ failure: BrokerFailure, _ session: Double?) -> BrokerFailure {
    guard failure == .closed, let session else {
      // A failure before a session does not indicate a rival.
      if session != nil { closures = 0 }
      if case .takenOver = failure { suspicion = nil }
      return failure
    }
    var isKnown = false
    if case .takenOver? = reported { isKnown = session < peace }
    closures = session < Self.soon ? closures + 1 : 0
    guard isKnown || closures >= Self.suspicious else { return failure }
    if !isKnown || suspicion != nil { suspicion = max(suspicion ?? 0, session) }
    return .takenOver(
      "the broker has closed \(Self.suspicious) connections in a row soon after it accepted them; another client may have "
        + "the identifier '\(clientID)', and two of one drive each other out")
  }
}
