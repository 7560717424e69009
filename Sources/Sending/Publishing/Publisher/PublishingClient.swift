import FoundationEssentials
import Journal
import LocationKit
import Writing
import Platform
import Synchronization

/// The publisher's thread: it keeps a session with the broker or the server, sends the queue's records and moves its
/// cursor.
struct PublishingClient<Connector: SessionConnector>: LoopBody where Connector.Connection: PublishingConnection {
  private struct Session {
    let connection: Connector.Connection
    var lastProgress: Double
    /// When the other side accepted it, on the monotonic clock.
    var began: Double?
    /// Why the connection has ended. Answers that came before count, too.
    var end: BrokerFailure?
  }

  private let configuration: PublisherConfiguration
  private let queue: any JournalQueue
  private let worker: Worker<Publisher.Shared>
  private let host: Host
  private let onFences: @Sendable ([FenceChange]) -> Void
  private let onNotice: OutputNotice.Handler
  private var delivery: Delivery
  private var key: PayloadKey?
  private var connector: Connector
  private var session: Session?
  /// Whether the queue may have rows that were not read.
  private var mayHaveMore = true
  private var retry: BrokerRetry
  /// The end of the wait after a failure, on the host's clock.
  private var pauseEnd = -Double.infinity
  private var hasConnected = false
  private var warned: Set<String> = []
  private var committed: Int64
  private var counted = -Double.infinity

  init(
    _ configuration: PublisherConfiguration, queue: any JournalQueue, worker: Worker<Publisher.Shared>,
    connector: Connector, host: Host, onFences: @escaping @Sendable ([FenceChange]) -> Void,
    onNotice: @escaping OutputNotice.Handler
  ) {
    self.configuration = configuration
    self.queue = queue
    (self.worker, self.connector, self.host) = (worker, connector, host)
    (self.onFences, self.onNotice) = (onFences, onNotice)
    committed = queue.cursor
    delivery = Delivery(configuration, cursor: committed)
    retry = BrokerRetry(configuration.session)
  }

  /// Acts until it has to wait. It ends when it is stopped, or has delivered everything while draining.
  mutating func step() -> LoopState {
    do {
      let next: Double?
      if let session {
        next = try continueSession(session)
      } else {
        if pauseEnd > -.infinity {
          if worker.stopping.isSignalled { return end() }
          try? applyRequests()
          refreshStatistics()
          let now = host.seconds()
          if now < pauseEnd, (try? isDelivered()) != true { return .waiting(until: min(pauseEnd, now + 1)) }
        }
        next = try isDelivered() ? nil : startSession()
      }
      return next.map { .waiting(until: $0) } ?? end()
    } catch {
      counted = -.infinity
      try? commit()
      worker.withState { $0.statistics.isConnected = false }
      delivery.startOver(isCareful: session?.began != nil)
      let failure = error as? BrokerFailure ?? .system((error as? JournalError)?.message ?? "\(error)")
      if failure == .stopped { return end() }
      pauseEnd = host.seconds() + reportFailure(failure)
      session = nil
      return .ready
    }
  }

  mutating func wait(until deadline: Double) -> Bool {
    guard let session else { return worker.wait(until: deadline, on: host) }
    do throws(BrokerFailure) {
      let isWoken = try session.connection.wait(bell: worker.bell, stop: worker.stopping, until: deadline)
      if !isWoken { return !session.connection.answers.isEmpty }
      mayHaveMore = true
    } catch {
      self.session?.end = error
    }
    return true
  }

  private mutating func end() -> LoopState {
    counted = -.infinity
    refreshStatistics()
    return .ended
  }

  private mutating func startSession() throws -> Double? {
    let isServer = configuration.session.address.peer == .server
    guard isServer || !configuration.topic.isEmpty && MQTTText.isValid(configuration.topic) else {
      throw BrokerFailure.system("MQTT does not allow the topic \(MQTTText.quoted(configuration.topic))")
    }
    let connection: Connector.Connection
    (connection, key) = try connector.open { [configuration, time] in
      configuration.will(time: time, encryptedWith: $0)
    }
    (session, mayHaveMore) = (Session(connection: connection, lastProgress: host.seconds()), true)
    if connection.isEstablished { noteSession() }
    if configuration.takesCommands { try connection.subscribe(to: commandTopic) }
    return try prepareWait(connection)
  }

