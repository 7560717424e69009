import Platform

/// A finding of a `BrokerProbe` on the way from an address to an accepted session.
public enum BrokerFinding: Sendable, Hashable {
  /// The host has that many addresses.
  case addresses(Int)
  /// The broker accepted this client, over TLS if required.
  case accepted
  /// The broker accepts messages on this topic.
  case messageAccepted(topic: String)
  /// The broker has acknowledged a message on this topic, which in MQTT 3.1.1 does not mean that it accepted it.
  case unconfirmed(topic: String)
  /// The message came back; `isRetained` when the broker has a retained message on this topic.
  case readBack(topic: String, isRetained: Bool)
  /// No message came back: this client may not read the topic, which it does not need.
  case notRead(topic: String)
  /// The broker sends messages on these topics to this client.
  case sends(topics: String)
  /// The probe stopped here.
  case failed(BrokerFailure)
}

/// Checks once whether a broker accepts a session and a message on the device's topic, or a subscription to the topics
/// of many devices, and reports its findings.
///
/// The message has OwnTracks' type status, which no map shows, and is not retained: nothing is left behind.
public struct BrokerProbe: Sendable {
  /// The step after the session is accepted.
  private enum Trial {
    case send(topic: String)
    case listen([TopicFilter])
  }

  private var session: SessionConfiguration
  private let trial: Trial

  /// Creates a probe for a collector. It takes no messages away from other clients, and leaves no session behind.
  public init(_ configuration: Collector.Configuration, patience: Double = 5) {
    self.init(configuration.session, .listen(configuration.filters), patience)
  }

  /// Creates a probe for a publisher; each step takes at most `patience` seconds.
  public init(_ configuration: PublisherConfiguration, patience: Double = 5) {
    self.init(configuration.session, .send(topic: configuration.topic), patience)
  }

  private init(_ session: SessionConfiguration, _ trial: Trial, _ patience: Double) {
    (self.session, self.trial) = (session, trial)
    self.session.keepsSession = false
    self.session.connectTimeout = patience
    // A different client identifier, because the same one would end the daemon's session.
    self.session.clientID += "-doctor"
  }

  /// Runs the probe on its own thread.
  public func run() async -> [BrokerFinding] {
    await findings(failed: BrokerFinding.failed) { findings, wakeup throws(BrokerFailure) in
      try walk(&findings, wakeup)
    }
  }

  private func walk(_ findings: inout [BrokerFinding], _ wakeup: Wakeup) throws(BrokerFailure) {
    var connector = BrokerConnector(session, stop: wakeup)
    let addresses = try connector.addresses()
    findings.append(.addresses(addresses.count))
    let connection = try connector.connection(at: addresses, try connector.secrets())
    defer { connection.disconnect() }
    findings.append(.accepted)
    switch trial {
    case .send(let topic): try exchange(on: topic, connection, wakeup, &findings)
    case .listen(let filters): try listen(to: filters, connection, wakeup, &findings)
    }
  }

  private func listen(
    to filters: [TopicFilter], _ connection: BrokerConnection, _ wakeup: Wakeup, _ findings: inout [BrokerFinding]
  ) throws(BrokerFailure) {
    let topics = filters.map(\.text).joined(separator: ", ")
    for filter in filters { try connection.subscribe(to: filter.text) }
    let deadline = monotonicSeconds() + session.connectTimeout
    while connection.maySubscribe == nil, monotonicSeconds() < deadline {
      _ = try connection.wait(bell: nil, stop: wakeup, until: deadline)
    }
    switch connection.maySubscribe {
    case true: findings.append(.sends(topics: topics))
    case false: throw .refused("the broker does not let this client read \(topics)")
    default: throw .lost("the broker has not answered whether this client may read \(topics)")
    }
  }

  private func exchange(
    on topic: String, _ connection: BrokerConnection, _ wakeup: Wakeup, _ findings: inout [BrokerFinding]
  ) throws(BrokerFailure) {
    let probe = OwnTracksMessage.status()
    var answer: PublishingAnswer?
    var isRetained = false
    var hasReturned = false
    /// Waits until `isOver` returns true or the time is over.
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
      throw .refused("the broker refuses messages on \(MQTTText.quoted(topic)): \(MessageRefusal.tooLarge.text)")
    }
    try wait(session.connectTimeout) { answer != nil }
    guard let answer else { throw .lost("the broker has not acknowledged a message on \(MQTTText.quoted(topic))") }
    if let refusal = answer.refusal {
      throw .refused("the broker refuses messages on \(MQTTText.quoted(topic)): \(refusal.text)")
    }
    if connection.maySubscribe == true { try wait(1) { hasReturned } }
    let isAccepted = connection.version == .v5 || hasReturned
    findings.append(isAccepted ? .messageAccepted(topic: topic) : .unconfirmed(topic: topic))
    findings.append(hasReturned ? .readBack(topic: topic, isRetained: isRetained) : .notRead(topic: topic))
  }
}

/// Runs the steps of a probe on their own thread. A failure becomes the last finding.
func findings<Finding: Sendable>(
  failed: @escaping @Sendable (BrokerFailure) -> Finding,
  _ steps: @escaping @Sendable (inout [Finding], Wakeup) throws(BrokerFailure) -> Void
) async -> [Finding] {
  do {
    return try await Thread.result {
      var findings: [Finding] = []
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
