import Glibc
import Platform
import SystemPackage

/// A socket that is connected to a gpsd. Closed when released.
final class GPSDConnection {
  private let descriptor: Int32

  /// Takes over a connected socket that does not block.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    // The kernel finds out, without waking this process, that a host behind a dead network is gone.
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
  }

  /// Waits until there is something to read.
  func wait(seconds: Double?, wakeup: Wakeup) -> Wakeup.Outcome {
    wakeup.wait(for: descriptor, seconds: seconds)
  }

  /// Reads what there is; `nil` when there is nothing yet.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ConnectionFailure) -> UnsafeRawBufferPointer? {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 { return UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
    if count == 0 { throw .lost("gpsd closed the connection") }
    if errno == EAGAIN || errno == EINTR { return nil }
    throw .lost(Errno(rawValue: errno).description)
  }

  /// Asks gpsd to report what its receivers say; with `pulses` also when the pulse of each second comes. Some versions send
  /// that to whoever asks for JSON, without being asked.
  func sendWatch(pulses: Bool = false) throws(ConnectionFailure) {
    // A fresh connection's buffer always has room for it. A broken one must not raise SIGPIPE.
    let command = "?WATCH={\"enable\":true,\"json\":true\(pulses ? ",\"pps\":true" : "")};\n"
    let count = command.utf8.count
    guard send(descriptor, command, count, Int32(MSG_NOSIGNAL)) == count else {
      throw .lost(Errno(rawValue: errno).description)
    }
  }
}

/// Why there is no connection to gpsd.
enum ConnectionFailure: Error, Sendable, Equatable {
  /// There is none, now, or the source is being stopped.
  case connecting(ConnectFailure)
  /// Something answers that is not gpsd, or that says nothing.
  case notGPSD(String)
  /// The connection was there and has ended.
  case lost(String)

  /// For a person: what happened, without the address.
  var reason: String {
    switch self {
    case .connecting(let failure): failure.reason
    case .notGPSD(let text), .lost(let text): text
    }
  }
}
