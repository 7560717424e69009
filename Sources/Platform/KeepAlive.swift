import Glibc

/// Lets the kernel notice a host behind a dead network, without waking this process.
package enum KeepAlive {
  /// Switches it on for a connected TCP socket: a peer is given up a minute after it was heard last.
  package static func set(_ descriptor: Int32) {
    for (level, option, value) in [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
      (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
    ] as [(Int32, Int32, Int32)] {
      var value = value
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }
}
