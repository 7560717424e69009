/// Failures, and the end of a recording.
extension LocationManager {
  /// Reports an error, which also answers a pending request. `denied` is reported once until access is granted or
  /// requested again.
  func fail(_ error: LocationError) {
    if error.code == .denied && !authorization.isNewRefusal() { return }
    if fixes.isRequested {
      fixes.cancelRequest()
      run()
    }
    delegate?.locationManager(self, didFailWithError: error)
  }

  func reportFixState() { delegate?.locationManager(self, didChangeFixState: fixState) }

  /// Reports the loss of the fix, with the device of the last fix if it was one of many.
  func loseFix(_ message: String) {
    fail(LocationError(.locationUnknown, message, deviceIdentifier: location?.sourceInformation?.deviceIdentifier))
  }

  /// Reports the loss of the heading. It does not answer a request for a location.
  func loseHeading(_ message: String) {
    delegate?.locationManager(self, didFailWithError: LocationError(.headingFailure, message))
  }

  func endRequest() {
    // Without any fix, the watch is about to report the loss itself, so this must not report it too.
    if fixes.hasAnswer || fixWatch.hasExpired { answerRequest(orFailWith: "no fix within \(staleAfter) s") }
  }

  func answerRequest(orFailWith message: String) {
    guard fixes.isRequested else { return }
    guard let best = fixes.takeAnswer() else { return fail(LocationError(.locationUnknown, message)) }
    run()
    delegate?.locationManager(self, didUpdateLocations: [best])
  }

  func finish() {
    answerRequest(orFailWith: "the recording ended without a fix")
    fixWatch.stop()
    headings?.pause()
    delegate?.locationManagerDidReachEndOfRecording(self)
  }
}

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