  /// Handles what came during the wait, and sends what may go now. Returns the time of the next step; `nil` when
  /// everything is delivered and no more will come.
  private mutating func continueSession(_ session: Session) throws -> Double? {
    let connection = session.connection
    executeCommands(from: connection)
    let answers = connection.takeAnswers()
    let now = host.seconds()
    if !answers.isEmpty {
      let failure = answers.compactMap { handle($0) }.first
      // Commit before sending more, to limit repeated messages: if this process is killed, rows after the cursor are
      // sent again.
      try commit()
      if session.began == nil && connection.isEstablished { noteSession() }
      noteAcknowledgements(answers.count { $0.refusal == nil })
      if let failure {
        connection.disconnect()
        throw failure
      }
    }
    if let end = session.end { throw end }
    if !answers.isEmpty || delivery.inFlight.isEmpty {
      self.session?.lastProgress = now
    } else if now - session.lastProgress > configuration.acknowledgementTimeout {
      let time = secondsText(configuration.acknowledgementTimeout)
      throw BrokerFailure.lost("the \(configuration.session.address.peer) has acknowledged nothing for \(time)")
    }
    return try prepareWait(connection)
  }

  private mutating func prepareWait(_ connection: Connector.Connection) throws -> Double? {
    if worker.stopping.isSignalled {
      close(connection)
      throw BrokerFailure.stopped
    }
    try applyRequests()
    try send(on: connection)
    if delivery.isIdle, try isDelivered() {
      close(connection)
      return nil
    }
    refreshStatistics()
    // The library handles its keep-alive in between.
    let tick = host.seconds() + max(0.1, min(5, Double(configuration.session.keepAlive) / 4))
    return min(tick, delivery.deadline ?? .infinity)
  }

  private var commandTopic: String { configuration.topic + "/cmd" }

  /// Executes new commands, but not retained ones, which may be out of date.
  private mutating func executeCommands(from connection: any PublishingConnection) {
    guard configuration.takesCommands else { return }
    let topic = MQTTText.quoted(commandTopic)
    if connection.maySubscribe == false {
      warn(once: "\(configuration.session.address) does not let this client read \(topic); commands are not executed")
    }
    for message in connection.takeMessages() where !message.isRetained && message.topic == commandTopic {
      switch Command(message.payload, key: key) {
      case .setWaypoints(let changes): onFences(changes)
      case let command?: delivery.answer(command, time: time)
      case nil where message.payload.count > Command.limit:
        warn(once: "a message on \(topic) has more than \(Command.limit) bytes, and is ignored")
      case nil: warn(once: "a message on \(topic) is not a known command, and is ignored")
      }
    }
  }

  private mutating func warn(once text: String) {
    if warned.insert(text).inserted { onNotice(OutputNotice(.warning, text)) }
  }

  private mutating func handle(_ answer: PublishingAnswer) -> BrokerFailure? {
    guard let refusal = answer.refusal, let message = delivery.inFlight[answer.identifier] else {
      delivery.acknowledge(answer.identifier)
      return nil
    }
    if message.isSkipped(for: refusal) {
      delivery.acknowledge(answer.identifier, isRefused: true)
      reportSkipped(message, refusal)
      return nil
    }
    worker.withState { $0.statistics.refused += 1 }
    delivery.refuse(answer.identifier)
    return .refused("the broker refuses messages on \(MQTTText.quoted(message.topic)): \(refusal.text)")
  }

  private mutating func send(on connection: any PublishingConnection) throws {
    var sent = 0
    while true {
      if let sequence = delivery.wantsRowsAfter, mayHaveMore {
        let newest = try queue.newestSequence()
        let states = try queue.fenceStates(after: sequence)
        delivery.receive(try queue.entries(after: sequence, limit: Delivery.batch), newest: newest, states: states)
        mayHaveMore = !delivery.reachesEnd
      }
      guard let message = delivery.next(at: host.seconds(), time: time) else {
        // All of the rows read may have been skipped.
        if mayHaveMore && delivery.wantsRowsAfter != nil && delivery.hasRoom { continue }
        break
      }
      if let identifier = try connection.publish(message.encrypted(with: key)) {
        delivery.sent(message, as: identifier)
        sent += 1
      } else {
        delivery.skip(message)
        reportSkipped(message, .tooLarge)
      }
    }
    worker.withState { shared in
      shared.statistics.sent += sent
      shared.statistics.account = delivery.account
    }
    if delivery.account.drops[.untimed] != nil {
      warn(once: "a location without a time is not published; further ones are only counted")
    }
  }

  private mutating func commit() throws {
    guard delivery.cursor > committed else { return }
    try queue.advance(to: delivery.cursor)
    committed = delivery.cursor
  }

