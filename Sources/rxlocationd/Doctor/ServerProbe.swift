import Platform
import Publishing

/// Checks once whether an HTTP server accepts a message.
///
/// The message has OwnTracks' type status, which no map shows.
struct ServerProbe {
  private var configuration: PublisherConfiguration
  private let patience: Double

  /// Creates a probe; the connection and the answer may take `patience` seconds each.
  init(_ configuration: PublisherConfiguration, patience: Double = 5) {
    (self.configuration, self.patience) = (configuration, patience)
    self.configuration.session.connectTimeout = patience
  }

  private var address: PublishingAddress { configuration.session.address }

  /// Runs the probe on a thread of its own.
  func run() async -> [Diagnosis] {
    await Diagnosis.found(failed: { failed($0) }) { findings, wakeup throws(BrokerFailure) in
      try walk(&findings, wakeup)
    }
  }

  private func walk(_ findings: inout [Diagnosis], _ wakeup: Wakeup) throws(BrokerFailure) {
    var files = SessionFiles(configuration.session)
    let secrets = try files.read(within: configuration.session.connectTimeout, stop: wakeup)
    let connection = try ServerConnection(configuration, password: secrets.password)
    let status = OwnTracksMessage.status()
    let payload = secrets.key?.encrypted(status) ?? status
    var last: Diagnosis
    // The library does not count a connection whose TLS handshake failed.
    var isRefused = false
    do throws(BrokerFailure) {
      last = try exchange(payload, on: connection, wakeup)
    } catch {
      last = failed(error)
      if case .tls = error { isRefused = true }
    }
    func add(_ step: String, _ message: String) { findings.append(Diagnosis(step: step, .ok, message)) }
    if connection.progress >= .named {
      add("server name", "'\(address.server.host)', or the proxy to it, has an address")
    }
    if isRefused || connection.progress >= .connected { add("server connection", "\(address) accepts connections") }
    if address.usesTLS && connection.progress >= .secured {
      add("server TLS", "the certificate of \(address) is accepted")
    }
    findings.append(last)
  }

  private func exchange(
    _ payload: [UInt8], on connection: ServerConnection, _ wakeup: Wakeup
  ) throws(BrokerFailure) -> Diagnosis {
    _ = try connection.publish(OutgoingMessage(topic: configuration.topic, payload))
    let deadline = monotonicSeconds() + 2 * patience
    while monotonicSeconds() < deadline {
      _ = try connection.wait(bell: nil, stop: wakeup, until: deadline)
      guard let answer = connection.takeAnswers().first else { continue }
      guard let refusal = answer.refusal else {
        return Diagnosis(step: "server answer", .ok, "\(address) accepts this client and a message")
      }
      return Diagnosis(
        step: "server answer", .warning,
        "\(address) accepts this client and refuses a message of type status: \(refusal.text)",
        hint: "some servers do not know that type; the daemon reports it if the server refuses a location")
    }
    throw .lost("the server has not answered within \(secondsText(2 * patience))")
  }

  private func failed(_ failure: BrokerFailure) -> Diagnosis {
    let (step, hint): (String, String) =
      switch failure {
      case .noAddress:
        ("server name", "check the spelling, and the proxy in https_proxy and http_proxy if one is set")
      case .unreachable:
        (
          "server connection",
          "check the port, and firewalls between here and there; if this service's sandbox forbids it, see IPAddressAllow= "
            + "in rxlocationd.service"
        )
      case .tls:
        (
          "server TLS",
          "renew a certificate that has expired; name its authority with --publish-ca, and the server by a name that it is "
            + "for; http:// does not use TLS"
        )
      case .login: ("server login", "check the user in the address or --publish-user, and the password's file")
      case .wrongAddress: ("server answer", "check the address, its path too, with the server's manual")
      case .busy: ("server answer", "look at the server's log")
      case .noMQTT, .lost: ("server answer", "check the port, and whether it speaks TLS: https://")
      case .file: ("server", "check the file's path and who may read it")
      case .refused, .takenOver: ("server", "look at the server's log")
      case .stopped, .system: ("server", Diagnosis.resourceHint)
      }
    return Diagnosis(step: step, .failure, "\(address): \(failure.reason)", hint: hint)
  }
}
