import Glibc
import Platform
import SystemPackage

/// A socket that is connected to a gpsd. Closed when released.
final class GPSDConnection {
  private let descriptor: Int32

  /// Connects to the first of `addresses` that answers.
  init(_ connector: Connector, to addresses: [ResolvedAddress]) throws(ConnectionFailure) {
    do throws(ConnectFailure) {
      descriptor = try connector.connect(to: addresses)
    } catch {
      throw ConnectionFailure(error)
    }
    keepAlive()
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

  /// Asks gpsd to report what its receivers say.
  func sendWatch() throws(ConnectionFailure) {
    // A fresh connection's buffer always has room for it. A broken one must not raise SIGPIPE.
    let command = "?WATCH={\"enable\":true,\"json\":true};\n"
    let count = command.utf8.count
    guard send(descriptor, command, count, Int32(MSG_NOSIGNAL)) == count else {
      throw .lost(Errno(rawValue: errno).description)
    }
  }

  /// Lets the kernel find out, without waking this process, that a host behind a dead network is gone.
  private func keepAlive() {
    for (level, option, value) in [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
      (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
    ] as [(Int32, Int32, Int32)] {
      var value = value
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }
}

/// Why there is no connection to gpsd.
enum ConnectionFailure: Error, Sendable, Equatable {
  /// The source is being stopped.
  case stopped
  /// There is no gpsd there, now.
  case unreachable(String)
  /// Nobody listens there: `unreachable` with the reason that is easiest to remove.
  case refused(String)
  /// The system does not let this process connect.
  case denied(String)
  /// Something answers that is not gpsd.
  case notGPSD(String)
  /// The connection was there and has ended.
  case lost(String)
  /// This process is out of something.
  case system(String)

  /// For a person: what happened, without the address.
  var reason: String {
    switch self {
    case .stopped: "stopped"
    case .unreachable(let text), .refused(let text), .denied(let text), .notGPSD(let text), .lost(let text),
      .system(let text):
      text
    }
  }

  /// Why connecting failed.
  init(_ failure: ConnectFailure) {
    switch failure {
    case .stopped: self = .stopped
    case .noAddress(let reason), .unreachable(let reason): self = .unreachable(reason)
    case .refused(let reason): self = .refused(reason)
    case .denied(let reason): self = .denied(reason)
    case .system(let reason): self = .system(reason)
    }
  }
}
