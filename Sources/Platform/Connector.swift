import Glibc
import SystemPackage

/// A client's way to a TCP server: it looks up the host's name and connects to the first of its addresses that answers. For
/// one thread, which waits no longer than it wants to.
public struct Connector {
  private let endpoint: Endpoint
  private let seconds: Double
  private let wakeup: Wakeup
  private var errand = Errand<Result<[ResolvedAddress], ConnectFailure>>()

  /// Creates a connector for one server.
  ///
  /// - Parameters:
  ///   - seconds: How long the lookup may take, and then each address.
  ///   - wakeup: Ends the waiting when it is signalled.
  public init(to endpoint: Endpoint, within seconds: Double, wakeup: Wakeup) {
    self.endpoint = endpoint
    self.seconds = seconds
    self.wakeup = wakeup
  }

  /// The host's addresses, the preferred first.
  ///
  /// `getaddrinfo` cannot be stopped: a lookup that takes too long goes on, and the next call takes its result.
  public mutating func addresses() throws(ConnectFailure) -> [ResolvedAddress] {
    if !errand.isPending, let numeric = try? ResolvedAddress.all(of: endpoint, isNumeric: true) { return numeric }
    let result: Result<[ResolvedAddress], ConnectFailure>
    do throws(ErrandFailure) {
      result = try errand.run(within: seconds, wakeup: wakeup) { [endpoint] in
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

  /// Looks the host up and connects to the first of its addresses that answers, as `connect(to:)` does.
  public mutating func connect() throws(ConnectFailure) -> Int32 { try connect(to: addresses()) }

  /// Connects to the first of `addresses` that answers.
  ///
  /// - Returns: The descriptor of a socket that does not block, and belongs to the caller.
  public func connect(to addresses: [ResolvedAddress]) throws(ConnectFailure) -> Int32 {
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

/// Why there is no connection to a server.
public enum ConnectFailure: Error, Sendable, Equatable {
  /// The wakeup was signalled.
  case stopped
  /// The name has no address, or nobody could say within the time.
  case noAddress(String)
  /// Nobody answers there, now.
  case unreachable(String)
  /// Nobody listens there: `unreachable` with the reason that is easiest to remove.
  case refused(String)
  /// The system does not let this process connect.
  case denied(String)
  /// This process is out of threads or descriptors.
  case system(String)

  /// What an error number of `socket` or `connect` means.
  init(_ error: Int32) {
    let text = Errno(rawValue: error).description
    switch error {
    case EACCES, EPERM: self = .denied(text)
    case EMFILE, ENFILE, ENOMEM, ENOBUFS: self = .system(text)
    case ECONNREFUSED: self = .refused(text)
    default: self = .unreachable(text)
    }
  }

  /// What to report of two addresses that were tried one after the other: the later failure, but of all of them a refusal that
  /// only an administrator can lift says most.
  func then(_ later: ConnectFailure) -> ConnectFailure {
    if case .denied = self { self } else { later }
  }

  /// What happened, for a person, without the address.
  public var reason: String {
    switch self {
    case .stopped: "stopped"
    case .noAddress(let text), .unreachable(let text), .refused(let text), .denied(let text), .system(let text): text
    }
  }
}
