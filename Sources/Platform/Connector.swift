import Glibc
import SystemPackage

/// Looks up a server's name and connects to the first of its addresses that answers, over TCP. A connector is for one
/// thread, which waits for a limited time only.
package struct Connector {
  private let endpoint: Endpoint
  private let seconds: Double
  private let wakeup: Wakeup
  private var work = BlockingWork<Result<[ResolvedAddress], ConnectFailure>>()

  /// Creates a connector for one server. The lookup, and each address, has `seconds`. A signal of `wakeup` ends the wait.
  package init(to endpoint: Endpoint, within seconds: Double, wakeup: Wakeup) {
    self.endpoint = endpoint
    self.seconds = seconds
    self.wakeup = wakeup
  }

  /// The host's addresses, the preferred one first. A lookup that takes too long goes on; the next call takes its result.
  package mutating func addresses() throws(ConnectFailure) -> [ResolvedAddress] {
    if !work.isPending, let numeric = try? ResolvedAddress.all(of: endpoint, isNumeric: true) { return numeric }
    let result: Result<[ResolvedAddress], ConnectFailure>
    do throws(BlockingWorkFailure) {
      result = try work.run(within: seconds, wakeup: wakeup) { [endpoint] in
        Result { () throws(ConnectFailure) in try ResolvedAddress.all(of: endpoint) }
      }
    } catch {
      switch error {
      case .stopped: throw .stopped
      case .timedOut: throw .noAddress("looking up '\(endpoint.host)' takes longer than \(secondsText(seconds))")
      case .system(let error): throw .system("cannot look up '\(endpoint.host)': \(error)")
      }
    }
    return try result.get()
  }

  package mutating func connect() throws(ConnectFailure) -> Int32 { try connect(to: addresses()) }

  /// Connects to the first of `addresses` that answers. The caller owns the non-blocking socket that is returned.
  package func connect(to addresses: [ResolvedAddress]) throws(ConnectFailure) -> Int32 {
    var failure = ConnectFailure.unreachable("no address")
    for address in addresses {
      do {
        return try connect(to: address)
      } catch .stopped {
        throw .stopped
      } catch {
        failure = failure.then(error)
      }
    }
    throw failure
  }

  private func connect(to address: ResolvedAddress) throws(ConnectFailure) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, type, Int32(IPPROTO_TCP))
    guard descriptor >= 0 else { throw ConnectFailure(errno) }
    do throws(ConnectFailure) {
      if address.withSocketAddress({ Glibc.connect(descriptor, $0, $1) }) != 0 {
        guard errno == EINPROGRESS || errno == EINTR else { throw ConnectFailure(errno) }
        switch wakeup.wait(for: descriptor, events: POLLOUT, seconds: seconds) {
        case .signalled: throw .stopped
        case .timedOut: throw .unreachable("no answer within \(secondsText(seconds))")
        case .ready: break
        }
        var (error, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        guard error == 0 else { throw ConnectFailure(error) }
      }
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }
}

/// Lets the kernel notice a host behind a dead network, without waking this process.
package enum KeepAlive {
  /// Switches it on for a connected TCP socket: a peer is given up a minute after it was heard last.
  package static func set(_ descriptor: Int32) {
    for (level, option, value) in [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
      (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
    ] as [(Int32, Int32, Int32)] {
      var value = value
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }
}

package enum ConnectFailure: Error, Sendable, Equatable {
  case stopped
  /// The name has no address, or the lookup took too long.
  case noAddress(String)
  case unreachable(String)
  /// No process listens on the port: the `unreachable` that is easiest to put right.
  case refused(String)
  case denied(String)
  /// This process is out of threads or descriptors.
  case system(String)

  init(_ error: Int32) {
    let text = Errno(rawValue: error).description
    switch error {
    case EACCES, EPERM: self = .denied(text)
    case EMFILE, ENFILE, ENOMEM, ENOBUFS: self = .system(text)
    case ECONNREFUSED: self = .refused(text)
    default: self = .unreachable(text)
    }
  }

  /// The failure to report after a second address failed too: the later one, unless the first was a denial, which only
  /// an administrator can lift.
  func then(_ later: ConnectFailure) -> ConnectFailure {
    if case .denied = self { self } else { later }
  }

  package var reason: String {
    switch self {
    case .stopped: "stopped"
    case .noAddress(let text), .unreachable(let text), .refused(let text), .denied(let text), .system(let text): text
    }
  }
}

package struct ResolvedAddress: Sendable {
  private var storage = sockaddr_storage()
  private let length: socklen_t

  /// Returns the addresses of a host, the preferred one first. It blocks, because a name server may be slow, unless the
  /// host must be a numeric address.
  package static func all(of endpoint: Endpoint, isNumeric: Bool = false) throws(ConnectFailure) -> [ResolvedAddress] {
    var hints = addrinfo()
    hints.ai_flags = (isNumeric ? AI_NUMERICHOST : 0) | AI_NUMERICSERV
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
    let systemError = errno
    defer { if let list { freeaddrinfo(list) } }
    guard status == 0 else {
      let message =
        status == EAI_SYSTEM ? Errno(rawValue: systemError).description : String(cString: gai_strerror(status))
      throw .noAddress("cannot look up '\(endpoint.host)': \(message)")
    }
    var addresses: [ResolvedAddress] = []
    var entry = list
    while let info = entry?.pointee {
      if let address = ResolvedAddress(info) { addresses.append(address) }
      entry = info.ai_next
    }
    return addresses
  }

  private init?(_ info: addrinfo) {
    guard let address = info.ai_addr, Int(info.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size else { return nil }
    length = info.ai_addrlen
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
    }
  }

  package var family: Int32 { Int32(storage.ss_family) }

  package func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) } }
  }
}
