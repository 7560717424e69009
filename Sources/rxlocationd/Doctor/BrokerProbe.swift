import Collecting
import Platform
import Publishing

/// Checks once whether a broker accepts a session and a message on the device's topic, or a subscription to the topics
/// of many devices.
///
/// The message has OwnTracks' type status, which no map shows, and is not retained: nothing is left behind.
struct BrokerProbe {
  private enum Trial {
    case send(topic: String)
    case listen([TopicFilter])
  }

  private var session: SessionConfiguration
  private let trial: Trial

  /// Creates a probe for a collector. It takes no messages away from other clients, and leaves no session behind.
  init(_ configuration: Collector.Configuration, patience: Double = 5) {
    self.init(configuration.session, .listen(configuration.filters), patience)
  }

  /// Creates a probe for a publisher; each step takes at most `patience` seconds.
  init(_ configuration: PublisherConfiguration, patience: Double = 5) {
    self.init(configuration.session, .send(topic: configuration.topic), patience)
  }

  private init(_ session: SessionConfiguration, _ trial: Trial, _ patience: Double) {
    (self.session, self.trial) = (session, trial)
    self.session.keepsSession = false
    self.session.connectTimeout = patience
    // A different client identifier, because the same one would end the daemon's session.
    self.session.clientID += "-doctor"
  }

  private var address: PublishingAddress { session.address }

  func run() async -> [Diagnosis] {
    await Diagnosis.found(failed: { failed($0) }) { findings, wakeup throws(BrokerFailure) in
      try walk(&findings, wakeup)
    }
  }

  private func walk(_ findings: inout [Diagnosis], _ wakeup: Wakeup) throws(BrokerFailure) {
    var connector = BrokerConnector(session, stop: wakeup)
    let addresses = try connector.addresses()
    let count = counted(addresses.count, "address", "addresses")
    findings.append(Diagnosis(step: "broker name", .ok, "'\(address.server.host)' has \(count)"))
    let connection = try connector.connection(at: addresses, try connector.secrets())
    defer { connection.disconnect() }
    findings.append(Diagnosis(step: "broker", .ok, "\(address) accepts this client"))
    switch trial {
    case .send(let topic): findings += try exchange(on: topic, connection, wakeup)
    case .listen(let filters): findings.append(try listen(to: filters, connection, wakeup))
    }
  }

  private func listen(
    to filters: [TopicFilter], _ connection: BrokerConnection, _ wakeup: Wakeup
  ) throws(BrokerFailure) -> Diagnosis {
    let topics = filters.map(\.text).joined(separator: ", ")
    for filter in filters { try connection.subscribe(to: filter.text) }
    let deadline = monotonicSeconds() + session.connectTimeout
    while connection.maySubscribe == nil, monotonicSeconds() < deadline {
      _ = try connection.wait(bell: nil, stop: wakeup, until: deadline)
      // Retained messages may come before the answer, which is not read while they wait.
      _ = connection.takeMessages()
    }
    switch connection.maySubscribe {
    case true: return Diagnosis(step: "broker topic", .ok, "\(address) sends this client the messages on \(topics)")
    case false: throw .refused("the broker does not let this client read \(topics)")
    default: throw .lost("the broker has not answered whether this client may read \(topics)")
    }
  }

