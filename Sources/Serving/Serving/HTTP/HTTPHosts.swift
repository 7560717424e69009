import Glibc
import Platform

/// The hosts that a server answers for: those of its address, and further names.
///
/// A foreign page can point its own host name at this machine, and then read what this machine serves to the browser.
/// The Host field of such a request contains the foreign name, so it is refused. A numeric address cannot be pointed
/// elsewhere, so an address of this machine is always accepted.
package struct HTTPHosts: Sendable {
  private let names: Set<String>?
  private let acceptsAnyAddress: Bool

  /// Answers for any name, for data that are public.
  package static let any = HTTPHosts()

  private init() { (names, acceptsAnyAddress) = (nil, true) }

  /// The hosts of an address to listen on: its name or its number. If it stands for all addresses of this machine, they
  /// are any number and the machine's own names.
  ///
  /// - Parameter names: Further names, such as that of a proxy.
  package init(of address: Endpoint, and names: [String] = []) {
    var all = Set((names + [address.host]).map(Self.canonical))
    acceptsAnyAddress = ["*", "::", "0.0.0.0"].contains(address.host)
    if acceptsAnyAddress, let own = Self.ownName {
      let short = String(own.prefix { $0 != "." })
      all.formUnion([own, short, "\(short).local"])
    }
    self.names = all
  }

  /// Whether a request with these Host fields is for this host; `local` is the number of the address that the client has
  /// connected to. The port is ignored, because it differs behind a tunnel.
  func accepts(_ fields: [String], at local: String?) -> Bool {
    guard let names else { return true }
    guard fields.count == 1, let host = Self.host(of: fields[0]) else { return false }
    if names.contains(host) { return true }
    if Self.isNumber(host) { return acceptsAnyAddress || host == local }
    return host == "localhost" && (local == "::1" || local?.hasPrefix("127.") == true || acceptsAnyAddress)
  }

  /// The host in a Host field; `nil` if the field is invalid.
  static func host(of field: String) -> String? {
    guard let (host, port, rest) = Endpoint.parts(of: field[...]), !host.isEmpty, rest == nil else { return nil }
    guard !host.contains(":") || isNumber(host), port?.utf8.allSatisfy({ (48...57).contains($0) }) != false else {
      return nil
    }
    return canonical(host)
  }

  private static func canonical(_ name: String) -> String {
    let name = name.lowercased()
    return name.hasSuffix(".") ? String(name.dropLast()) : name
  }

  private static func isNumber(_ host: String) -> Bool {
    var bytes = in6_addr()
    return inet_pton(host.contains(":") ? AF_INET6 : AF_INET, host, &bytes) == 1
  }

  private static var ownName: String? {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0, name[0] != 0 else { return nil }
    return canonical(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
}
