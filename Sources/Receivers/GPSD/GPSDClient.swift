import LocationKit
import Platform

/// What the reading thread hands to the main actor.
enum GPSDUpdate: Sendable, Equatable {
  /// A report of one receiver. The name is gpsd's for its device, empty when gpsd does not name it.
  case report(LocationSourceEvent, receiver: String)
  /// gpsd no longer has this receiver.
  case removed(receiver: String)
  /// A change in the source itself.
  case event(LocationSourceEvent)
  /// The system allowed or refused the connection.
  case authorization(AuthorizationStatus)
  /// A line for the log.
  case log(GPSDLogLevel, String)
}

/// A client of gpsd that keeps a connection until it is stopped. It looks up the host, connects, waits for the greeting
/// and streams. After a failure it waits and starts again. Only the reading thread uses it.
struct GPSDClient {
  private let endpoint: GPSDEndpoint
  private let configuration: GPSDConfiguration
  private let wakeup: Wakeup
  private let interests: () -> LocationSourceInterests
  private let deliver: ([GPSDUpdate]) -> Bool
  private var connector: Connector
  private var backoff: Backoff
  private var failures = 0
  private var reported: LocationError.Code?

  /// Creates a client. `interests` returns the listeners' current interests; `deliver` returns false when no listener
  /// is left.
  init(
    endpoint: GPSDEndpoint, configuration: GPSDConfiguration, wakeup: Wakeup,
    interests: @escaping () -> LocationSourceInterests = { .all }, deliver: @escaping ([GPSDUpdate]) -> Bool
  ) {
    self.endpoint = endpoint
    self.configuration = configuration
    self.wakeup = wakeup
    self.interests = interests
    self.deliver = deliver
    connector = Connector(to: endpoint.server, within: configuration.connectTimeout, wakeup: wakeup)
    backoff = Backoff(minimum: configuration.minimumRetryDelay, maximum: configuration.maximumRetryDelay)
  }

  /// Runs until `wakeup` is signalled or `deliver` returns false.
  mutating func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      do {
        try send([.event(.status(.connecting)), .log(.debug, "connecting to gpsd at \(endpoint.server)")])
        try stream(buffer)
      } catch {
        do {
          try pause(after: error)
        } catch {
          return
        }
      }
    }
  }

  private mutating func stream(_ buffer: UnsafeMutableRawBufferPointer) throws(ConnectionFailure) {
    let connection: GPSDConnection
    do throws(ConnectFailure) {
      connection = GPSDConnection(descriptor: try connector.connect())
    } catch {
      throw .connecting(error)
    }
    try send([.authorization(.authorizedAlways)])
    guard let decoder = ReportDecoder() else { throw .connecting(.system("no memory for libgps")) }
    var session = Session(endpoint: endpoint, decoder: decoder)
    var lines = LineBuffer()
    let deadline = monotonicSeconds() + configuration.greetingTimeout

    while true {
      let hadGreeted = session.hasGreeted
      let left = session.isWatching ? nil : deadline - monotonicSeconds()
      let outcome = connection.wait(seconds: left, wakeup: wakeup)
      if outcome == .signalled { throw .connecting(.stopped) }
      // The deadline holds even while bytes arrive: a peer that sends other text is not gpsd.
      if outcome == .timedOut || left ?? 1 <= 0 {
        let missing = hadGreeted ? "confirm the watch" : "greet"
        let patience = secondsText(configuration.greetingTimeout)
        throw .notGPSD("what answers there does not \(missing) as gpsd does within \(patience)")
      }
      guard let bytes = try connection.read(into: buffer) else { continue }
      var updates: [GPSDUpdate] = []
      var failure: ConnectionFailure?
      lines.append(bytes) { line in
        guard failure == nil else { return }
        do throws(ConnectionFailure) {
          try session.take(line, at: monotonicSeconds(), for: interests(), into: &updates)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      if !session.hasGreeted && lines.droppedLines > 0 { throw .notGPSD("what answers there is not gpsd") }
      if session.hasGreeted && !hadGreeted { try connection.sendWatch() }
      if session.hasReported { noteSuccess() }
      if !updates.isEmpty { try send(updates) }
    }
  }

  /// A connection that brings reports ends the outage. A connection that is confirmed and then cut does not, so that a
  /// gpsd that keeps failing is not asked four times a second.
  private mutating func noteSuccess() {
    guard failures > 0 else { return }
    backoff.reset()
    failures = 0
    reported = nil
  }

  /// Reports the failure, once for each outage, and waits until the next try.
  private mutating func pause(after failure: ConnectionFailure) throws(ConnectionFailure) {
    let error: LocationError
    var updates: [GPSDUpdate] = []
    var isUrgent = false
    switch failure {
    case .connecting(.stopped): throw failure
    case .connecting(.denied):
      error = LocationError(.denied, "may not connect to gpsd at \(endpoint.server): \(failure.reason)")
      updates.append(.authorization(.denied))
      isUrgent = true
    case .notGPSD:
      error = LocationError(.network, "no gpsd at \(endpoint.server): \(failure.reason)")
      isUrgent = true
    case .lost:
      error = LocationError(.network, "the connection to gpsd at \(endpoint.server) was lost: \(failure.reason)")
      if failures == 0 { updates.append(.log(.notice, error.message + "; reconnecting")) }
    case .connecting:
      error = LocationError(.network, "cannot reach gpsd at \(endpoint.server): \(failure.reason)")
    }
    failures += 1
    let delay = backoff.delay(random: configuration.random())
    updates.append(.event(.status(.waiting(reason: failure.reason, retryIn: delay))))
    if (isUrgent || failures > configuration.quietTries) && reported != error.code {
      reported = error.code
      updates.append(.event(.failed(error)))
      let longest = secondsText(configuration.maximumRetryDelay)
      updates.append(.log(.warning, "\(error.message); retrying every \(longest) at most"))
    } else {
      updates.append(.log(.debug, "\(error.message); next try in \(secondsText(delay))"))
    }
    try send(updates)
    if wakeup.wait(seconds: delay) == .signalled { throw .connecting(.stopped) }
  }

  private func send(_ updates: [GPSDUpdate]) throws(ConnectionFailure) {
    guard deliver(updates) else { throw .connecting(.stopped) }
  }
}
