/// Who hears from a `LocationManager`. Core Location's `CLLocationManagerDelegate`.
///
/// Every method has a default implementation that does nothing, so a delegate writes those it needs. All are
/// called on the main actor, in the order in which the source had the events. When a delegate
/// proxy does not write a method, the default implementation calls the delegate behind the proxy.
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
  /// The delegate behind this one, if this one is a proxy.
  private var delegateBehind: (any LocationManagerDelegate)? {
    (self as? any DelegateForwarder)?.forwardToDelegate(as: (any LocationManagerDelegate).self)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    delegateBehind?.locationManager(manager, didUpdateLocations: locations)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    delegateBehind?.locationManager(manager, didFailWithError: error)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    delegateBehind?.locationManagerDidChangeAuthorization(manager)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading) {
    delegateBehind?.locationManager(manager, didUpdateHeading: newHeading)
  }

  /// Answers `false`; a proxy asks the delegate behind it.
  public func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool {
    delegateBehind?.locationManagerShouldDisplayHeadingCalibration(manager) ?? false
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {
    delegateBehind?.locationManager(manager, didEnterRegion: region)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {
    delegateBehind?.locationManager(manager, didExitRegion: region)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) {
    delegateBehind?.locationManager(manager, didDetermineState: state, for: region)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion) {
    delegateBehind?.locationManager(manager, didStartMonitoringFor: region)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError
  ) {
    delegateBehind?.locationManager(manager, monitoringDidFailFor: region, withError: error)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {
    delegateBehind?.locationManagerDidPauseLocationUpdates(manager)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {
    delegateBehind?.locationManagerDidResumeLocationUpdates(manager)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
    delegateBehind?.locationManager(manager, didVisit: visit)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus) {
    delegateBehind?.locationManager(manager, didChangeSourceStatus: status)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didChangeFixState state: FixState) {
    delegateBehind?.locationManager(manager, didChangeFixState: state)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite]) {
    delegateBehind?.locationManager(manager, didUpdateSatellites: satellites)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManagerDidReachEndOfRecording(_ manager: LocationManager) {
    delegateBehind?.locationManagerDidReachEndOfRecording(manager)
  }
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

/// Stands where an object's delegate stands and has another delegate behind it, as a delegate proxy does.
///
/// When it does not write a method, the default implementation calls the delegate behind it, so that no call is lost.
@MainActor
public protocol DelegateForwarder: AnyObject {
  /// The delegate behind this one.
  ///
  /// - Parameter type: The delegate's type: an existential, `(any LocationManagerDelegate).self`.
  /// - Returns: The delegate; `nil` when there is none, or when it is not of this type.
  func forwardToDelegate<Delegate>(as type: Delegate.Type) -> Delegate?
}
