import Glibc
import NIOCore
import SystemPackage

/// Why a server cannot listen at an address.
public struct ListenError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Whether time may help: an interface comes up, a lock is released.
  public var isTemporary: Bool
  /// Whether another program has the address.
  public var isInUse: Bool
  /// The rest of a sentence that begins with the address, such as "cannot be opened: port 80 is in use", with the way
  /// out if there is one.
  public var description: String

  init(_ description: String, isTemporary: Bool = false, isInUse: Bool = false) {
    self.isTemporary = isTemporary
    self.isInUse = isInUse
    self.description = description
  }

  static func unknownHost(_ host: String) -> ListenError {
    ListenError(
      "cannot be opened: \"\(host)\" has no address; write one, or a name that this machine can look up")
  }

  /// The error of NIO for a TCP port.
  init(_ error: any Error, port: Int) {
    guard let code = (error as? IOError)?.errnoCode else {
      self.init("cannot be opened: \(error)")
      return
    }
    let reason =
      switch code {
      case EADDRINUSE: "port \(port) is in use; stop that program or choose another port"
      case EADDRNOTAVAIL: "no interface of this machine has that address"
      case EACCES: "permission denied; choose a port above 1023"
      default: Errno(rawValue: code).description
      }
    self.init("cannot be opened: \(reason)", isTemporary: code == EADDRNOTAVAIL, isInUse: code == EADDRINUSE)
  }
}
