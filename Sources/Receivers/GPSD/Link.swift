import Glibc

/// A connected socket. Closed when released.
final class Link {
  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Connects to the first of `addresses` that answers, giving each of them `seconds`.
  static func connect(
    to addresses: [SocketAddress], within seconds: Double, wakeup: Wakeup
  ) throws(LinkFailure) -> Link {
    var failure = LinkFailure.unreachable("no address")
    for address in addresses {
      do {
        return try connect(to: address, within: seconds, wakeup: wakeup)
      } catch .stopped {
        throw .stopped
      } catch {
        // Of several, a refusal that only an administrator mends says most.
        if case .denied = failure { continue }
        failure = error
      }
    }
    throw failure
  }

  private static func connect(
    to address: SocketAddress, within seconds: Double, wakeup: Wakeup
  ) throws(LinkFailure) -> Link {
    let descriptor = address.makeSocket()
    guard descriptor >= 0 else { throw LinkFailure(connecting: errno) }
    let link = Link(descriptor: descriptor)
    if address.connect(descriptor) == 0 { return link.keptAlive() }
    guard errno == EINPROGRESS || errno == EINTR else { throw LinkFailure(connecting: errno) }
    switch wakeup.wait(for: descriptor, events: POLLOUT, seconds: seconds) {
    case .signalled: throw .stopped
    case .timedOut: throw .unreachable("no answer within \(secondsText(seconds))")
    case .ready: break
    }
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error == 0 else {
      throw LinkFailure(connecting: error)
    }
    return link.keptAlive()
  }

  /// Waits until there is something to read.
  func wait(seconds: Double?, wakeup: Wakeup) -> Wakeup.Outcome {
    wakeup.wait(for: descriptor, seconds: seconds)
  }

  /// Reads what there is; `nil` when there is nothing yet.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LinkFailure) -> UnsafeRawBufferPointer? {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 { return UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
    if count == 0 { throw .lost("gpsd closed the connection") }
    if errno == EAGAIN || errno == EINTR { return nil }
    throw .lost(errorText(errno))
  }

  /// Sends a short command.
  func send(_ command: String) throws(LinkFailure) {
    // A fresh connection's buffer always has room for it. A broken one must not raise SIGPIPE.
    let count = command.utf8.count
    guard Glibc.send(descriptor, command, count, Int32(MSG_NOSIGNAL)) == count else {
      throw .lost(errorText(errno))
    }
  }

  /// Lets the kernel find out, without waking this process, that a host behind a dead network is gone.
  private func keptAlive() -> Link {
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
