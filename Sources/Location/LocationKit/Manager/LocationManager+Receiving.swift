extension LocationManager {
  /// Takes one event. The source calls it, on the main actor; nobody else needs to.
  public func receive(_ event: LocationSourceEvent) {
    if !deferredCalls.isEmpty { deferredCalls.run() }
    switch event {
    case .location(let location):
      receive(location)
    case .noFix:
      fixWatch.expire()
    case .heading(let heading):
      receive(heading)
    case .satellites(let seen, let used):
      delegate?.locationManager(self, didUpdateSatellitesSeen: seen, used: used)
    case .status(let status):
      checkAuthorization()
      delegate?.locationManager(self, didChangeSourceStatus: status)
    case .failed(let error):
      fail(error)
      checkAuthorization()
    case .finished:
      finish()
    }
  }

  // MARK: Fixes

  private func receive(_ fix: Location) {
    guard needsFixes, fix.coordinate.isValid else { return }
    if let worstAccuracy, !(fix.horizontalAccuracy ?? .infinity <= worstAccuracy) { return }
    let fixes = [fix]
    lastFixes = fixes
    let now = clock.now
    let endsLoss = fixWatch.refresh(at: now)
    if isUpdatingLocation || request != nil { deliver(fixes, fix, at: now, endsLoss: endsLoss) }
    if followsMovement {
      updateRegions(fix, at: now)
      updateVisit(fix, at: now)
    }
  }

  private func deliver(_ fixes: [Location], _ fix: Location, at now: Double, endsLoss: Bool) {
    var decision = UpdateFilter.Decision.hold
    if isUpdatingLocation {
      decision = updateFilter.update(fix.coordinate, at: now, endsLoss: endsLoss)
    }
    if let request, request.isAnswered(by: fix, desiredAccuracy: desiredAccuracy) {
      self.request = nil
      run()
      if decision == .hold {
        updateFilter.didDeliver(fix.coordinate)
        decision = .deliver
      }
    }
    switch decision {
    case .hold:
      break
    case .deliver:
      delegate?.locationManager(self, didUpdateLocations: fixes)
    case .deliverAndPause:
      delegate?.locationManager(self, didUpdateLocations: fixes)
      // The delegate may have stopped the updates.
      if isUpdatingLocation { delegate?.locationManagerDidPauseLocationUpdates(self) }
    case .resumeAndDeliver:
      delegate?.locationManagerDidResumeLocationUpdates(self)
      if isUpdatingLocation { delegate?.locationManager(self, didUpdateLocations: fixes) }
    }
  }

  private func updateVisit(_ fix: Location, at now: Double) {
    guard let visit = visitDetector?.update(fix, at: now) else { return }
    delegate?.locationManager(self, didVisit: visit)
  }

  // MARK: Headings

  private func receive(_ newHeading: Heading) {
    guard isUpdatingHeading else { return }
    lastHeading = newHeading
    _ = headingWatch.refresh(at: clock.now)
    askForCalibration(newHeading)
    if headingGate.update(newHeading) { delegate?.locationManager(self, didUpdateHeading: newHeading) }
  }

  /// Asks the delegate once each time the compass becomes poor.
  private func askForCalibration(_ heading: Heading) {
    let wasPoor = isHeadingPoor
    isHeadingPoor = (heading.headingAccuracy ?? 0) > 30
    if isHeadingPoor && !wasPoor { _ = delegate?.locationManagerShouldDisplayHeadingCalibration(self) }
  }

  // MARK: Failures and the end

  /// Passes an error on; it answers a pending request. `denied` is told once until it is mended or asked again.
  func fail(_ error: LocationError) {
    if error.code == .denied {
      guard !hasReportedRefusal else { return }
      hasReportedRefusal = true
    }
    if request != nil {
      request = nil
      run()
    }
    delegate?.locationManager(self, didFailWithError: error)
  }

  /// No fix came for `staleAfter` seconds, or the receiver says that it has none.
  func loseFix(_ reason: StalenessWatch.Reason) {
    switch reason {
    case .denial: fail(LocationError(.locationUnknown, "the receiver has no fix"))
    case .silence: fail(LocationError(.locationUnknown, "no fix for \(staleAfter) s"))
    }
  }

  /// No heading came for `staleAfter` seconds. That does not answer a request for a location.
  func loseHeading() {
    let error = LocationError(.headingFailure, "no heading for \(staleAfter) s")
    delegate?.locationManager(self, didFailWithError: error)
  }

  /// The time of a request is up.
  func endRequest() {
    // Without any fix, the watch is about to say so: one loss, one error.
    if request?.best != nil || fixWatch.hasExpired { answerRequest(orFailWith: "no fix within \(staleAfter) s") }
  }

  /// Answers a pending request with the best fix there was.
  private func answerRequest(orFailWith message: String) {
    guard let request else { return }
    guard let best = request.best else { return fail(LocationError(.locationUnknown, message)) }
    self.request = nil
    run()
    updateFilter.didDeliver(best.coordinate)
    delegate?.locationManager(self, didUpdateLocations: [best])
  }

  private func finish() {
    answerRequest(orFailWith: "the recording ended without a fix")
    fixWatch.stop()
    headingWatch.stop()
    delegate?.locationManagerDidReachEndOfRecording(self)
  }
}
