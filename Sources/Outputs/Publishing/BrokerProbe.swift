import Platform
import SystemPackage

/// One thing that a `BrokerProbe` found between here and a broker that lets this client in.
public enum BrokerFinding: Sendable, Hashable {
  /// The host has that many addresses.
  case addresses(Int)
  /// The broker let this client in, over TLS where that is wanted.
  case accepted
  /// The broker takes messages on this topic.
  case taken(topic: String)
  /// The broker has acknowledged a message on this topic, which says nothing in MQTT 3.1.1.
  case unconfirmed(topic: String)
  /// What is on this topic came back; `isRetained` when the broker keeps a message there.
  case readBack(topic: String, isRetained: Bool)
  /// Nothing came back; this client may not read the topic, which it need not.
  case notRead(topic: String)
  /// The broker sends this client what comes on these topics.
  case sends(topics: String)
  /// It goes no further than here.
  case failed(BrokerFailure)
}

/// Walks once from a broker's address to a session and to a message on the device's topic, or to the topics of many devices, and
/// says what it finds.
///
/// The message is of OwnTracks' type status, which no map shows, and the broker is not to keep it: nothing stays behind.
public struct BrokerProbe: Sendable {
  /// What is tried once this client is let in.
  private enum Trial {
    /// To send a message on a topic.
    case send(topic: String)
    /// To listen, and send nothing.
    case listen([TopicFilter])
  }

  private var session: SessionConfiguration
  private let trial: Trial

  /// Creates a probe of what a collector needs. It takes no message away from others, and leaves no session behind.
  public init(_ configuration: Collector.Configuration, patience: Double = 5) {
    self.init(configuration.session, .listen(configuration.filters), patience)
  }

  /// Creates a probe of what a publisher needs; no step takes longer than `patience` seconds.
  public init(_ configuration: PublisherConfiguration, patience: Double = 5) {
    self.init(configuration.session, .send(topic: configuration.topic), patience)
  }

  private init(_ session: SessionConfiguration, _ trial: Trial, _ patience: Double) {
    (self.session, self.trial) = (session, trial)
    self.session.keepsSession = false
    self.session.connectTimeout = patience
    // The daemon has a session of its own name; this one must not end it.
    self.session.clientID += "-doctor"
  }

  /// Runs the probe on a thread of its own.
  public func run() async -> [BrokerFinding] {
    do {
      return try await Thread.result { findings() }
    } catch {
      return [.failed(.system("\(error)"))]
    }
  }

  private func findings() -> [BrokerFinding] {
    var findings: [BrokerFinding] = []
    do throws(BrokerFailure) {
      try walk(&findings)
    } catch {
      findings.append(.failed(error))
    }
    return findings
  }

  private func walk(_ findings: inout [BrokerFinding]) throws(BrokerFailure) {
    let wakeup: Wakeup
    do throws(Errno) { wakeup = try Wakeup() } catch { throw .system("\(error)") }
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

  /// How long a message that the broker has taken may be on its way back, in seconds.
  private static let wayBack = 1.0

  private func exchange(
    on topic: String, _ connection: BrokerConnection, _ wakeup: Wakeup, _ findings: inout [BrokerFinding]
  ) throws(BrokerFailure) {
    let probe = OwnTracksMessage.status()
    var answer: PublishingAnswer?
    var isRetained = false
    var hasReturned = false
    /// Waits until that is so, or the time is over.
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
    // What the broker keeps comes before the message that is sent behind it.
    try wait(session.connectTimeout) { connection.maySubscribe != nil }
    guard try connection.publish(probe, on: topic, isRetained: false) != nil else {
      throw .refused("the broker takes no message on \(MQTTText.quoted(topic)): \(MessageRefusal.tooLarge.text)")
    }
    try wait(session.connectTimeout) { answer != nil }
    guard let answer else { throw .lost("the broker has not acknowledged a message on \(MQTTText.quoted(topic))") }
    if let refusal = answer.refusal {
      throw .refused("the broker refuses messages on \(MQTTText.quoted(topic)): \(refusal.text)")
    }
    if connection.maySubscribe == true { try wait(Self.wayBack) { hasReturned } }
    findings.append(connection.version == .v5 || hasReturned ? .taken(topic: topic) : .unconfirmed(topic: topic))
    findings.append(hasReturned ? .readBack(topic: topic, isRetained: isRetained) : .notRead(topic: topic))
  }
}
