// RxMacrosTests has this file, too, with proxies that the macro writes; without the macro it is empty there.
#if Macros || !BY_MACRO
  import LocationKit
  import Rx

  /// A manager with a source and a clock that move when they are told to.
  @MainActor
  struct Rig {
    let clock: VirtualClock
    let source: SimulatedLocationSource
    let manager: TestedManager

    init(authorizationStatus: AuthorizationStatus = .authorizedAlways) {
      clock = VirtualClock()
      source = SimulatedLocationSource(clock: clock, authorizationStatus: authorizationStatus)
      manager = TestedManager(source: source)
    }

    func send(_ latitude: Double, _ longitude: Double = 0) {
      source.send(.location(Location(latitude: latitude, longitude: longitude)))
    }
  }

  /// A user's own delegate that writes down what it is called with.
  final class Clerk: LocationManagerDelegate {
    var log: [String] = []
    var displaysCalibration = false

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      log.append("didUpdateLocations \(locations.map(\.coordinate.latitude))")
    }

    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
      log.append("didFailWithError \(error.code)")
    }

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) { log.append("didChangeAuthorization") }

    func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading) {
      log.append("didUpdateHeading \(newHeading.trueHeading ?? -1)")
    }

    func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool {
      log.append("shouldDisplayHeadingCalibration")
      return displaysCalibration
    }

    func locationManager(_ manager: LocationManager, didEnterRegion region: Region) {
      log.append("didEnterRegion \(region.identifier)")
    }

    func locationManager(_ manager: LocationManager, didExitRegion region: Region) {
      log.append("didExitRegion \(region.identifier)")
    }

    func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: Region) {
      log.append("didDetermineState \(state) \(region.identifier)")
    }

    func locationManager(_ manager: LocationManager, didStartMonitoringFor region: Region) {
      log.append("didStartMonitoring \(region.identifier)")
    }

    func locationManager(
      _ manager: LocationManager, monitoringDidFailFor region: Region?, withError error: LocationError
    ) { log.append("monitoringDidFail \(region?.identifier ?? "none") \(error.code)") }

    func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) { log.append("didPauseLocationUpdates") }
    func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) { log.append("didResumeLocationUpdates") }

    func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
      log.append("didVisit \(visit.hasDeparted)")
    }

    func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus) {
      log.append("didChangeSourceStatus \(status)")
    }

    func locationManager(_ manager: LocationManager, didChangeFixState state: FixState) {
      log.append("didChangeFixState \(state)")
    }

    func locationManager(_ manager: LocationManager, didChangeDoubts doubts: Doubts) {
      log.append("didChangeDoubts \(doubts.names)")
    }

    func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite]) {
      log.append("didUpdateSatellites \(satellites.map(\.number))")
    }

    func locationManagerDidReachEndOfRecording(_ manager: LocationManager) { log.append("didReachEndOfRecording") }
  }
#endif
