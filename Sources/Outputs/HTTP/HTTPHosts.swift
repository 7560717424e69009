import Glibc
public import Platform

/// The hosts that a server answers for: what its address says, and further names.
///
/// A page of a stranger's can have its own name point at this machine, and read what this machine serves to a browser here.
/// The request then is for the stranger's name, and is refused. A number cannot be pointed elsewhere, so an address of
/// this machine is always good.
public struct HTTPHosts: Sendable {
  private enum Rule: Sendable {
    case any
    case these(Set<String>, takesAnyAddress: Bool)
  }

  private let rule: Rule

  /// Answers for any name: for what may be known to everybody.
  public static let any = HTTPHosts(rule: .any)

  private init(rule: Rule) {
    self.rule = rule
  }

  /// The hosts that an address to listen on stands for: its name, or its number; for all of this machine's addresses any
  /// number and the machine's own names.
  ///
  /// - Parameter names: Further names, such as that of a proxy.
  public init(of address: Endpoint, and names: [String] = []) {
    var all = Set((names + [address.host]).map(Self.canonical))
    let isWildcard = ["*", "::", "0.0.0.0"].contains(address.host)
    if isWildcard, let own = Self.ownName {
      let short = String(own.prefix { $0 != "." })
      all.formUnion([own, short, "\(short).local"])
    }
    rule = .these(all, takesAnyAddress: isWildcard)
  }

  /// Whether a request is for this host.
  ///
  /// - Parameters:
  ///   - fields: Its Host fields; the port in them does not matter, as it is another one behind a tunnel.
  ///   - local: The address that the client has connected to, as a number.
  func accepts(_ fields: [String], at local: String?) -> Bool {
    guard case .these(let names, let takesAnyAddress) = rule else { return true }
    guard fields.count == 1, let host = Self.host(of: fields[0]) else { return false }
    if names.contains(host) { return true }
    if Self.isNumber(host) { return takesAnyAddress || host == local }
    return host == "localhost" && (local == "::1" || local?.hasPrefix("127.") == true || takesAnyAddress)
  }

  /// The host of a Host field; `nil` when it is none.
  static func host(of field: String) -> String? {
    guard let (host, port, rest) = Endpoint.parts(of: field[...]), !host.isEmpty, rest == nil else { return nil }
    guard !host.contains(":") || isNumber(host), port?.utf8.allSatisfy({ (48...57).contains($0) }) != false else {
      return nil
    }
    return canonical(host)
  }

  /// Lower case, without the dot that may end a full name.
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
