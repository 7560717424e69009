import Platform

/// Opens sessions with one broker. For each session it looks up the name, reads the secrets and finds a version of MQTT
/// that both support.
struct BrokerConnector {
  private let session: SessionConfiguration
  private let stop: Wakeup
  private var connector: Connector
  private var files: SessionFiles
  private var choice = MQTTVersionChoice()

  /// - Parameter stop: Interrupts waiting.
  init(_ session: SessionConfiguration, stop: Wakeup) {
    (self.session, self.stop) = (session, stop)
    connector = Connector(to: session.address.server, within: session.connectTimeout, wakeup: stop)
    files = SessionFiles(session)
  }

  /// The addresses of the broker's host.
  mutating func addresses() throws(BrokerFailure) -> [ResolvedAddress] {
    do throws(ConnectFailure) {
      return try connector.addresses()
    } catch {
      throw BrokerFailure(error)
    }
  }

  /// The contents of the secret files. They are read for each session, so that a new password works without a restart.
  mutating func secrets() throws(BrokerFailure) -> SessionFiles.Secrets {
    try files.read(within: session.connectTimeout, stop: stop)
  }

  /// Returns a session that the broker has accepted, at one of these addresses.
  ///
  /// - Parameter will: The message that the broker publishes if this client disappears; `nil` for none.
  mutating func connection(
    at addresses: [ResolvedAddress], _ secrets: SessionFiles.Secrets, will: Announcement? = nil
  ) throws(BrokerFailure) -> BrokerConnection {
    try BrokerConnection.accepted(
      session, password: secrets.password, will: will, at: addresses, &choice, stop: stop)
  }
}
