import Glibc
import LocationKit
import Platform
import Records
import SystemPackage

/// What the reading thread tells the source.
enum DaemonReport: Sendable {
  case connected(DaemonSocket)
  /// Opening or reading the socket failed. `error` is there if this is news.
  case waiting(reason: String, retryIn: Double, error: LocationError?, isDenied: Bool)
  /// The time of the recording's clock.
  case clock(Double)
  case event(LocationSourceEvent)
  /// A record that a source does not need.
  case other
  /// A line that is not a record.
  case malformed
}

/// A connected location socket, which is closed when it is released. Any thread.
final class DaemonSocket: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Asks for records. If there is no room for the request, because the daemon does not read, the connection ends.
  func ask(for interests: LocationSourceInterests) {
    let request = interests.request
    if send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count { return }
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// A client of the daemon that keeps a connection until `wakeup` is signalled. For the reading thread.
struct DaemonClient {
  typealias Connect = @Sendable (Wakeup) throws(ConnectFailure) -> Int32

  /// Seconds for connecting, and for the first record.
  static let patience = 5.0
  /// The tries that may fail before that is an error: the daemon may restart.
  private static let quietTries = 5

  /// The daemon's address.
  let name: String
  let connect: Connect
  let wakeup: Wakeup
  /// Returns false when no listener is left; then `wakeup` is signalled.
  let deliver: ([DaemonReport]) -> Bool
  var retry = Retry<LocationError.Code, Double>(minimum: 0.25, maximum: 5)
  /// Whether the daemon has played its recording to the end, after which it ends.
  var isOver = false

  mutating func run() {
    var pause = 0.0
    while wakeup.wait(seconds: pause) != .signalled {
      do throws(ConnectFailure) {
        try follow(DaemonSocket(try connect(wakeup)))
      } catch {
        pause = report(error)
      }
    }
  }

  /// Reads until the connection fails, or no listener is left.
  private mutating func follow(_ socket: DaemonSocket) throws(ConnectFailure) {
    guard deliver([.connected(socket)]) else { throw .stopped }
    var (lines, reader, isKnown) = (LineBuffer(), DaemonRecordReader(), false)
    let deadline = monotonicSeconds() + Self.patience
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      switch wakeup.wait(for: socket.descriptor, seconds: isKnown ? nil : deadline - monotonicSeconds()) {
      case .signalled: throw .stopped
      case .timedOut: throw .unreachable("the server sent nothing within \(secondsText(Self.patience))")
      case .ready: break
      }
      let count = recv(socket.descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      if count < 0 { throw .unreachable(Errno(rawValue: errno).description) }
      if count == 0 { throw .unreachable("the daemon closed the connection") }
      var reports: [DaemonReport] = []
      let dropped = lines.droppedLines
      bytes.withUnsafeBytes { bytes in
        lines.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { reports.append(reader.read($0)) }
      }
      if lines.droppedLines > dropped { reports.append(.malformed) }
      for report in reports {
        switch report {
        case .event(.status(let status)):
          (isKnown, isOver) = (true, status == .finished)
          retry.succeed()
        case .clock: isKnown = true
        // The first record has to be that of the source, or of its clock.
        default: if !isKnown { throw .unreachable("the server is not a location socket of rxlocationd") }
        }
      }
      guard reports.isEmpty || deliver(reports) else { throw .stopped }
    }
  }

  /// Reports a failure, as an error once for each outage. Returns the seconds until the next try.
  private mutating func report(_ failure: ConnectFailure) -> Double {
    let isDenied = if case .denied = failure { true } else { false }
    let error = LocationError(
      isDenied ? .denied : .network,
      (isDenied ? "may not use the" : "no") + " location service at \(name): \(failure.reason)")
    let (seconds, isNews) = retry.fail(
      error.code, at: monotonicSeconds(), isSerious: isDenied || retry.failures >= Self.quietTries)
    let report = DaemonReport.waiting(
      reason: failure.reason, retryIn: seconds, error: isNews ? error : nil, isDenied: isDenied)
    if !isOver { _ = deliver([report]) }
    return seconds
  }
}
