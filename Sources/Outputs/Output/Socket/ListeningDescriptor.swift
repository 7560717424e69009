import Glibc
import NIOCore

/// What is to be known about sockets that somebody else opened, and about failures to open one.
enum ListeningDescriptor {
  enum Domain { case unix, internet }

  /// The kind of a listening stream socket.
  static func domain(of descriptor: Int32) throws(OutputError) -> Domain {
    guard option(SO_ACCEPTCONN, of: descriptor) == 1,
      option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
    else {
      throw OutputError(
        .cannotCreate,
        "descriptor \(descriptor) is no listening stream socket; see ListenStream= in the socket unit"
      )
    }
    // Not for programs that this one may start.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    switch option(SO_DOMAIN, of: descriptor) {
    case AF_UNIX: return .unix
    case AF_INET, AF_INET6: return .internet
    default:
      throw OutputError(
        .cannotCreate, "descriptor \(descriptor) is neither a unix nor a TCP socket")
    }
  }

  /// Whether only this machine reaches an address.
  static func isLoopback(_ address: SocketAddress?) -> Bool {
    guard let text = address?.ipAddress else { return true }
    return text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
  }

  /// What is wrong with a TCP address, and the mend where there is one.
  static func describe(_ error: any Error, port: Int) -> String {
    if let unknown = error as? UnknownHost {
      return "\"\(unknown.host)\" has no address; write one, or a name that this machine can look up"
    }
    guard let code = (error as? IOError)?.errnoCode else { return "\(error)" }
    switch code {
    case EADDRINUSE: return "port \(port) is in use; stop that program or choose another port"
    case EADDRNOTAVAIL: return "no interface of this machine has that address"
    case EACCES: return "permission denied; choose a port above 1023"
    default: return Output.describe(errno: code)
    }
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 else { return nil }
    return value
  }
}
