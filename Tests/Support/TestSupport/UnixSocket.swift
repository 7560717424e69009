public import Glibc

/// The descriptor of a Unix socket after `call`, which is `bind` or `connect`, with the address of `path`; -1 after an error.
public func unixSocket(
  _ path: String, type: __socket_type = SOCK_STREAM,
  _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
  let descriptor = socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
  let result = withUnsafePointer(to: address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  if result == 0 { return descriptor }
  close(descriptor)
  return -1
}
