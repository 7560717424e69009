/// Whether this process may use a source of locations. Core Location's `CLAuthorizationStatus`. The operating system's
/// permissions decide, without a dialog.
public enum AuthorizationStatus: Sendable, Hashable {
  /// The source has not been opened yet.
  case notDetermined
  /// The system forbids the source to all users of this host.
  case restricted
  /// The system forbids the source to this process.
  case denied
  /// This process may use the source.
  case authorizedAlways

  var isRefused: Bool { self == .denied || self == .restricted }
}
