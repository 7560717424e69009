import Glibc
import NIOCore
public import Platform

/// Where a server listens: `HOST:PORT`, or `PORT` on 127.0.0.1. The host `*` stands for every address of this machine,
/// IPv4 and IPv6.
public struct TCPAddress: Sendable, Hashable, CustomStringConvertible {
  /// A name, an address (IPv6 without brackets) or `*`.
  public var host: String
  /// The TCP port; 0 lets the system choose.
  public var port: Int

  /// Creates an address.
  public init(host: String = "127.0.0.1", port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `HOST:PORT` or `PORT`; an IPv6 address is written in brackets, as in `[::1]:9100`.
  ///
  /// - Throws: `TCPAddressError` for anything else.
  public init(parsing text: String) throws(TCPAddressError) {
    let whole = text.contains(":") ? text : "127.0.0.1:\(text)"
    guard let parts = Endpoint.parts(of: whole[...]), !parts.host.isEmpty, parts.rest == nil,
      let port = parts.port.flatMap(Endpoint.port)
    else { throw TCPAddressError(text: text) }
    self.init(host: parts.host, port: Int(port))
  }

  /// As `init(parsing:)` takes it.
  public var description: String { endpoint.description }

  /// The same for a client.
  public var endpoint: Endpoint { Endpoint(host: host, port: UInt16(clamping: port)) }

  /// The socket addresses to listen on, those of IPv4 first; for `*` that of both families, then that of IPv4 alone, for
  /// a machine without IPv6. A name may be asked of a server far away, so this blocks.
  func resolved() throws(ListenError) -> [SocketAddress] {
    if host == "*" { return ["::", "0.0.0.0"].compactMap { try? SocketAddress(ipAddress: $0, port: port) } }
    guard let all = try? ResolvedAddress.all(of: endpoint) else { throw ListenError.unknownHost(host) }
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

/// A text that is no address to listen on.
public struct TCPAddressError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text.
  public var text: String

  /// One sentence with what was expected.
  public var description: String { "\"\(text)\" is no address; expected HOST:PORT or PORT, the port 0 … 65535" }
}
