import Glibc
import Platform
import SystemPackage

/// A host, a group or a network that gets each record as a UDP datagram. Nobody acknowledges it.
final class Datagrams: RecordFile {
  let name: String
  let sendsRecords = true
  private(set) var descriptor: Int32
  private let endpoint: Endpoint
  /// The address; `nil` until the host's name is known, and after a failure.
  private var address: ResolvedAddress?
  private var lookupFailure: String?

  init(to endpoint: Endpoint) throws(OutputError) {
    (self.endpoint, name) = (endpoint, "NMEA udp:\(endpoint)")
    descriptor = Self.socket(AF_INET)
    guard descriptor >= 0 else {
      throw OutputError(.noResources, "\(name) has no socket: \(Errno(rawValue: errno))")
    }
  }

  private static func socket(_ family: Int32) -> Int32 {
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(family, type, 0)
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &isOn, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// Sends a whole record. The name of a host is looked up first, which may take a while.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    if address == nil { address = try lookUp() }
    guard let address else { return 0 }
    let count = address.withSocketAddress { sendto(descriptor, bytes.baseAddress, bytes.count, 0, $0, $1) }
    if count >= 0 { return bytes.count }
    let error = Errno(rawValue: errno)
    if error == .wouldBlock || error == .interrupted { return 0 }
    self.address = nil
    throw error
  }

  private func lookUp() throws(Errno) -> ResolvedAddress {
    do throws(ConnectFailure) {
      guard let address = try ResolvedAddress.all(of: endpoint).first else { throw .noAddress("no address") }
      lookupFailure = nil
      let new = Self.socket(address.family)
      guard new >= 0 else { return address }
      Glibc.close(descriptor)
      descriptor = new
      return address
    } catch {
      lookupFailure = error.reason
      throw .noRouteToHost
    }
  }

  func describe(_ failure: Errno) -> String {
    let hint = failure == .notPermitted ? "; the service's IPAddressAllow= has to name this address" : ""
    return "\(name) cannot be sent: \(lookupFailure ?? "\(failure)")\(hint)"
  }

  func reopen() throws(OutputError) {}

  func close() throws(Errno) { Glibc.close(descriptor) }
}

extension RecordStream {
  /// Makes a pseudo-terminal with a link at `path`, whose file has this mode and group.
  package convenience init(
    terminal path: String, fileMode: UInt16, group: gid_t?, mode: OutboxMode, limit: Int,
    onNotice: @escaping OutputNotice.Handler
  ) throws(OutputError) {
    try self.init(
      to: try PseudoTerminal(link: path, mode: fileMode, group: group), mode: mode, limit: limit,
      describeDropped: { _, _ in }, onNotice: onNotice, onEnd: { _ in })
  }

  /// Sends each record as a datagram to a host, or to all hosts of a network by its broadcast address.
  package convenience init(
    datagramsTo endpoint: Endpoint, mode: OutboxMode, limit: Int, onNotice: @escaping OutputNotice.Handler
  ) throws(OutputError) {
    try self.init(
      to: try Datagrams(to: endpoint), mode: mode, limit: limit, describeDropped: { _, _ in }, onNotice: onNotice,
      onEnd: { _ in })
  }

  /// Checks that there can be a pseudo-terminal with a link at this path. Leaves everything unchanged.
  package static func trial(terminal path: String) throws(OutputError) { try PseudoTerminal.check(path) }
}
