import LocationKit
import Platform

/// What the reading thread hands to the main actor.
enum GPSDUpdate: Sendable, Equatable {
  /// A report of one receiver. The name is gpsd's for its device, empty when gpsd does not name it.
  case report(LocationSourceEvent, receiver: String)
  case removed(receiver: String)
  case event(LocationSourceEvent)
  case authorization(AuthorizationStatus)
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
  private var retry: Retry<LocationError.Code, Double>

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
    retry = Retry(minimum: configuration.minimumRetryDelay, maximum: configuration.maximumRetryDelay)
  }

  /// Runs until `wakeup` is signalled or `deliver` returns false.
  mutating func run() {
    while true {
      do {
        do throws(ConnectionFailure) {
          try send([.event(.status(.connecting)), .log(.debug, "connecting to gpsd at \(endpoint.server)")])
          try stream()
        } catch {
          try pause(after: error)
        }
      } catch {
        return
      }
    }
  }

  private mutating func stream() throws(ConnectionFailure) {
    guard let decoder = ReportDecoder() else { throw .connecting(.system("no memory for libgps")) }
    let descriptor: Int32
    do throws(ConnectFailure) { descriptor = try connector.connect() } catch { throw .connecting(error) }
    let connection = GPSDConnection(
      descriptor: descriptor, decoder: decoder, patience: configuration.greetingTimeout, wakeup: wakeup)
    try send([.authorization(.authorizedAlways)])
    var session = Session(endpoint: endpoint)
    while true {
      var updates: [GPSDUpdate] = []
      try connection.receive(for: interests) { session.receive($0, at: monotonicSeconds(), into: &updates) }
      // A connection that brings reports ends the outage. A connection that is confirmed and then cut does not, so that
      // a gpsd that keeps failing is not asked four times a second.
      if session.hasReported { retry.succeed() }
      if !updates.isEmpty { try send(updates) }
    }
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
    case .notGPSD, .silent:
      error = LocationError(.network, "no gpsd at \(endpoint.server): \(failure.reason)")
      isUrgent = true
    case .lost:
      error = LocationError(.network, "the connection to gpsd at \(endpoint.server) was lost: \(failure.reason)")
      if !retry.isFailing { updates.append(.log(.notice, error.message + "; reconnecting")) }
    case .connecting:
      error = LocationError(.network, "cannot reach gpsd at \(endpoint.server): \(failure.reason)")
    }
    let (delay, isNews) = retry.fail(
      error.code, at: monotonicSeconds(), random: configuration.random(),
      isSerious: isUrgent || retry.failures >= configuration.quietTries)
    updates.append(.event(.status(.waiting(reason: failure.reason, retryIn: delay))))
    if isNews {
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
