import Platform

/// What was said of a broker that does not take what it should, and when it is tried again. Pure: no broker, no clock.
struct Outage {
  /// The kind of failure that was reported; `nil` while all is well.
  private(set) var reported: BrokerFailure?
  private let clientID: String
  private var backoff: Backoff
  /// A rival is back after so many seconds at the latest.
  private let longestPeace: Double
  /// Sessions in a row that the broker has closed without a word, soon after it accepted them.
  private var closures = 0
  /// The seconds of the longest session that a suspected rival has ended; `nil` if the broker has named the rival, or
  /// there is none.
  private var suspicion: Double?

  /// How long a session lasts at most that was closed soon, in seconds.
  private static let soon = 10.0
  /// So many in a row are no accident.
  private static let suspicious = 3

  init(_ session: SessionConfiguration) {
    clientID = session.clientID
    backoff = Backoff(minimum: session.minimumRetryDelay, maximum: session.maximumRetryDelay)
    // A rival that waits as this client does.
    longestPeace = 2 * session.maximumRetryDelay
  }

  /// The seconds after which a session has no rival. The waits of a rival grow 2.5 times at most from one to the next, so a
  /// broker that was only restarted a few times is soon believed.
  private var peace: Double {
    suspicion.map { min(longestPeace, max(Self.soon, 3 * $0)) } ?? longestPeace
  }

  /// Takes a failure.
  ///
  /// - Parameters:
  ///   - session: How many seconds the session lasted; `nil` when there was none.
  /// - Returns: The failure by its name when it is to be reported, and how many seconds to wait before the next try.
  mutating func fail(
    _ failure: BrokerFailure, session: Double?, random: Double
  ) -> (report: BrokerFailure?, wait: Double) {
    let failure = named(failure, session)
    defer { reported = failure }
    return (reported?.isLike(failure) == true ? nil : failure, backoff.delay(random: random))
  }

  /// The broker has taken messages: one that does is well, and is asked again soon should it go. Not so one that still
  /// refuses a message, or where another client may be about to drive this one out.
  ///
  /// - Parameter session: How many seconds the session has lasted.
  /// - Returns: Whether the end of an outage is to be reported.
  mutating func progress(session: Double, stillRefuses: Bool) -> Bool {
    if stillRefuses { return false }
    if case .takenOver? = reported, session < peace { return false }
    backoff.reset()
    suspicion = nil
    defer { reported = nil }
    return reported != nil
  }

  /// MQTT 5 has a word for a client that another one drives out. Before, and with brokers that do not say it, as mosquitto
  /// 2.0.11, the connection is only closed, again and again.
  private mutating func named(_ failure: BrokerFailure, _ session: Double?) -> BrokerFailure {
    guard failure == .closed, let session else {
      // What fails before there is a session is no sign of either.
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
