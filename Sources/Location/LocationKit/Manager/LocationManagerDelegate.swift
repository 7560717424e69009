/// The delegate of a `LocationManager`. Core Location's `CLLocationManagerDelegate`.
///
/// Every method has a default implementation that does nothing. All are called on the main actor, in the order of the
/// source's events. If a delegate proxy does not implement a method, the default implementation calls the delegate
/// behind the proxy.
@MainActor
public protocol LocationManagerDelegate: AnyObject {
  /// New locations, the oldest first; never empty. Sources deliver each fix on time, so there is usually one.
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])

  /// The manager could not do what the program requested. It keeps trying unless the code is `denied`.
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)

  /// The authorization is known or has changed. This is also called once after the creation of a manager.
  func locationManagerDidChangeAuthorization(_ manager: LocationManager)

  /// A new heading.
  func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading)

  /// The compass is inaccurate. Return whether to show the user how to calibrate it; `false` by default.
  func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool

  /// The receiver entered a monitored region.
  func locationManager(_ manager: LocationManager, didEnterRegion region: Region)

  /// The receiver left a monitored region.
  func locationManager(_ manager: LocationManager, didExitRegion region: Region)

  /// The state of a region: the first known one, each change, and the answer to `requestState(for:)`.
  func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: Region)

  /// The manager has started to monitor a region.
  func locationManager(_ manager: LocationManager, didStartMonitoringFor region: Region)

  /// The manager cannot monitor a region; the error gives the reason.
  func locationManager(_ manager: LocationManager, monitoringDidFailFor region: Region?, withError error: LocationError)

  /// The manager pauses updates, because the receiver has not moved for a while.
  func locationManagerDidPauseLocationUpdates(_ manager: LocationManager)

  /// The manager resumes updates after a pause.
  func locationManagerDidResumeLocationUpdates(_ manager: LocationManager)

  /// A visit began or ended.
  func locationManager(_ manager: LocationManager, didVisit visit: Visit)

  /// The source's status has changed, such as to connecting, waiting for the next try, or finished. Not Core
  /// Location's.
  func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus)

  /// The state of the fix has changed. This follows `didUpdateLocations` and `didFailWithError`. Not Core Location's.
  func locationManager(_ manager: LocationManager, didChangeFixState state: FixState)

  /// The reasons to doubt the fix have changed, after `didUpdateLocations` with the fix that has them. This is called after
  /// `startMonitoringDoubts()`. Not Core Location's.
  func locationManager(_ manager: LocationManager, didChangeDoubts doubts: Doubts)

  /// The satellites in view, each once, have changed. This is called between `startUpdatingSatellites()` and
  /// `stopUpdatingSatellites()`. Not Core Location's.
  func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite])

  /// The recording has ended and no event follows. A live source never ends. Not Core Location's.
  func locationManagerDidReachEndOfRecording(_ manager: LocationManager)
}

extension LocationManagerDelegate {
  private func delegateBehind(_ method: String = #function) -> (any LocationManagerDelegate)? {
    (self as? any DelegateForwarder)?.forwardToDelegate(as: (any LocationManagerDelegate).self, method: method)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    delegateBehind()?.locationManager(manager, didUpdateLocations: locations)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    delegateBehind()?.locationManager(manager, didFailWithError: error)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    delegateBehind()?.locationManagerDidChangeAuthorization(manager)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading) {
    delegateBehind()?.locationManager(manager, didUpdateHeading: newHeading)
  }

  /// Answers `false`; a proxy asks the delegate behind it.
  public func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool {
    delegateBehind()?.locationManagerShouldDisplayHeadingCalibration(manager) ?? false
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didEnterRegion region: Region) {
    delegateBehind()?.locationManager(manager, didEnterRegion: region)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didExitRegion region: Region) {
    delegateBehind()?.locationManager(manager, didExitRegion: region)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: Region) {
    delegateBehind()?.locationManager(manager, didDetermineState: state, for: region)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didStartMonitoringFor region: Region) {
    delegateBehind()?.locationManager(manager, didStartMonitoringFor: region)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: Region?, withError error: LocationError
  ) { delegateBehind()?.locationManager(manager, monitoringDidFailFor: region, withError: error) }

  /// Does nothing; a proxy forwards the call.
  public func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {
    delegateBehind()?.locationManagerDidPauseLocationUpdates(manager)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {
    delegateBehind()?.locationManagerDidResumeLocationUpdates(manager)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
    delegateBehind()?.locationManager(manager, didVisit: visit)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus) {
    delegateBehind()?.locationManager(manager, didChangeSourceStatus: status)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didChangeFixState state: FixState) {
    delegateBehind()?.locationManager(manager, didChangeFixState: state)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didChangeDoubts doubts: Doubts) {
    delegateBehind()?.locationManager(manager, didChangeDoubts: doubts)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite]) {
    delegateBehind()?.locationManager(manager, didUpdateSatellites: satellites)
  }

  /// Does nothing; a proxy forwards the call.
  public func locationManagerDidReachEndOfRecording(_ manager: LocationManager) {
    delegateBehind()?.locationManagerDidReachEndOfRecording(manager)
  }
}
