public import LocationKit
public import RxBinding

extension DelegateMethod
where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, locations: [Location]) {
  /// `locationManager(_:didUpdateLocations:)`
  public static var didUpdateLocations: Self { Self() }
}

extension DelegateMethod
where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, error: LocationError) {
  /// `locationManager(_:didFailWithError:)`
  public static var didFailWithError: Self { Self() }
}

extension DelegateMethod
where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, status: AuthorizationStatus) {
  /// `locationManagerDidChangeAuthorization(_:)`
  public static var didChangeAuthorization: Self { Self() }
}

extension DelegateMethod where Delegate == any LocationManagerDelegate, Arguments == LocationManager {
  /// `locationManagerDidPauseLocationUpdates(_:)`
  public static var didPauseLocationUpdates: Self { Self() }

  /// `locationManagerDidResumeLocationUpdates(_:)`
  public static var didResumeLocationUpdates: Self { Self() }

  /// `locationManagerShouldDisplayHeadingCalibration(_:)`
  public static var shouldDisplayHeadingCalibration: Self { Self() }

  /// `locationManagerDidReachEndOfRecording(_:)`
  public static var didReachEndOfRecording: Self { Self() }
}

extension DelegateMethod
where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, heading: Heading) {
  /// `locationManager(_:didUpdateHeading:)`
  public static var didUpdateHeading: Self { Self() }
}

extension DelegateMethod
where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, visit: Visit) {
  /// `locationManager(_:didVisit:)`
  public static var didVisit: Self { Self() }
}

extension DelegateMethod
where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, region: CircularRegion) {
  /// `locationManager(_:didEnterRegion:)`
  public static var didEnterRegion: Self { Self() }

  /// `locationManager(_:didExitRegion:)`
  public static var didExitRegion: Self { Self() }

  /// `locationManager(_:didStartMonitoringFor:)`
  public static var didStartMonitoring: Self { Self() }
}

extension DelegateMethod
where
  Delegate == any LocationManagerDelegate,
  Arguments == (manager: LocationManager, state: RegionState, region: CircularRegion)
{
  /// `locationManager(_:didDetermineState:for:)`
  public static var didDetermineState: Self { Self() }
}

extension DelegateMethod
where
  Delegate == any LocationManagerDelegate,
  Arguments == (manager: LocationManager, region: CircularRegion?, error: LocationError)
{
  /// `locationManager(_:monitoringDidFailFor:withError:)`
  public static var monitoringDidFail: Self { Self() }
}

extension DelegateMethod
where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, status: LocationSourceStatus) {
  /// `locationManager(_:didChangeSourceStatus:)`
  public static var didChangeSourceStatus: Self { Self() }
}

extension DelegateMethod
where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, seen: Int, used: Int) {
  /// `locationManager(_:didUpdateSatellitesSeen:used:)`
  public static var didUpdateSatellites: Self { Self() }
}
