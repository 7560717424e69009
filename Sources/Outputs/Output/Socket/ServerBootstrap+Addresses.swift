import Glibc
import NIOCore
import NIOPosix

/// A name that nobody knows an address of.
struct UnknownHost: Error {
  var host: String
}

extension ServerBootstrap {
  /// Listens on every address of `host`: localhost has two as a rule, and its readers use either.
  ///
  /// An address that this machine lacks, without IPv6 for instance, is left out as long as there is another. Port 0 stands
  /// for one port, which the system chooses, so it is that of the first address only.
  /// - Throws: `UnknownHost` for a name without address, and what the system says against listening; then
  ///   nothing listens.
  func bind(toAllAddressesOf host: String, port: Int, on loop: any EventLoop) async throws -> [any Channel] {
    // A name may be asked of a server far away; the loop may wait for that.
    let addresses = try await loop.submit { try SocketAddress.all(of: host, port: port) }.get()
    var channels: [any Channel] = []
    var missing: (any Error)?
    do {
      for address in port == 0 ? Array(addresses.prefix(1)) : addresses {
        do {
          channels.append(try await bind(to: address).get())
        } catch let error as IOError where [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode) {
          missing = error
        }
      }
      if let missing, channels.isEmpty { throw missing }
    } catch {
      for channel in channels { try? await channel.close() }
      throw error
    }
    return channels
  }
}

extension SocketAddress {
  /// The addresses of `host`, those of IPv4 first.
  fileprivate static func all(of host: String, port: Int) throws -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &first) == 0 else {
      throw UnknownHost(host: host)
    }
    defer { freeaddrinfo(first) }
    var four: [SocketAddress] = []
    var six: [SocketAddress] = []
    var next = first
    while let info = next?.pointee {
      next = info.ai_next
      switch info.ai_family {
      case AF_INET:
        info.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          four.append(SocketAddress($0.pointee, host: host))
        }
      case AF_INET6:
        info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          six.append(SocketAddress($0.pointee, host: host))
        }
      default: break
      }
    }
    let addresses = (four + six).reduce(into: [SocketAddress]()) { if !$0.contains($1) { $0.append($1) } }
    guard !addresses.isEmpty else { throw UnknownHost(host: host) }
    return addresses
  }
}
