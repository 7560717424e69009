import Glibc
import NIOCore
import Platform
import SystemPackage

package struct ListenError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Whether time may help: an interface comes up, a lock is released.
  package var isTemporary: Bool
  package var isInUse: Bool
  /// The rest of a sentence that begins with the address, such as "cannot be opened: port 80 is in use", with the way
  /// out if there is one.
  package var description: String

  init(_ description: String, isTemporary: Bool = false, isInUse: Bool = false) {
    self.isTemporary = isTemporary
    self.isInUse = isInUse
    self.description = description
  }

  init(_ error: any Error, port: Int) {
    guard let code = (error as? IOError)?.errnoCode else {
      self.init("cannot be opened: \(error)")
      return
    }
    let reason =
      switch code {
      case EADDRINUSE: "port \(port) is in use; end the program that uses it, or choose another port"
      case EADDRNOTAVAIL: "no interface of this machine has that address"
      case EACCES: "permission denied; choose a port above 1023"
      default: Errno(rawValue: code).description
      }
    self.init("cannot be opened: \(reason)", isTemporary: code == EADDRNOTAVAIL, isInUse: code == EADDRINUSE)
  }
}

extension Endpoint {
  /// The socket addresses to listen on, those of IPv4 first; for `*` that of both families, then that of IPv4 alone, for
  /// a machine without IPv6. A name may be asked of a server far away, so this blocks.
  func resolved() throws(ListenError) -> [SocketAddress] {
    if host == "*" { return ["::", "0.0.0.0"].compactMap { try? SocketAddress(ipAddress: $0, port: Int(port)) } }
    guard let all = try? ResolvedAddress.all(of: self) else {
      throw ListenError(
        "cannot be opened: \"\(host)\" has no address; write one, or a name that this machine can look up")
    }
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
