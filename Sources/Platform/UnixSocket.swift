import Glibc

package enum UnixSocket {
  /// The longest path, in bytes.
  package static let longestPath = 107

  /// Calls `body`, such as `bind` or `connect`, with the address of a path of at most `longestPath` bytes, and again
  /// after a signal.
  package static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The last byte stays zero.
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
    }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        while true {
          let result = body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
          if result == 0 || errno != EINTR { return result }
        }
      }
    }
  }

  /// Connects without waiting. The caller owns the non-blocking socket that is returned.
  package static func connect(to path: String) throws(ConnectFailure) -> Int32 {
    guard !path.isEmpty, path.utf8.count <= longestPath, !path.utf8.contains(0) else {
      throw .unreachable("the path of a unix socket has 1 to \(longestPath) bytes")
    }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw ConnectFailure(errno) }
    guard withAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let failure = ConnectFailure(errno)
      close(descriptor)
      throw failure
    }
    return descriptor
  }
}
