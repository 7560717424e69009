import Glibc

/// The descriptor of a Unix socket after `call`, which is `bind` or `connect`, with the address of `path`; -1 after an error.
package func unixSocket(
  _ path: String, type: __socket_type = SOCK_STREAM,
  _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  let descriptor = socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
  if withUnixAddress(path, { call(descriptor, $0, $1) }) == 0 { return descriptor }
  close(descriptor)
  return -1
}

/// Calls `body` with the address of a Unix socket.
func withUnixAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
  return withAddress(address, body)
}

/// Calls `body` with a port of 127.0.0.1.
func withLoopback<Result>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
  return withAddress(address, body)
}

/// Calls `body` with a port of ::1.
func withLoopback6<Result>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
  var address = sockaddr_in6()
  address.sin6_family = sa_family_t(AF_INET6)
  address.sin6_port = port.bigEndian
  address.sin6_addr = in6addr_loopback
  return withAddress(address, body)
}

private func withAddress<Address, Result>(
  _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  withUnsafePointer(to: address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
  }
}
