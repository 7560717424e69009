import LocationKit
import Platform

/// A client of gpsd that keeps a connection until it is stopped. Only the reading thread uses it.
struct GPSDClient: LoopBody {
  final class Stream {
    let connection: GPSDConnection
    var hasReported = false
    var outcome = Wakeup.Outcome.timedOut
    /// Reports for the main actor. Those that cannot make an event wait for the next one that can, because each delivery
    /// wakes the main actor. Until gpsd confirms the watch all wait, because a busy main actor would use up gpsd's time.
    var waiting: [GPSDReport] = []

    init(_ connection: GPSDConnection) { self.connection = connection }
  }

  private static let mostWaiting = 32
  let endpoint: GPSDEndpoint
  let configuration: GPSDConfiguration
  /// Puts the lines before their reports.
  let isRecorded: Bool
  /// Ends the client.
  let wakeup: Wakeup
  var connector: any GPSDConnector
  let host: Host
  /// The listeners' current interests.
  let interests: @Sendable () -> LocationSourceInterests
  /// Returns false when no listener is left.
  let deliver: @Sendable ([GPSDReport]) -> Bool
  var retry: Retry<LocationError.Code, Double>
  var stream: Stream?
  /// The end of the wait after a failure, on the host's clock.
  var pauseEnd = -Double.infinity

  /// Acts until it has to wait. It ends when `wakeup` is signalled or `deliver` returns false.
  mutating func step() -> LoopState {
    if wakeup.isSignalled { return .ended }
    do {
      do throws(ConnectionFailure) {
        if let stream { return .waiting(until: try read(stream)) }
        return .waiting(until: host.seconds() < pauseEnd ? pauseEnd : try startStream())
      } catch {
        if let stream, !stream.waiting.isEmpty { try send(stream.waiting) }
        pauseEnd = host.seconds() + (try reportFailure(error))
        stream = nil
        return .ready
      }
    } catch {
      return .ended
    }
  }

  func wait(until deadline: Double) -> Bool {
    guard let stream else { return wakeup.wait(seconds: deadline - host.seconds()) == .signalled }
    stream.outcome = stream.connection.wait(until: deadline)
    return stream.outcome != .timedOut
  }

  private mutating func startStream() throws(ConnectionFailure) -> Double {
    try send([.connection(.connecting), .log(.debug, "connecting to gpsd at \(endpoint.server)")])
    guard let decoder = ReportDecoder() else { throw .connecting(.system("no memory for libgps")) }
    let socket = try connector.connect()
    try send([.connection(.connected)])
    // Its deadline begins after the main actor has taken that, which may have been busy.
    let connection = GPSDConnection(socket, decoder: decoder, patience: configuration.greetingTimeout, host: host)
    stream = Stream(connection)
    return connection.deadline
  }

  private mutating func read(_ stream: Stream) throws(ConnectionFailure) -> Double {
    var isUrgent = isRecorded
    let hadReported = stream.hasReported
    try stream.connection.read(after: stream.outcome, for: interests) { report, line in
      if report.isOfReceiver { stream.hasReported = true }
      if report.canMakeEvent { isUrgent = true }
      if isRecorded { stream.waiting.append(.line(Array(line))) }
      stream.waiting.append(report)
    }
    // A connection that brings reports ends the outage. A connection that is confirmed and then cut does not, so that
    // a gpsd that keeps failing is not asked four times a second.
    if stream.hasReported && !hadReported { retry.succeed() }
    let canDeliver = isUrgent && stream.connection.state == .watching && !stream.waiting.isEmpty
    if canDeliver || stream.waiting.count > Self.mostWaiting {
      try send(stream.waiting)
      stream.waiting.removeAll()
    }
    return stream.connection.deadline
  }

  /// Reports the failure, once for each outage. Returns the seconds to wait until the next try.
  private mutating func reportFailure(_ failure: ConnectionFailure) throws(ConnectionFailure) -> Double {
    let server = "gpsd at \(endpoint.server)"
    let (code, problem, isUrgent): (LocationError.Code, String, Bool) =
      switch failure {
      case .connecting(.stopped): throw failure
      case .connecting(.denied): (.denied, "may not connect to \(server)", true)
      case .notGPSD, .silent: (.network, "no \(server)", true)
      case .lost: (.network, "the connection to \(server) was lost", false)
      case .connecting, .closed: (.network, "cannot reach \(server)", false)
      }
    let error = LocationError(code, "\(problem): \(failure.reason)")
    var reports: [GPSDReport] = []
    if case .lost = failure, !retry.isFailing { reports.append(.log(.notice, error.message + "; reconnecting")) }
    let (delay, isNews) = retry.fail(
      code, at: host.seconds(), random: configuration.random(),
      isSerious: isUrgent || retry.failures >= configuration.quietTries)
    reports.append(
      .connection(
        .waiting(reason: failure.reason, retryIn: delay, error: isNews ? error : nil, isDenied: code == .denied)))
    let longest = secondsText(configuration.maximumRetryDelay)
    reports.append(
      isNews
        ? .log(.warning, "\(error.message); retrying every \(longest) at most")
        : .log(.debug, "\(error.message); next try in \(secondsText(delay))"))
    try send(reports)
    return delay
  }

  private func send(_ reports: [GPSDReport]) throws(ConnectionFailure) {
    guard deliver(reports) else { throw .connecting(.stopped) }
  }
}
