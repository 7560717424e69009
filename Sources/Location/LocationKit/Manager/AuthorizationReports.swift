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
