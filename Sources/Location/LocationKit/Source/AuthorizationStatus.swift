/// Whether this process may use a source of locations. Core Location's `CLAuthorizationStatus`, by what
/// the operating system permits: there is no dialog on a host.
public enum AuthorizationStatus: Sendable, Hashable {
  /// The source has not been opened yet.
  case notDetermined
  /// The system forbids it for everybody on this host.
  case restricted
  /// The system refused this process.
  case denied
  /// The source is open to this process.
  case authorizedAlways

  /// Whether the process may not use the source.
  var isRefused: Bool { self == .denied || self == .restricted }
}
