/// Keeps a manager's reports on authorization, so that it reports each change and each refusal only once.
struct AuthorizationReports {
  private var status: AuthorizationStatus
  private var hasReportedRefusal = false

  init(_ status: AuthorizationStatus) { self.status = status }

  /// Stores the new status and returns whether it has changed. A grant ends a refusal.
  mutating func changes(to newStatus: AuthorizationStatus) -> Bool {
    guard newStatus != status else { return false }
    status = newStatus
    if !status.isRefused { hasReportedRefusal = false }
    return true
  }

  /// Records the report of a refusal, and returns whether it is the first one.
  mutating func isNewRefusal() -> Bool {
    defer { hasReportedRefusal = true }
    return !hasReportedRefusal
  }

  /// Makes the next refusal be reported again, because the program has made a new request.
  mutating func forgetRefusal() { hasReportedRefusal = false }
}
