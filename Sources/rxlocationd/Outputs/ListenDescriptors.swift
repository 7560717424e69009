import Glibc

/// The listening sockets that systemd opened for this service (sd_listen_fds(3)).
enum ListenDescriptors {
  /// The descriptors, closed on exec, in the unit's order; empty without socket activation.
  ///
  /// - Parameter first: The number of the first descriptor, 3 in the protocol.
  static func take(environment: [String: String] = ServiceManager.environment, first: Int32 = 3) -> [Int32] {
    guard environment["LISTEN_PID"] == String(getpid()),
      let count = environment["LISTEN_FDS"].flatMap(Int32.init), (1...1024).contains(count)
    else { return [] }
    return (first..<first + count).filter { descriptor in
      let flags = fcntl(descriptor, F_GETFD)
      guard flags >= 0 else { return false }
      return fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) == 0
    }
  }
}
