import Glibc
import LocationKit
import Platform
import SystemPackage

/// The bytes between this program and gpsd. The stream is closed when it is released. For one thread.
package protocol GPSDStream: AnyObject {
  /// Waits until there are bytes, the source is being stopped, or `seconds` have passed; `nil` is no limit.
  func wait(seconds: Double?) -> Wakeup.Outcome

  /// Reads without waiting. Returns the number of bytes, 0 at the end; `nil` if there are no bytes yet.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ConnectionFailure) -> Int?

  func send(_ command: String) throws(ConnectionFailure)
}

protocol GPSDConnector {
  mutating func connect() throws(ConnectionFailure) -> any GPSDStream
}

/// A connection to gpsd: gpsd greets, the client asks for reports, gpsd confirms and streams. For one thread.
package final class GPSDConnection {
  package enum State { case connected, greeted, watching }

  package private(set) var state = State.connected

  private let stream: any GPSDStream
  private let decoder: ReportDecoder
  private let patience: Double
  private let host: Host
  private let greetingDeadline: Double
  /// Whether the deadline had passed before the last wait.
  private var isLate = false
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
  private var lines = LineBuffer()

  /// gpsd has `patience` seconds to greet and to confirm the watch.
  package init(_ stream: any GPSDStream, decoder: ReportDecoder, patience: Double, host: Host = .system) {
    (self.stream, self.decoder, self.patience, self.host) = (stream, decoder, patience, host)
    greetingDeadline = host.seconds() + patience
  }

  deinit { buffer.deallocate() }

  /// The time on the host's clock at which gpsd must have confirmed the watch; infinite once it has.
  var deadline: Double { state == .watching ? .infinity : greetingDeadline }

  /// Waits for bytes and passes on the reports that they complete. Returns false if a watching client has waited until
  /// `limit` on the host's clock.
  @discardableResult
  package func receive(by limit: Double = .infinity, _ body: (GPSDReport) -> Void) throws(ConnectionFailure) -> Bool {
    let end = state == .watching ? limit : deadline
    let outcome = wait(until: end)
    return try read(after: outcome == .ready && host.seconds() >= end ? .timedOut : outcome) { report, _ in body(report)
    }
  }

  func wait(until end: Double) -> Wakeup.Outcome {
    isLate = host.seconds() >= deadline
    return stream.wait(seconds: end < .infinity ? end - host.seconds() : nil)
  }

  /// Passes on the reports that the bytes after a wait complete, as far as `interests` require, and their lines. Returns
  /// false if a watching client has waited in vain.
  @discardableResult
  func read(
    after outcome: Wakeup.Outcome, for interests: () -> LocationSourceInterests = { .all },
    _ body: (GPSDReport, UnsafeRawBufferPointer) -> Void
  ) throws(ConnectionFailure) -> Bool {
    if outcome == .signalled { throw .connecting(.stopped) }
    // The deadline holds even while bytes arrive: a peer that sends other text is not gpsd.
    if isLate || outcome == .timedOut && host.seconds() >= deadline {
      throw .silent(isGreeting: state == .connected, seconds: patience)
    }
    if outcome == .timedOut { return false }
    guard let count = try stream.read(into: buffer) else { return true }
    if count == 0 { throw state == .connected ? .closed : .lost("gpsd closed the connection") }
    let dropped = lines.droppedLines
    try lines.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line throws(ConnectionFailure) in
      let report = decoder.decode(line, for: interests())
      try follow(report)
      body(report, line)
    }
    if lines.droppedLines > dropped {
      if state == .connected { throw .notGPSD }
      // A line that is too long, or does not end, counts as one that is malformed. A record gets its beginning.
      Array("{".utf8).withUnsafeBytes { body(.malformed, $0) }
    }
    return true
  }

  private func follow(_ report: GPSDReport) throws(ConnectionFailure) {
    switch state {
    case .connected:
      guard case .version = report else { throw .notGPSD }
      state = .greeted
      // Some versions send the pulse of each second to every JSON client unasked.
      let pulses = decoder.readsPulses ? ",\"pps\":true" : ""
      try stream.send("?WATCH={\"enable\":true,\"json\":true\(pulses)};\n")
    case .greeted: if report == .watch { state = .watching }
    case .watching: break
    }
  }
}

/// A connected socket that does not block.
package final class GPSDSocket: GPSDStream {
  private let descriptor: Int32
  private let wakeup: Wakeup

  /// Takes over a descriptor. `wakeup` interrupts waiting.
  package init(_ descriptor: Int32, wakeup: Wakeup) {
    (self.descriptor, self.wakeup) = (descriptor, wakeup)
    KeepAlive.set(descriptor)
  }

  deinit { close(descriptor) }

  package func wait(seconds: Double?) -> Wakeup.Outcome { wakeup.wait(for: descriptor, seconds: seconds) }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ConnectionFailure) -> Int? {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    if count >= 0 { return count }
    if errno == EAGAIN || errno == EINTR { return nil }
    throw .lost(Errno(rawValue: errno).description)
  }

  package func send(_ command: String) throws(ConnectionFailure) {
    let count = command.utf8.count
    // The buffer of a fresh connection always has room for the command. A broken connection must not raise SIGPIPE.
    guard Glibc.send(descriptor, command, count, Int32(MSG_NOSIGNAL)) == count else {
      throw .lost(Errno(rawValue: errno).description)
    }
  }
}

struct GPSDSocketConnector: GPSDConnector {
  var connector: Connector
  let wakeup: Wakeup

  mutating func connect() throws(ConnectionFailure) -> any GPSDStream {
    do throws(ConnectFailure) {
      return GPSDSocket(try connector.connect(), wakeup: wakeup)
    } catch {
      throw .connecting(error)
    }
  }
}

package enum ConnectionFailure: Error, Sendable, Equatable {
  /// Connecting failed, or the source is being stopped.
  case connecting(ConnectFailure)
  case notGPSD
  /// The peer has not greeted, or not confirmed the watch, within that many seconds.
  case silent(isGreeting: Bool, seconds: Double)
  /// The peer has closed the connection before its greeting.
  case closed
  case lost(String)

  var reason: String {
    switch self {
    case .connecting(let failure): failure.reason
    case .notGPSD: "the server is not gpsd"
    case .silent(let isGreeting, let seconds):
      "the server does not \(isGreeting ? "greet" : "confirm the watch") as gpsd does within \(secondsText(seconds))"
    case .closed: "the server closed the connection before a greeting"
    case .lost(let text): text
    }
  }
}
