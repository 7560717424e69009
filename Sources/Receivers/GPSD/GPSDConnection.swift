import Glibc
import Platform
import SystemPackage

/// A socket that is connected to gpsd. It is closed when released.
final class GPSDConnection {
  private let descriptor: Int32

  /// Takes over a connected socket that does not block.
  init(descriptor: Int32) {
    self.descriptor = descriptor
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
  }

  /// Waits until the socket has input.
  func wait(seconds: Double?, wakeup: Wakeup) -> Wakeup.Outcome {
    wakeup.wait(for: descriptor, seconds: seconds)
  }

  /// Reads the bytes that have arrived; `nil` when there are none yet.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ConnectionFailure) -> UnsafeRawBufferPointer? {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 { return UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
    if count == 0 { throw .lost("gpsd closed the connection") }
    if errno == EAGAIN || errno == EINTR { return nil }
    throw .lost(Errno(rawValue: errno).description)
  }

  /// Asks gpsd for reports; with `pulses` also for the pulse of each second, which some versions send to every JSON
  /// client unasked.
  func sendWatch(pulses: Bool = false) throws(ConnectionFailure) {
    // The buffer of a fresh connection always has room for the command. A broken connection must not raise SIGPIPE.
    let command = "?WATCH={\"enable\":true,\"json\":true\(pulses ? ",\"pps\":true" : "")};\n"
    let count = command.utf8.count
    guard send(descriptor, command, count, Int32(MSG_NOSIGNAL)) == count else {
      throw .lost(Errno(rawValue: errno).description)
    }
  }
}

/// Why there is no connection to gpsd.
enum ConnectionFailure: Error, Sendable, Equatable {
  /// Connecting failed, or the source is being stopped.
  case connecting(ConnectFailure)
  /// The peer is not gpsd, or sends nothing.
  case notGPSD(String)
  /// An established connection has ended.
  case lost(String)

  /// The reason in words, without the address.
  var reason: String {
    switch self {
    case .connecting(let failure): failure.reason
    case .notGPSD(let text), .lost(let text): text
    }
  }
}
