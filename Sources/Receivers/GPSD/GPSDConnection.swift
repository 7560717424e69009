import Glibc
import Platform
import SystemPackage

/// A socket that is connected to a gpsd. Closed when released.
final class GPSDConnection {
  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Connects to the first of `addresses` that answers, giving each of them `seconds`.
  static func connect(
    to addresses: [ResolvedAddress], within seconds: Double, wakeup: Wakeup
  ) throws(ConnectionFailure) -> GPSDConnection {
    var failure = ConnectionFailure.unreachable("no address")
    for address in addresses {
      do {
        return try connect(to: address, within: seconds, wakeup: wakeup)
      } catch .stopped {
        throw .stopped
      } catch {
        // Of several failures, a refusal that only an administrator can lift says most.
        if case .denied = failure { continue }
        failure = error
      }
    }
    throw failure
  }

  private static func connect(
    to address: ResolvedAddress, within seconds: Double, wakeup: Wakeup
  ) throws(ConnectionFailure) -> GPSDConnection {
    let descriptor = address.makeSocket()
    guard descriptor >= 0 else { throw ConnectionFailure(connecting: errno) }
    let connection = GPSDConnection(descriptor: descriptor)
    if address.connect(descriptor) == 0 { return connection.keptAlive() }
    guard errno == EINPROGRESS || errno == EINTR else { throw ConnectionFailure(connecting: errno) }
    switch wakeup.wait(for: descriptor, events: POLLOUT, seconds: seconds) {
    case .signalled: throw .stopped
    case .timedOut: throw .unreachable("no answer within \(secondsText(seconds))")
    case .ready: break
    }
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error == 0 else {
      throw ConnectionFailure(connecting: error)
    }
    return connection.keptAlive()
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
  private func keptAlive() -> GPSDConnection {
    for (level, option, value) in [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
      (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
    ] as [(Int32, Int32, Int32)] {
      var value = value
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    return self
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

  /// The failure that an error number of `socket` or `connect` means.
  init(connecting error: Int32) {
    let text = Errno(rawValue: error).description
    switch error {
    case EACCES, EPERM: self = .denied(text)
    case EMFILE, ENFILE, ENOMEM, ENOBUFS: self = .system(text)
    case ECONNREFUSED: self = .refused(text)
    default: self = .unreachable(text)
    }
  }
  /// The failure of a lookup.
  init(_ failure: LookupFailure) {
    switch failure {
    case .stopped: self = .stopped
    case .failed(let reason): self = .unreachable(reason)
    case .system(let reason): self = .system(reason)
    }
  }
}
