import Glibc
import LocationKit
import Platform
import SystemPackage

/// A connection to gpsd: gpsd greets, the client asks for reports, gpsd confirms and streams. It is closed when
/// released. For one thread.
final class GPSDConnection {
  enum State { case connected, greeted, watching }

  private(set) var state = State.connected

  private let descriptor: Int32
  private let decoder: ReportDecoder
  private let wakeup: Wakeup
  private let patience: Double
  /// The time on the monotonic clock at which gpsd must have confirmed the watch.
  private let deadline: Double
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
  private var lines = LineBuffer()

  /// Takes over a connected socket that does not block. gpsd has `patience` seconds to greet and to confirm the watch.
  init(descriptor: Int32, decoder: ReportDecoder, patience: Double, wakeup: Wakeup) {
    (self.descriptor, self.decoder, self.wakeup) = (descriptor, decoder, wakeup)
    self.patience = patience
    deadline = monotonicSeconds() + patience
    // Keepalive lets the kernel notice a host behind a dead network without waking this process.
    for (level, option, value) in [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
      (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
    ] as [(Int32, Int32, Int32)] {
      var value = value
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  /// Waits for bytes, and passes on the reports that they complete, as far as `interests` require. Returns false if a
  /// watching client has waited until `limit` on the monotonic clock.
  @discardableResult
  func receive(
    by limit: Double = .infinity, for interests: () -> LocationSourceInterests = { .all },
    _ body: (GPSDReport) -> Void
  ) throws(ConnectionFailure) -> Bool {
    let end = state == .watching ? limit : deadline
    let left = end < .infinity ? end - monotonicSeconds() : nil
    let outcome = wakeup.wait(for: descriptor, seconds: left)
    if outcome == .signalled { throw .connecting(.stopped) }
    // The deadline holds even while bytes arrive: a peer that sends other text is not gpsd.
    if outcome == .timedOut || left ?? 1 <= 0 {
      if state != .watching { throw .silent(isGreeting: state == .connected, seconds: patience) }
      return false
    }
    let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    if count == 0 { throw .lost("gpsd closed the connection") }
    guard count > 0 else {
      if errno == EAGAIN || errno == EINTR { return true }
      throw .lost(Errno(rawValue: errno).description)
    }
    try lines.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line throws(ConnectionFailure) in
      let report = decoder.decode(line, for: interests())
      try follow(report)
      body(report)
    }
    if state == .connected && lines.droppedLines > 0 { throw .notGPSD }
    return true
  }

  private func follow(_ report: GPSDReport) throws(ConnectionFailure) {
    switch state {
    case .connected:
      guard case .version = report else { throw .notGPSD }
      state = .greeted
      try sendWatch()
    case .greeted: if report == .watch { state = .watching }
    case .watching: break
    }
  }

  private func sendWatch() throws(ConnectionFailure) {
    // Some versions send the pulse of each second to every JSON client unasked.
    let pulses = decoder.readsPulses ? ",\"pps\":true" : ""
    let command = "?WATCH={\"enable\":true,\"json\":true\(pulses)};\n"
    let count = command.utf8.count
    // The buffer of a fresh connection always has room for the command. A broken connection must not raise SIGPIPE.
    guard send(descriptor, command, count, Int32(MSG_NOSIGNAL)) == count else {
      throw .lost(Errno(rawValue: errno).description)
    }
  }
}

/// Why there is no connection to gpsd.
enum ConnectionFailure: Error, Sendable, Equatable {
  /// Connecting failed, or the source is being stopped.
  case connecting(ConnectFailure)
  case notGPSD
  /// The peer has not greeted, or not confirmed the watch, within that many seconds.
  case silent(isGreeting: Bool, seconds: Double)
  case lost(String)

  var reason: String {
    switch self {
    case .connecting(let failure): failure.reason
    case .notGPSD: "the server is not gpsd"
    case .silent(let isGreeting, let seconds):
      "the server does not \(isGreeting ? "greet" : "confirm the watch") as gpsd does within \(secondsText(seconds))"
    case .lost(let text): text
    }
  }
}
