import FoundationEssentials
import Platform

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

  /// The failure that was reported last; `nil` without an outage.
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
