import Platform

/// A finding of a `ServerProbe` on the way from an address to an accepted message.
public enum ServerFinding: Sendable, Hashable {
  /// The host's name, or the proxy's, has an address.
  case named
  /// There is a connection.
  case connected
  /// The server's certificate is accepted.
  case secured
  /// The server authenticated this client and accepted a message.
  case messageAccepted
  /// The server authenticated this client but refuses a message of this type.
  case messageRefused(String)
  /// The probe stopped here.
  case failed(BrokerFailure)
}

/// Checks once whether a server accepts a message, and reports its findings.
///
/// The message has OwnTracks' type status, which no map shows.
public struct ServerProbe: Sendable {
  private var configuration: PublisherConfiguration
  private let patience: Double

  /// Creates a probe; the connection and the answer may take `patience` seconds each.
  public init(_ configuration: PublisherConfiguration, patience: Double = 5) {
    self.configuration = configuration
    self.configuration.session.connectTimeout = patience
    self.patience = patience
  }

  /// Runs the probe on its own thread.
  public func run() async -> [ServerFinding] {
    await findings(failed: ServerFinding.failed) { findings, wakeup throws(BrokerFailure) in
      try walk(&findings, wakeup)
    }
  }

  private func walk(_ findings: inout [ServerFinding], _ wakeup: Wakeup) throws(BrokerFailure) {
    var files = SessionFiles(configuration.session)
    let secrets = try files.read(within: configuration.session.connectTimeout, stop: wakeup)
    let connection = try ServerConnection(configuration, password: secrets.password)
    let status = OwnTracksMessage.status()
    let payload = secrets.key?.encrypted(status) ?? status
    var last: ServerFinding
    do throws(BrokerFailure) {
      last = try exchange(payload, on: connection, wakeup)
    } catch {
      last = .failed(error)
    }
    if connection.progress >= .named { findings.append(.named) }
    // The library does not count a connection whose TLS handshake failed.
    let isRefused = if case .failed(.tls) = last { true } else { false }
    if isRefused || connection.progress >= .connected { findings.append(.connected) }
    if configuration.session.address.usesTLS && connection.progress >= .secured { findings.append(.secured) }
    findings.append(last)
  }

  private func exchange(
    _ payload: [UInt8], on connection: ServerConnection, _ wakeup: Wakeup
  ) throws(BrokerFailure) -> ServerFinding {
    _ = try connection.publish(OutgoingMessage(topic: configuration.topic, payload))
    let deadline = monotonicSeconds() + 2 * patience
    while monotonicSeconds() < deadline {
      _ = try connection.wait(bell: nil, stop: wakeup, until: deadline)
      if let answer = connection.takeAnswers().first {
        return answer.refusal.map { .messageRefused($0.text) } ?? .messageAccepted
      }
    }
    throw .lost("the server has not answered within \(secondsText(2 * patience))")
  }
}
