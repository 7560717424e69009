import Platform

/// Makes sessions with one broker: looks its name up, reads the secrets and finds a version of MQTT that both speak, anew for
/// each session.
struct BrokerConnector {
  private let session: SessionConfiguration
  private let stop: Wakeup
  private var connector: Connector
  private var files: SessionFiles
  private var choice = MQTTVersionChoice()

  /// - Parameter stop: Ends what is waited for.
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

  /// What is in the files of secrets; they are read again for each session, so that a new password counts without a restart.
  mutating func secrets() throws(BrokerFailure) -> SessionFiles.Secrets {
    try files.read(within: session.connectTimeout, stop: stop)
  }

  /// A session that the broker has accepted, at one of these addresses.
  ///
  /// - Parameter will: What the broker publishes when this client has gone without a word; `nil` for nothing.
  mutating func connection(
    at addresses: [ResolvedAddress], _ secrets: SessionFiles.Secrets, will: Announcement? = nil
  ) throws(BrokerFailure) -> BrokerConnection {
    try BrokerConnection.accepted(
      session, password: secrets.password, will: will, at: addresses, &choice, stop: stop)
  }
}
