import Glibc
import NIOCore
import Platform

extension Endpoint {
  /// The socket addresses to listen on, those of IPv4 first; for `*` that of both families, then that of IPv4 alone, for
  /// a machine without IPv6. A name may be asked of a server far away, so this blocks.
  func resolved() throws(ListenError) -> [SocketAddress] {
    if host == "*" { return ["::", "0.0.0.0"].compactMap { try? SocketAddress(ipAddress: $0, port: Int(port)) } }
    guard let all = try? ResolvedAddress.all(of: self) else { throw ListenError.unknownHost(host) }
    return socketAddresses(all)
  }

  /// Addresses as NIO takes them, those of IPv4 first and each once: a name may have one twice.
  func socketAddresses(_ all: [ResolvedAddress]) -> [SocketAddress] {
    let addresses = [AF_INET, AF_INET6].flatMap { family in
      all.filter { $0.family == family }.map { address in
        address.withSocketAddress { pointer, _ in
          family == AF_INET
            ? pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
            : pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
        }
      }
    }
    return addresses.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
