import FoundationEssentials
import Journal
import Platform
import Synchronization

/// The publisher's thread: it keeps a session with the broker, sends what the queue holds and moves its cursor.
struct PublishingClient {
  private let configuration: PublisherConfiguration
  private let queue: any PublishingQueue
  private let context: Publisher.Context
  private var delivery: Delivery
  private var resolver: Resolver
  private var backoff: Backoff
  /// The kind of failure that was reported; `nil` while all is well.
  private var reported: BrokerFailure?
  private var hasConnected = false
  private var tries = 0
  /// The cursor that the queue has.
  private var committed: Int64
  private var counted = -Double.infinity

  /// Rows that are read at a time.
  private static let batch = 256

  init(
    _ configuration: PublisherConfiguration, queue: any PublishingQueue, context: Publisher.Context
  ) {
    self.configuration = configuration
    self.queue = queue
    self.context = context
    committed = queue.cursor
    delivery = Delivery(configuration.rules, cursor: committed)
    resolver = Resolver(host: configuration.address.host, port: configuration.address.port)
    backoff = Backoff(minimum: configuration.minimumRetryDelay, maximum: configuration.maximumRetryDelay)
  }

  /// Runs until it is to stop, or has delivered everything and is to end then.
  mutating func run() {
    defer {
      counted = -.infinity
      refreshStatistics()
    }
    while true {
      do throws(BrokerFailure) {
        if try isDelivered() { return }
        try session()
        return
      } catch {
        counted = -.infinity
        try? commit()
        context.shared.withLock { $0.statistics.isConnected = false }
        delivery.startOver()
        guard error != .stopped, pause(after: error) else { return }
      }
    }
  }

  /// One session, until everything is delivered and nothing more will come.
  private mutating func session() throws(BrokerFailure) {
    let connection = try connect()
    try connection.waitUntilAccepted(stop: context.stop)
    noteSession()
    var lastProgress = monotonicSeconds()
    var mayHaveMore = true
    while true {
      if context.stop.isSignalled {
        connection.disconnect()
        throw .stopped
      }
      takeOrders()
      try send(on: connection, &mayHaveMore)
      if delivery.isIdle, try isDelivered() {
        connection.disconnect()
        return
      }
      refreshStatistics()
      if try wait(on: connection) { mayHaveMore = true }
      let acknowledged = connection.takeAcknowledged()
      let now = monotonicSeconds()
      if !acknowledged.isEmpty {
        for identifier in acknowledged { delivery.acknowledge(identifier) }
        // Before more is sent: if this process is killed, what is behind the journal's cursor is sent again.
        try commit()
        noteAcknowledgements(acknowledged.count)
      }
      if !acknowledged.isEmpty || delivery.inFlightCount == 0 { lastProgress = now }
      if now - lastProgress > configuration.acknowledgementTimeout {
        throw .lost("the broker has acknowledged nothing for \(secondsText(configuration.acknowledgementTimeout))")
      }
    }
  }

  private mutating func connect() throws(BrokerFailure) -> BrokerConnection {
    let addresses: [ResolvedAddress]
    do throws(LookupFailure) {
      addresses = try resolver.addresses(within: configuration.connectTimeout, wakeup: context.stop)
    } catch {
      throw BrokerFailure(error)
    }
    let connection = try BrokerConnection(configuration, will: OwnTracksMessage.will(time: Self.time))
    // A host may have addresses that lead nowhere from here, so each try takes the next one.
    try connection.connect(to: addresses.isEmpty ? nil : addresses[tries % addresses.count])
    tries += 1
    return connection
  }

  /// Sends all that may go now.
  private mutating func send(
    on connection: BrokerConnection, _ mayHaveMore: inout Bool
  ) throws(BrokerFailure) {
    var sent = 0
    while true {
      if let sequence = delivery.wantsRowsAfter, mayHaveMore {
        do throws(JournalError) {
          let newest = try queue.newestSequence()
          let inside = try queue.fencesInside(after: sequence)
          delivery.take(try queue.entries(after: sequence, limit: Self.batch), newest: newest, inside: inside)
        } catch {
          throw .system(error.message)
        }
        mayHaveMore = delivery.hasMore
      }
      guard let message = delivery.next(at: monotonicSeconds(), time: Self.time) else {
        // Rows that are left out may be all that was read.
        if mayHaveMore && delivery.wantsRowsAfter != nil && delivery.hasRoom { continue }
        break
      }
      let identifier = try connection.publish(message.payload, on: message.topic, isRetained: message.isRetained)
      delivery.sent(message, as: identifier)
      sent += 1
    }
    if sent > 0 { context.shared.withLock { $0.statistics.sent += sent } }
  }

