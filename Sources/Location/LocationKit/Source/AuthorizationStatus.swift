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

/// What a manager has reported of its source's authorization, so that it reports each change and each refusal once.
struct AuthorizationReports {
  private var status: AuthorizationStatus
  private var hasReportedRefusal = false

  init(_ status: AuthorizationStatus) {
    self.status = status
  }

  /// Notes what the authorization is; returns whether it has changed. One that is granted ends a refusal.
  mutating func changes(to newStatus: AuthorizationStatus) -> Bool {
    guard newStatus != status else { return false }
    status = newStatus
    if !status.isRefused { hasReportedRefusal = false }
    return true
  }

  /// Notes that a refusal is being reported; returns whether it is the first report of it.
  mutating func isNewRefusal() -> Bool {
    defer { hasReportedRefusal = true }
    return !hasReportedRefusal
  }

  /// The source was asked for something again: a refusal is reported again.
  mutating func forgetRefusal() {
    hasReportedRefusal = false
  }
}
