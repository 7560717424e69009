import FoundationEssentials
import Platform
import Synchronization

@testable import Publishing

/// A broker with quality of service 1: it keeps the sessions of subscribers and sends again what they have not
/// acknowledged.
@MainActor
final class SimulatedBroker {
  var isUp = true { didSet { if !isUp { closeAll() } } }
  var refuses = false
  /// Seconds until an acknowledgement comes.
  var delay = 0.01
  /// The share of acknowledgements that never come, or come twice.
  var (lostShare, repeatedShare) = (0.0, 0.0)
  /// Called with each message that a publisher has sent.
  var onMessage: @MainActor (OutgoingMessage) -> Void = { _ in }
  /// Called when a publisher has the acknowledgement of a message.
  var onAnswer: @MainActor (OutgoingMessage) -> Void = { _ in }
  /// Called with each message that a subscriber has acknowledged.
  var onAcknowledgement: @MainActor (_ client: String, BrokerConnection.Message) -> Void = { _, _ in }

  /// A connection, which ends when its client releases it.
  fileprivate struct Reference {
    weak var connection: SimulatedConnection?
  }

  fileprivate let world: World
  fileprivate var connections: [String: Reference] = [:]
  /// What each subscriber has not acknowledged, oldest first.
  fileprivate var queues: [String: [(number: Int, message: BrokerConnection.Message)]] = [:]
  private var lastNumber = 0

  init(_ world: World) { self.world = world }

  func connector(_ client: String, while isAlive: @escaping @MainActor @Sendable () -> Bool) -> SimulatedConnector {
    SimulatedConnector(broker: self, client: client, isAlive: isAlive)
  }

  func publish(_ payload: [UInt8], on topic: String) {
    lastNumber += 1
    let entry = (lastNumber, BrokerConnection.Message(topic: topic, payload: payload, isRetained: false))
    for client in queues.keys.sorted() {
      queues[client]?.append(entry)
      connections[client]?.connection?.arrive([entry])
    }
  }

  var undelivered: Int { queues.values.reduce(0) { $0 + $1.count } }

  /// Restarts without its store: sessions and the messages in them are gone.
  func forget() {
    closeAll()
    queues = [:]
  }

  func isConnected(_ client: String) -> Bool { connections[client]?.connection != nil }

  /// Ends the sessions of a client, as when its process ends.
  func disconnect(_ client: String) { connections.removeValue(forKey: client)?.connection?.close(.closed) }

  func closeAll() {
    for client in connections.keys.sorted() { disconnect(client) }
  }

  fileprivate func connect(_ connector: SimulatedConnector) throws(BrokerFailure) -> SimulatedConnection {
    guard isUp else { throw .unreachable("the broker is down") }
    if refuses { throw .refused("not authorized") }
    disconnect(connector.client)
    let connection = SimulatedConnection(self, connector)
    connections[connector.client] = Reference(connection: connection)
    return connection
  }

  /// Handles a published message, and acknowledges it.
  fileprivate func receive(_ message: OutgoingMessage, _ identifier: Int32, from connection: SimulatedConnection) {
    guard !connection.isClosed else { return }
    onMessage(message)
    guard message.origin != .unacknowledged, !world.isLucky(lostShare) else { return }
    let count = world.isLucky(repeatedShare) ? 2 : 1
    for _ in 0..<count {
      connection.inOrder(delay) { [self] in
        connection.answer(PublishingAnswer(identifier: identifier))
        onAnswer(message)
      }
    }
  }

  fileprivate func subscribe(_ connection: SimulatedConnection) {
    let client = connection.client
    connection.inOrder(delay) { [self] in
      connection.grant()
      connection.arrive(queues[client, default: []])
    }
  }

  fileprivate func acknowledge(_ numbers: [Int], from connection: SimulatedConnection) {
    guard !connection.isClosed else { return }
    let (client, known) = (connection.client, Set(numbers))
    for entry in queues[client, default: []] where known.contains(entry.number) {
      onAcknowledgement(client, entry.message)
    }
    queues[client]?.removeAll { known.contains($0.number) }
  }
}

/// Opens sessions of one client.
struct SimulatedConnector: SessionConnector, Sendable {
  fileprivate let broker: SimulatedBroker
  fileprivate let client: String
  fileprivate let isAlive: @MainActor @Sendable () -> Bool

  func open(
    will: (PayloadKey?) -> OutgoingMessage?
  ) throws(BrokerFailure) -> (connection: SimulatedConnection, key: PayloadKey?) {
    let result = MainActor.assumeIsolated { Result { () throws(BrokerFailure) in try broker.connect(self) } }
    return (try result.get(), nil)
  }
}

