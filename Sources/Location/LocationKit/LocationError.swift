/// Why a location service failed. Core Location's `CLError`: a code, and a sentence for a person.
public struct LocationError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
  /// What failed; the names are `CLError.Code`'s.
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    /// No fix, or the last one is older than the manager's `staleAfter`.
    case locationUnknown
    /// The process may not talk to the source of locations.
    case denied
    /// The source cannot be reached, or the connection to it was lost.
    case network
    /// No heading can be determined.
    case headingFailure
    /// A region cannot be monitored, and says which.
    case regionMonitoringFailure
  }

  /// What failed.
  public var code: Code
  /// One sentence that names the input and, where there is one, what to do about it.
  public var message: String
  /// Which device it is about, where many are followed; `nil` for the receiver of this host.
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
