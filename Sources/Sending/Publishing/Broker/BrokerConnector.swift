import Platform

package protocol SessionConnector<Connection> {
  associatedtype Connection

  /// Opens a session. `will` makes the message that the broker publishes if this client disappears, by the key of the
  /// session's messages. The key is `nil` for plain messages.
  mutating func open(
    will: (PayloadKey?) -> OutgoingMessage?
  ) throws(BrokerFailure) -> (connection: Connection, key: PayloadKey?)
}

/// A session with a broker for messages that are acknowledged later. Not thread-safe.
package protocol SubscribingConnection: PublishingConnection {
  /// Waits once for the broker, the bell, `stop` or the deadline, and reads about `limit` messages. It does not write,
  /// so it acknowledges no message: `flush` does that. Returns whether there is something to do.
  func receive(limit: Int, bell: Wakeup, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool

  /// Writes the acknowledgements of messages that were taken, subscriptions and pings.
  func flush() throws(BrokerFailure)
}

/// Opens sessions with one broker. For each session it looks up the name, reads the secrets and finds a version of MQTT
/// that both support.
package struct BrokerConnector: SessionConnector {
  private let session: SessionConfiguration
  private let stop: Wakeup
  private var connector: Connector
  private var files: SessionFiles
  private var choice = MQTTVersionChoice()

  /// `stop` interrupts waiting.
  package init(_ session: SessionConfiguration, stop: Wakeup) {
    (self.session, self.stop) = (session, stop)
    connector = Connector(to: session.address.server, within: session.connectTimeout, wakeup: stop)
    files = SessionFiles(session)
  }

  package mutating func open(
    will: (PayloadKey?) -> OutgoingMessage?
  ) throws(BrokerFailure) -> (connection: BrokerConnection, key: PayloadKey?) {
    let addresses = try addresses()
    let secrets = try secrets()
    return (try connection(at: addresses, secrets, will: will(secrets.key)), secrets.key)
  }

  package mutating func addresses() throws(BrokerFailure) -> [ResolvedAddress] {
    do throws(ConnectFailure) { return try connector.addresses() } catch { throw BrokerFailure(error) }
  }

  /// The contents of the secret files. They are read for each session, so that a new password works without a restart.
  package mutating func secrets() throws(BrokerFailure) -> SessionFiles.Secrets {
    try files.read(within: session.connectTimeout, stop: stop)
  }

  /// Returns a session that the broker has accepted, at the first of these addresses that accepts. The broker publishes
  /// `will` if this client disappears.
  package mutating func connection(
    at addresses: [ResolvedAddress], _ secrets: SessionFiles.Secrets, will: OutgoingMessage? = nil
  ) throws(BrokerFailure) -> BrokerConnection {
    let name = session.address.server.host
    var failure = BrokerFailure.noAddress("no address for '\(name)'")
    let first = choice
    for address in addresses {
      // A silent address tells nothing about the version at the next one.
      choice = first
      do throws(BrokerFailure) {
        return try connection(to: address, secrets, will)
      } catch {
        switch error {
        // Some of a host's addresses may be unreachable or lead to another program. The second case is the better
        // error.
        case .noMQTT: failure = error
        case .unreachable: if case .noMQTT = failure { break } else { failure = error }
        default: throw error
        }
      }
    }
    throw failure
  }

  /// Tries MQTT 5, then 3.1.1 if the broker does not support that.
  private mutating func connection(
    to address: ResolvedAddress, _ secrets: SessionFiles.Secrets, _ will: OutgoingMessage?
  ) throws(BrokerFailure) -> BrokerConnection {
    // A kept session works differently in MQTT 5, which has nothing else that a subscriber needs.
    let version = session.keepsSession ? .v311 : choice.version
    let newer = try connection(to: address, version, secrets, will)
    do throws(BrokerFailure) {
      try newer.begin(stop: stop)
      choice.attemptEnded(inSilence: false)
      return newer
    } catch {
      choice.attemptEnded(inSilence: error == newer.silence)
      let mayNotKnowVersion = if case .noMQTT = error { error != newer.silence } else { newer.refusesVersion }
      guard version == .v5, mayNotKnowVersion else { throw error }
    }
    let older = try connection(to: address, .v311, secrets, will)
    try older.begin(stop: stop)
    // A broker that only closed the connection may have been busy, so the newer version is tried again next time.
    if newer.refusesVersion { choice.settleOnOlder() }
    return older
  }

  private func connection(
    to address: ResolvedAddress, _ version: MQTTVersion, _ secrets: SessionFiles.Secrets, _ will: OutgoingMessage?
  ) throws(BrokerFailure) -> BrokerConnection {
    let tls = session.address.usesTLS ? try BrokerTLS(session) : nil
    let socket: Int32
    do throws(ConnectFailure) { socket = try connector.connect(to: [address]) } catch { throw BrokerFailure(error) }
    return try BrokerConnection(
      session, version, over: BrokerStream(socket, tls), password: secrets.password, will: will)
  }
}

/// The version for the next attempt: the newer one, unless the broker has reported that it does not support it.
struct MQTTVersionChoice: Sendable {
  private(set) var version = MQTTVersion.v5
  private var isSettled = false

  mutating func settleOnOlder() { (version, isSettled) = (.v311, true) }

  /// Notes the end of an attempt or a session. After silence the next attempt uses the other version, because the
  /// broker may not know this one, or may only have been busy.
  mutating func attemptEnded(inSilence: Bool) {
    guard !isSettled else { return }
    version = inSilence && version == .v5 ? .v311 : .v5
  }
}
