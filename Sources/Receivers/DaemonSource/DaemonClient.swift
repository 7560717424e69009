import Glibc
import LocationKit
import Platform
import Records
import SystemPackage

/// What the reading thread tells the source.
enum DaemonReport: Sendable {
  /// The socket was opened.
  case connected
  /// Opening or reading it failed. `error` is there if this is news.
  case waiting(reason: String, retryIn: Double, error: LocationError?, isDenied: Bool)
  /// The time of the recording's clock.
  case clock(Double)
  case event(LocationSourceEvent)
  /// A record that a source does not need.
  case other
  /// A line that is not a record.
  case malformed
}

/// The address of a daemon's location socket.
enum DaemonAddress: Sendable, CustomStringConvertible {
  case unix(String)
  case tcp(Endpoint)

  var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let endpoint): endpoint.description
    }
  }
}

/// A client of the daemon that keeps a connection until no listener is left. For the reading thread.
struct DaemonClient: Sendable {
  /// Seconds for connecting, and for the first record.
  private static let patience = 5.0
  /// Seconds between two tries.
  private static let pauses = (shortest: 0.25, longest: 5.0)
  /// The tries that may fail before that is an error: the daemon may restart.
  private static let quietTries = 5

  let address: DaemonAddress
  /// Signalled when the listeners' interests may have changed, or none is left.
  let wakeup: Wakeup
  let demand: @Sendable () -> (interests: LocationSourceInterests, satelliteRequests: UInt)
  /// Returns false when no listener is left.
  let deliver: @Sendable ([DaemonReport]) -> Bool
  private var retry = Retry<LocationError.Code, Double>(minimum: pauses.shortest, maximum: pauses.longest)
  /// Whether the daemon has played its recording to the end, after which it ends.
  private var isOver = false

  init(
    _ address: DaemonAddress, wakeup: Wakeup,
    demand: @escaping @Sendable () -> (interests: LocationSourceInterests, satelliteRequests: UInt),
    deliver: @escaping @Sendable ([DaemonReport]) -> Bool
  ) {
    (self.address, self.wakeup, self.demand, self.deliver) = (address, wakeup, demand, deliver)
  }

  /// Returns when no listener is left.
  mutating func run() {
    while true {
      do throws(ConnectFailure) {
        let descriptor = try connect()
        defer { close(descriptor) }
        try follow(descriptor)
      } catch {
        let end = monotonicSeconds() + (error == .stopped ? 0 : report(error))
        while wakeup.wait(seconds: end - monotonicSeconds()) == .signalled { if !goesOn() { return } }
        if error == .stopped, !goesOn() { return }
      }
    }
  }

  /// Takes a signal of the wake-up. Returns false when no listener is left.
  private func goesOn() -> Bool {
    _ = wakeup.reset()
    return deliver([])
  }

  private func connect() throws(ConnectFailure) -> Int32 {
    switch address {
    case .unix(let path): return try UnixSocket.connect(to: path)
    case .tcp(let endpoint):
      var connector = Connector(to: endpoint, within: Self.patience, wakeup: wakeup)
      let descriptor = try connector.connect()
      KeepAlive.set(descriptor)
      return descriptor
    }
  }

  /// Reads until the connection fails, or no listener is left.
  private mutating func follow(_ descriptor: Int32) throws(ConnectFailure) {
    guard deliver([.connected]) else { throw .stopped }
    var (lines, reader) = (LineBuffer(), DaemonRecordReader())
    var (asked, isKnown): ((StreamTopics, UInt), Bool) = (([], 0), false)
    let deadline = monotonicSeconds() + Self.patience
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      try ask(&asked, descriptor)
      switch wakeup.wait(for: descriptor, seconds: isKnown ? nil : deadline - monotonicSeconds()) {
      case .signalled:
        guard goesOn() else { throw .stopped }
        continue
      case .timedOut: throw .unreachable("the server sent nothing within \(secondsText(Self.patience))")
      case .ready: break
      }
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      if count < 0 { throw .unreachable(Errno(rawValue: errno).description) }
      if count == 0 { throw .unreachable("the daemon closed the connection") }
      var reports: [DaemonReport] = []
      let dropped = lines.droppedLines
      bytes.withUnsafeBytes { bytes in
        lines.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { reports.append(reader.read($0)) }
      }
      if lines.droppedLines > dropped { reports.append(.malformed) }
      for report in reports { try learn(from: report, &isKnown) }
      guard reports.isEmpty || deliver(reports) else { throw .stopped }
    }
  }

  /// Asks for what the listeners want, and again for what they want anew: the daemon sends satellites only when they change.
  private func ask(_ asked: inout (StreamTopics, UInt), _ descriptor: Int32) throws(ConnectFailure) {
    let (interests, requests) = demand()
    let wanted = (StreamTopics(interests), requests)
    guard wanted != asked else { return }
    let request = wanted.0.request
    // The buffer has room: there are at most a few requests in a second.
    guard send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
      throw .unreachable(Errno(rawValue: errno).description)
    }
    asked = wanted
  }

  /// The first record has to be that of the source, or of its clock.
  private mutating func learn(from report: DaemonReport, _ isKnown: inout Bool) throws(ConnectFailure) {
    switch report {
    case .event(.status(let status)):
      (isKnown, isOver) = (true, status == .finished)
      retry.succeed()
    case .clock: isKnown = true
    default: if !isKnown { throw .unreachable("the server is not a location socket of rxlocationd") }
    }
  }

  /// Reports a failure, as an error once for each outage. Returns the seconds until the next try.
  private mutating func report(_ failure: ConnectFailure) -> Double {
    let isDenied = if case .denied = failure { true } else { false }
    let error = LocationError(
      isDenied ? .denied : .network,
      (isDenied ? "may not use the" : "no") + " location service at \(address): \(failure.reason)")
    let (seconds, isNews) = retry.fail(
      error.code, at: monotonicSeconds(), isSerious: isDenied || retry.failures >= Self.quietTries)
    let report = DaemonReport.waiting(
      reason: failure.reason, retryIn: seconds, error: isNews ? error : nil, isDenied: isDenied)
    if !isOver, !deliver([report]) { wakeup.signal() }
    return seconds
  }
}

extension StreamTopics {
  fileprivate init(_ interests: LocationSourceInterests) {
    self = []
    if interests.contains(.satellites) { insert(.satellites) }
    if interests.contains(.headings) { insert(.headings) }
  }
}