  private mutating func applyRequests() throws {
    let (fences, isDraining) = worker.withState { ($0.fences, $0.isDraining) }
    delivery.isDraining = isDraining
    guard let fences else { return }
    let (known, earlier) = try waypoints(fences)
    delivery.setFences(known, earlier: earlier)
    // Another thread may have set other fences meanwhile.
    worker.withState { if $0.fences == fences { $0.fences = nil } }
  }

  /// The fences that the other side may know, with the times that identify them in the journal, or else by their names.
  /// `earlier` are the names of fences of earlier runs. The name of a hidden fence is not among them, because the other side
  /// may not be the one that knew it.
  private func waypoints(_ fences: [CircularRegion]) throws -> (known: [Waypoint], earlier: [String]) {
    let known = fences.filter(configuration.privacy.tells)
    var times = try queue.waypointTimes(of: known.map(\.identifier), now: time)
    let waypoints = known.map { fence in
      Waypoint(region: fence, time: times.removeValue(forKey: fence.identifier) ?? Waypoint.time(of: fence.identifier))
    }
    for fence in fences { times[fence.identifier] = nil }
    return (waypoints, times.keys.sorted())
  }

  private mutating func isDelivered() throws -> Bool {
    guard worker.withState({ $0.isDraining }), try queue.newestSequence() <= delivery.cursor else { return false }
    try commit()
    return true
  }

  private mutating func noteSession() {
    let now = host.seconds()
    session?.began = now
    worker.withState { shared in
      shared.statistics.isConnected = true
      if hasConnected { shared.statistics.reconnections += 1 }
    }
    if !hasConnected && retry.reported == nil { reportSuccess() }
    hasConnected = true
    delivery.startSession()
  }

  /// Disconnects. The broker then does not publish the will, so its message is sent here, without waiting for an
  /// answer.
  private func close(_ connection: any PublishingConnection) {
    if var message = configuration.homeAssistant?.availability(false) {
      message.origin = .unacknowledged
      _ = try? connection.publish(message)
    }
    connection.disconnect()
  }

  private func reportSuccess() {
    let isOld = session?.connection.isOld == true
    let caution = isOld ? " over MQTT 3.1.1, in which a broker cannot say that it refuses a message" : ""
    onNotice(OutputNotice(.notice, "publishing to \(configuration.session.address)\(caution)"))
  }

  /// Acknowledgements end an outage. A broker that accepts and closes at once, again and again, is not retried twice a
  /// second for ever, and not reported each time.
  private mutating func noteAcknowledgements(_ count: Int) {
    guard count > 0 else { return }
    let seconds = session?.began.map { host.seconds() - $0 } ?? 0
    if retry.succeed(session: seconds, stillRefuses: delivery.isRefused) { reportSuccess() }
    worker.withState { shared in
      shared.statistics.acknowledged += count
      shared.statistics.account = delivery.account
      shared.statistics.lastAcknowledgement = host.date()
    }
  }

  /// Counts a message that the other side will never accept, and reports it once for each topic and reason.
  private mutating func reportSkipped(_ message: OutgoingMessage, _ refusal: MessageRefusal) {
    worker.withState { $0.statistics.refused += 1 }
    let address = configuration.session.address
    warn(once: "\(address) refuses a message on \(MQTTText.quoted(message.topic)), which is skipped: \(refusal.text)")
  }

  /// Counts the waiting rows, at most once a second, because that requires a commit of the cursor and a query of the
  /// journal.
  private mutating func refreshStatistics() {
    let now = host.seconds()
    guard now - counted >= 1 else { return }
    counted = now
    try? commit()
    // The next read of the journal reports a failure.
    guard let waiting = try? queue.waiting() else { return }
    delivery.note(newest: max(committed, waiting.gone) + Int64(waiting.count), gone: waiting.gone)
    try? commit()
    worker.withState { shared in
      shared.statistics.account = delivery.account
      shared.statistics.oldestWaiting = waiting.oldest
    }
  }

  /// Reports a failure, once for each kind of outage. Returns the seconds to wait until the next try.
  private mutating func reportFailure(_ failure: BrokerFailure) -> Double {
    let seconds = session?.began.map { host.seconds() - $0 }
    let (report, pause) = retry.fail(failure, session: seconds, at: host.date(), random: host.random())
    if let report {
      let limit = secondsText(configuration.session.maximumRetryDelay)
      let text = "cannot publish to \(configuration.session.address): \(report.reason); retrying every \(limit) at most"
      onNotice(OutputNotice(.warning, text))
    }
    if case .busy(_, let seconds?) = failure { return max(pause, Double(seconds)) }
    return pause
  }

  private var time: Int { Int(host.date().timeIntervalSince1970) }
}
