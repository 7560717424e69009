public import Platform

/// Which gpsd to follow: its host and port, and one of its devices if only that one counts.
///
/// The syntax is that of gpsd's own clients, `HOST:PORT[:DEVICE]`.
public struct GPSDEndpoint: Sendable, Hashable, CustomStringConvertible {
  /// The port that gpsd has with IANA.
  public static let defaultPort: UInt16 = 2947

  /// Where it listens.
  public var server: Endpoint
  /// The path by which gpsd knows the device whose reports count; `nil` for every device.
  public var device: String?

  /// Names a gpsd; that of this host by default.
  public init(host: String = "localhost", port: UInt16 = GPSDEndpoint.defaultPort, device: String? = nil) {
    server = Endpoint(host: host, port: port)
    self.device = device
  }

  /// Reads `HOST`, `HOST:PORT` or `HOST:PORT:DEVICE`. An IPv6 address is in brackets; an empty host is `localhost`
  /// and an empty port 2947. A device is a path or a URL, as gpsd reports it, and may contain colons.
  ///
  /// - Throws: `GPSDEndpointError`, which says what is wrong.
  public init(parsing text: String) throws(GPSDEndpointError) {
    guard !text.isEmpty else { throw .empty }
    guard let parts = Endpoint.parts(of: text[...]) else { throw .invalidHost(text) }
    let device = parts.rest.flatMap { $0.isEmpty ? nil : $0 }
    // Before the port's own error: an IPv6 address without brackets is the likely slip.
    if let device, !Self.isDevice(device) { throw .invalidDevice(String(device), in: text) }
    var port = Self.defaultPort
    if let digits = parts.port, !digits.isEmpty {
      guard let number = Endpoint.port(digits), number > 0 else { throw .invalidPort(String(digits)) }
      port = number
    }
    self.init(host: parts.host.isEmpty ? "localhost" : parts.host, port: port, device: device.map(String.init))
  }

  /// `HOST:PORT[:DEVICE]`, as `init(parsing:)` reads it.
  public var description: String { "\(server)" + (device.map { ":" + $0 } ?? "") }

  private static func isDevice(_ text: Substring) -> Bool {
    guard !text.hasPrefix("/") else { return true }
    let scheme = text.prefix { $0 != ":" }
    return !scheme.isEmpty && text[scheme.endIndex...].hasPrefix("://")
  }
}

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
