/// Who hears from a `LocationManager`. Core Location's `CLLocationManagerDelegate`.
///
/// Every method has a default implementation that does nothing, so a delegate writes those it needs. All are
/// called on the main actor, in the order in which the source had the events.
@MainActor
public protocol LocationManagerDelegate: CoreLocationSpelling {
  /// New locations, oldest first: there is at least one, and the last is the newest. Sources deliver on time, so
  /// there is one as a rule.
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])

  /// The manager could not get what it was asked for. It goes on trying unless the code is `denied`.
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)

  /// The authorization was determined or has changed; called once after a manager is created, too.
  func locationManagerDidChangeAuthorization(_ manager: LocationManager)

  /// A new heading.
  func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading)

  /// The compass is poor: whether the program wants to show somebody how to calibrate it. `false` by default.
  func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool

  /// The receiver crossed into a region that is watched.
  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion)

  /// The receiver crossed out of a region that is watched.
  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion)

  /// The state of a region: the first one known, each change, and the answer to `requestState(for:)`.
  func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion)

  /// A region is being watched from now on.
  func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion)

  /// A region cannot be watched; the error says why.
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError)

  /// The manager holds back updates, because the receiver has not moved for a while.
  func locationManagerDidPauseLocationUpdates(_ manager: LocationManager)

  /// Updates go on after a pause.
  func locationManagerDidResumeLocationUpdates(_ manager: LocationManager)

  /// A stay at a place began or ended.
  func locationManager(_ manager: LocationManager, didVisit visit: Visit)

  /// The source changed state: it connects, waits for its next try, ends. Not Core Location's.
  func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus)

  /// There is a fix, or none any more, or none for another reason than before: after `didUpdateLocations` and
  /// `didFailWithError`. Not Core Location's.
  func locationManager(_ manager: LocationManager, didChangeFixState state: FixState)

  /// The satellites in view, each once, or something about them, has changed: between `startUpdatingSatellites()` and
  /// `stopUpdatingSatellites()`. Not Core Location's.
  func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite])

  /// The recording is at its end and no event follows. Not Core Location's; a live source never ends.
  func locationManagerDidReachEndOfRecording(_ manager: LocationManager)
}

extension LocationManagerDelegate {
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}

  /// Does nothing.
  public func locationManagerDidChangeAuthorization(_ manager: LocationManager) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading) {}

  /// Answers `false`.
  public func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool { false }

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError
  ) {}

  /// Does nothing.
  public func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {}

  /// Does nothing.
  public func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didVisit visit: Visit) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didChangeFixState state: FixState) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite]) {}

  /// Does nothing.
  public func locationManagerDidReachEndOfRecording(_ manager: LocationManager) {}
}

/// What an object holds for those who stand between it and its delegate, as a delegate proxy does.
///
/// Swift has no associated objects, so the object gives it a place. It is held strongly: it must hold the object weakly, or
/// neither is ever released.
@MainActor
public protocol DelegateObserver: AnyObject {
  /// Somebody has set the object's delegate. It is not called when a delegate is released and the reference becomes `nil`
  /// by itself.
  func delegateDidChange()
}
