/// The failure of a location service. Core Location's `CLError`: a code, and a sentence for the user.
public struct LocationError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
  /// The kind of failure; the names are those of `CLError.Code`.
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    /// The receiver has no fix, or the last fix is older than the manager's `staleAfter`.
    case locationUnknown
    /// The process may not use the source of locations.
    case denied
    /// The source cannot be reached, or the connection to it was lost.
    case network
    /// There is no heading.
    case headingFailure
    /// A region cannot be monitored. The message names the region.
    case regionMonitoringFailure
  }

  /// The kind of failure.
  public var code: Code
  /// One sentence that names the input and, if possible, a remedy.
  public var message: String
  /// The name of the device among many; `nil` for the receiver of this host.
  public var deviceIdentifier: String?

  /// Creates an error.
  public init(_ code: Code, _ message: String, deviceIdentifier: String? = nil) {
    self.code = code
    self.message = message
    self.deviceIdentifier = deviceIdentifier
  }

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}
