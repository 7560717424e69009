/// Why a text does not name a gpsd.
public enum GPSDEndpointError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is nothing in it.
  case empty
  /// The host is not one.
  case invalidHost(String)
  /// The port is not a number from 1 to 65535.
  case invalidPort(String)
  /// What follows the port is neither a path nor a URL.
  case invalidDevice(String, in: String)

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .empty:
      "gpsd's address is empty; write HOST:PORT or HOST:PORT:DEVICE, such as localhost:2947"
    case .invalidHost(let text):
      "'\(text)' does not begin with a host; write HOST:PORT or HOST:PORT:DEVICE, such as localhost:2947"
    case .invalidPort(let port):
      "'\(port)' is not a port; write a number from 1 to 65535, gpsd's own is \(GPSDEndpoint.defaultPort)"
    case .invalidDevice(let device, let text):
      "'\(device)' in '\(text)' is not a device; write its path as gpsd reports it, such as /dev/ttyUSB0, "
        + "and an IPv6 address in brackets, such as [::1]:\(GPSDEndpoint.defaultPort)"
    }
  }
}
