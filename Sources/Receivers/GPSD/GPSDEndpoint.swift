public import Platform

/// Which gpsd to follow: its host and port, and optionally one of its devices.
///
/// The syntax is that of gpsd's own clients, `HOST:PORT[:DEVICE]`.
public struct GPSDEndpoint: Sendable, Hashable, CustomStringConvertible {
  /// gpsd's port as registered with IANA.
  public static let defaultPort: UInt16 = 2947

  /// The host and port of gpsd.
  public var server: Endpoint
  /// The path by which gpsd knows the device to follow; `nil` for every device.
  public var device: String?

  /// Creates an endpoint; gpsd on this host by default.
  public init(host: String = "localhost", port: UInt16 = GPSDEndpoint.defaultPort, device: String? = nil) {
    server = Endpoint(host: host, port: port)
    self.device = device
  }

  /// Reads `HOST`, `HOST:PORT` or `HOST:PORT:DEVICE`. An IPv6 address is in brackets; an empty host is `localhost`
  /// and an empty port 2947. A device is a path or a URL, as gpsd reports it, and may contain colons.
  ///
  /// - Throws: `AddressError` with the reason.
  public init(parsing text: String) throws(AddressError) {
    let advice = "write HOST:PORT or HOST:PORT:DEVICE, such as localhost:\(Self.defaultPort)"
    guard !text.isEmpty else { throw AddressError("gpsd's address is empty; \(advice)") }
    guard let parts = Endpoint.parts(of: text[...]) else {
      throw AddressError("'\(text)' does not begin with a host; \(advice)")
    }
    let device = parts.rest.flatMap { $0.isEmpty ? nil : $0 }
    // Checked before the port, because the likely mistake is an IPv6 address without brackets.
    if let device, !Self.isDevice(device) {
      throw AddressError(
        "'\(device)' in '\(text)' is not a device; write its path as gpsd reports it, such as /dev/ttyUSB0, "
          + "and an IPv6 address in brackets, such as [::1]:\(Self.defaultPort)")
    }
    let digits = parts.port.flatMap { $0.isEmpty ? nil : $0 }
    self.init(
      host: parts.host.isEmpty ? "localhost" : parts.host,
      port: try digits.map(Endpoint.port(connecting:)) ?? Self.defaultPort, device: device.map(String.init))
  }

  /// `HOST:PORT[:DEVICE]`, as `init(parsing:)` reads it.
  public var description: String { "\(server)" + (device.map { ":" + $0 } ?? "") }

  private static func isDevice(_ text: Substring) -> Bool {
    guard !text.hasPrefix("/") else { return true }
    let scheme = text.prefix { $0 != ":" }
    return !scheme.isEmpty && text[scheme.endIndex...].hasPrefix("://")
  }
}