  private func exchange(
    on topic: String, _ connection: BrokerConnection, _ wakeup: Wakeup
  ) throws(BrokerFailure) -> [Diagnosis] {
    let (probe, name) = (OwnTracksMessage.status(), MQTTText.quoted(topic))
    var answer: PublishingAnswer?
    var isRetained = false
    var hasReturned = false
    func wait(_ seconds: Double, until isOver: () -> Bool) throws(BrokerFailure) {
      let deadline = monotonicSeconds() + seconds
      while !isOver(), monotonicSeconds() < deadline {
        _ = try connection.wait(bell: nil, stop: wakeup, until: deadline)
        answer = connection.takeAnswers().last ?? answer
        for message in connection.takeMessages() {
          if message.isRetained { isRetained = true } else if message.payload == probe { hasReturned = true }
        }
      }
    }
    try connection.subscribe(to: topic)
    // A retained message comes before the message that is sent after it.
    try wait(session.connectTimeout) { connection.maySubscribe != nil }
    guard try connection.publish(OutgoingMessage(topic: topic, probe)) != nil else {
      throw .refused("the broker refuses messages on \(name): \(MessageRefusal.tooLarge.text)")
    }
    try wait(session.connectTimeout) { answer != nil }
    guard let answer else { throw .lost("the broker has not acknowledged a message on \(name)") }
    if let refusal = answer.refusal { throw .refused("the broker refuses messages on \(name): \(refusal.text)") }
    if connection.maySubscribe == true { try wait(1) { hasReturned } }
    return [
      !connection.isOld || hasReturned
        ? Diagnosis(step: "broker topic", .ok, "\(address) accepts messages on \(name)")
        : Diagnosis(
          step: "broker topic", .warning,
          "\(address) speaks MQTT 3.1.1, which cannot report that a message on \(name) is refused",
          hint: "look at the broker's log and its access list"),
      Diagnosis(
        step: "broker retained", .ok,
        !hasReturned
          ? "not checked: this client may not read \(name), and does not need to"
          : isRetained ? "\(address) retains a message on \(name)" : "\(address) retains no message on \(name) yet"),
    ]
  }

  /// Why the probe ended, with a hint that names the flags and the unit of the service.
  func failed(_ failure: BrokerFailure) -> Diagnosis {
    // `--subscribe` belongs to the other service.
    let (flag, unit, right) =
      switch trial {
      case .send: ("--publish", "rxlocationd.service", "write to the topic and the topics below it")
      case .listen: ("--subscribe", "rxlocationd-collect.service", "read these topics")
      }
    let (step, hint): (String, String) =
      switch failure {
      case .noAddress: ("broker name", "check the spelling, or name an address: \(flag) mqtt://192.0.2.7")
      case .unreachable where LocalHost.isLocal(address.server.host):
        ("broker connection", LocalHost.starting("mosquitto", unit: "mosquitto"))
      case .unreachable:
        (
          "broker connection",
          "start the broker, and let it listen beyond loopback; if this service's sandbox forbids the connection, see "
            + "IPAddressAllow= in \(unit)"
        )
      case .tls:
        (
          "broker TLS",
          "renew a certificate that has expired; name its authority with \(flag)-ca, and the broker by a name that it is for; "
            + "mqtt:// does not use TLS"
        )
      case .login: ("broker login", "check \(flag)-user and the password's file, and the broker's list of users")
      case .refused: ("broker topic", "let the broker's access list allow this user to \(right)")
      case .takenOver: ("broker", "give each client an identifier of its own: \(flag)-client-id")
      case .noMQTT, .lost:
        (
          "broker",
          address.usesTLS
            ? "check the port; 8883 is usual for TLS"
            : "check the port; 1883 is usual without TLS, and mqtts:// asks for TLS"
        )
      case .file: ("broker", "check the file's path and who may read it")
      case .busy, .wrongAddress: ("broker", "look at the broker's log")
      case .stopped, .system: ("broker", Diagnosis.resourceHint)
      }
    return Diagnosis(step: step, .failure, "\(address): \(failure.reason)", hint: hint)
  }
}

extension Diagnosis {
  /// Runs the steps of a probe on a thread of their own. `failed` describes the failure that ends them.
  static func found(
    failed: @escaping @Sendable (BrokerFailure) -> Diagnosis,
    _ steps: @escaping @Sendable (inout [Diagnosis], Wakeup) throws(BrokerFailure) -> Void
  ) async -> [Diagnosis] {
    do {
      return try await Thread.result {
        var findings: [Diagnosis] = []
        do {
          try steps(&findings, try Wakeup())
        } catch {
          findings.append(failed(error as? BrokerFailure ?? .system("\(error)")))
        }
        return findings
      }
    } catch {
      return [failed(.system("\(error)"))]
    }
  }
}

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