/// One session. What it sends arrives later, in order, unless the connection ends before.
final class SimulatedConnection: PublishingConnection, SubscribingConnection, Sendable {
  private struct State {
    var answers: [PublishingAnswer] = []
    var arrived: [(number: Int, message: BrokerConnection.Message)] = []
    var taken: [BrokerConnection.Message] = []
    var unflushed: [Int] = []
    var failure: BrokerFailure?
    var maySubscribe: Bool?
    var lastIdentifier: Int32 = 0
    var lastArrival = 0.0
    var hasNews = false
  }

  let client: String
  private let broker: SimulatedBroker
  private let isAlive: @MainActor @Sendable () -> Bool
  private let state = Mutex(State())

  @MainActor fileprivate init(_ broker: SimulatedBroker, _ connector: SimulatedConnector) {
    (self.broker, client, isAlive) = (broker, connector.client, connector.isAlive)
  }

  // MARK: The broker's side

  var isClosed: Bool { state.withLock { $0.failure != nil } }

  /// Runs `action` after the network's time and `seconds`, and after all earlier actions.
  @MainActor fileprivate func inOrder(_ seconds: Double, _ action: @escaping @MainActor () -> Void) {
    let world = broker.world
    let arrival = state.withLock { state in
      state.lastArrival = max(state.lastArrival, world.now + seconds + world.number(0.001..<0.05))
      return state.lastArrival
    }
    world.after(arrival - world.now) { [self] in if !isClosed, isAlive() { action() } }
  }

  @MainActor fileprivate func arrive(_ entries: [(number: Int, message: BrokerConnection.Message)]) {
    guard maySubscribe == true else { return }
    state.withLock { $0.arrived += entries }
  }

  @MainActor fileprivate func answer(_ answer: PublishingAnswer) {
    state.withLock { $0.answers.append(answer) }
  }

  @MainActor fileprivate func grant() {
    state.withLock { ($0.maySubscribe, $0.hasNews) = (true, true) }
  }

  @MainActor func close(_ failure: BrokerFailure) {
    state.withLock { $0.failure = $0.failure ?? failure }
  }

  // MARK: The client's side

  var isEstablished: Bool { true }
  var maySubscribe: Bool? { state.withLock { $0.maySubscribe } }

  var answers: [PublishingAnswer] {
    get { state.withLock { $0.answers } }
    set { state.withLock { $0.answers = newValue } }
  }

  func publish(_ message: OutgoingMessage) throws(BrokerFailure) -> Int32? {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    let identifier = state.withLock { state in
      state.lastIdentifier += 1
      return state.lastIdentifier
    }
    MainActor.assumeIsolated { inOrder(0) { self.broker.receive(message, identifier, from: self) } }
    return identifier
  }

  func wait(bell: Wakeup?, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    let hasRung = bell?.isSignalled == true && bell?.reset() == true
    return hasRung || stop.isSignalled
  }

  func subscribe(to topic: String) throws(BrokerFailure) {
    MainActor.assumeIsolated {
      if broker.queues[client] == nil { broker.queues[client] = [] }
      if maySubscribe == nil { broker.subscribe(self) }
    }
  }

  func receive(limit: Int, bell: Wakeup, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool {
    let news = state.withLock { state -> Result<Bool, BrokerFailure> in
      if let failure = state.failure { return .failure(failure) }
      let piece = state.arrived.prefix(limit)
      state.arrived.removeFirst(piece.count)
      state.taken += piece.map(\.message)
      state.unflushed += piece.map(\.number)
      defer { state.hasNews = false }
      return .success(!piece.isEmpty || state.hasNews)
    }
    let hasRung = bell.isSignalled && bell.reset()
    return try news.get() || hasRung || stop.isSignalled
  }

  func takeMessages() -> [BrokerConnection.Message] {
    state.withLock { state in
      defer { state.taken = [] }
      return state.taken
    }
  }

  func flush() throws(BrokerFailure) {
    let (numbers, failure) = state.withLock { state in
      defer { state.unflushed = [] }
      return (state.unflushed, state.failure)
    }
    if let failure { throw failure }
    if numbers.isEmpty { return }
    MainActor.assumeIsolated { inOrder(0) { self.broker.acknowledge(numbers, from: self) } }
  }

  func disconnect() { MainActor.assumeIsolated { inOrder(0) { self.close(.closed) } } }
}
