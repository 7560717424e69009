import Glibc
import SystemPackage

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