  /// Lets the queue know how far everything is acknowledged, or left out.
  private mutating func commit() throws(BrokerFailure) {
    let cursor = delivery.cursor
    guard cursor > committed else { return }
    do throws(JournalError) {
      try queue.advance(to: cursor)
    } catch {
      throw .system(error.message)
    }
    committed = cursor
  }

  /// Waits for the broker, for new rows or for a time; true when the bell rang.
  private func wait(on connection: BrokerConnection) throws(BrokerFailure) -> Bool {
    let now = monotonicSeconds()
    // The library looks after its keep-alive in between.
    let tick = now + max(0.1, min(5, Double(configuration.keepAlive) / 4))
    return try connection.wait(
      bell: context.bell, stop: context.stop, until: min(tick, delivery.deadline ?? .infinity))
  }

  private mutating func takeOrders() {
    let (fences, isDraining) = context.shared.withLock { shared in
      defer { shared.fences = nil }
      return (shared.fences, shared.isDraining)
    }
    if let fences { delivery.setFences(fences, time: Self.time) }
    delivery.isDraining = isDraining
  }

  /// Whether nothing waits and nothing more will come.
  private mutating func isDelivered() throws(BrokerFailure) -> Bool {
    guard context.shared.withLock({ $0.isDraining }) else { return false }
    do throws(JournalError) {
      guard try queue.newestSequence() <= delivery.cursor else { return false }
    } catch {
      throw .system(error.message)
    }
    try commit()
    return true
  }

  private mutating func noteSession() {
    context.shared.withLock { shared in
      shared.statistics.isConnected = true
      if hasConnected { shared.statistics.reconnections += 1 }
    }
    if !hasConnected && reported == nil { reportSuccess() }
    hasConnected = true
  }

  private func reportSuccess() {
    context.onNotice(Publisher.Notice(severity: .notice, message: "publishing to \(configuration.address)"))
  }

  /// A broker that acknowledges is well. One that accepts and closes at once, again and again, is not asked twice a
  /// second for ever, and not reported each time.
  private mutating func noteAcknowledgements(_ count: Int) {
    backoff.reset()
    if reported != nil { reportSuccess() }
    reported = nil
    context.shared.withLock { shared in
      shared.statistics.acknowledged += count
      shared.statistics.lastAcknowledgement = Date.now
    }
  }

  /// Counts what waits, once a second at most: it is asked of the journal, which needs to know the cursor for it.
  private mutating func refreshStatistics() {
    let now = monotonicSeconds()
    guard now - counted >= 1 else { return }
    counted = now
    try? commit()
    do throws(JournalError) {
      let waiting = try queue.waiting()
      context.shared.withLock { shared in
        shared.statistics.waiting = waiting.count
        shared.statistics.oldestWaiting = waiting.oldest
      }
    } catch {
      // The next read of the journal reports it.
    }
  }

  /// Reports what went wrong, once for each kind of outage, and waits until the next try; false when it is to stop.
  private mutating func pause(after failure: BrokerFailure) -> Bool {
    if reported?.isLike(failure) != true {
      reported = failure
      context.onNotice(
        Publisher.Notice(
          severity: .warning,
          message: "cannot publish to \(configuration.address): \(failure.reason); trying on, at most "
            + "\(secondsText(configuration.maximumRetryDelay)) apart"))
    }
    let deadline = monotonicSeconds() + backoff.delay(random: Double.random(in: 0..<1))
    while true {
      takeOrders()
      refreshStatistics()
      if (try? isDelivered()) == true { return true }
      let left = deadline - monotonicSeconds()
      guard left > 0 else { return true }
      switch context.stop.wait(for: context.bell.descriptor, seconds: min(left, 1)) {
      case .signalled: return false
      case .ready: _ = context.bell.quieten()
      case .timedOut: break
      }
    }
  }

  private static var time: Int { Int(Date.now.timeIntervalSince1970) }
}
