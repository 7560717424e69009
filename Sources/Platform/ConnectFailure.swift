import Glibc
import SystemPackage

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
