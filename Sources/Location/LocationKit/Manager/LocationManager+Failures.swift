/// Failures, and the end of a recording.
extension LocationManager {
  /// Passes an error on; it answers a pending request. `denied` is reported once until access is
  /// granted or asked for again.
  func fail(_ error: LocationError) {
    if error.code == .denied && !authorization.isNewRefusal() { return }
    if fixes.isRequested {
      fixes.cancelRequest()
      run()
    }
    delegate?.locationManager(self, didFailWithError: error)
  }

  /// Says whether there is a fix.
  func reportFixState() {
    delegate?.locationManager(self, didChangeFixState: fixState)
  }

  /// That there is no fix is an error of the device that the last one was of, if it was of one of many.
  func loseFix(_ message: String) {
    fail(LocationError(.locationUnknown, message, deviceIdentifier: location?.sourceInformation?.deviceIdentifier))
  }

  /// That there is no heading does not answer a request for a location.
  func loseHeading(_ message: String) {
    delegate?.locationManager(self, didFailWithError: LocationError(.headingFailure, message))
  }

  /// The time of a request is up.
  func endRequest() {
    // Without any fix, the watch is about to say so: one loss, one error.
    if fixes.hasAnswer || fixWatch.hasExpired { answerRequest(orFailWith: "no fix within \(staleAfter) s") }
  }

  /// Answers a pending request with the best fix there was.
  func answerRequest(orFailWith message: String) {
    guard fixes.isRequested else { return }
    guard let best = fixes.takeAnswer() else { return fail(LocationError(.locationUnknown, message)) }
    run()
    delegate?.locationManager(self, didUpdateLocations: [best])
  }

  func finish() {
    answerRequest(orFailWith: "the recording ended without a fix")
    fixWatch.stop()
    headings.pause()
    delegate?.locationManagerDidReachEndOfRecording(self)
  }
}
