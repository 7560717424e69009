@testable import LocationKit

@MainActor
final class RecordingDelegate: LocationManagerDelegate {
  enum Call: Hashable {
    case locations([Location])
    case error(LocationError.Code)
    case authorization(AuthorizationStatus)
    case heading(Heading)
    case calibration
    case enter(String)
    case exit(String)
    case state(RegionState, String)
    case startedMonitoring(String)
    case monitoringFailed(String?, LocationError.Code)
    case pause, resume
    case visit(Visit)
    case status(LocationSourceStatus)
    case satellites([Satellite])
    case end
  }

  var calls: [Call] = []
  var messages: [String] = []
  var fixStates: [FixState] = []
  var doubts: [Doubts] = []
  var onCall: ((Call) -> Void)?

  /// The calls but for the first one of every manager, which tells the authorization.
  var callsAfterAuthorization: [Call] { calls.filter { if case .authorization = $0 { false } else { true } } }
  var locations: [Location] {
    calls.flatMap { if case .locations(let locations) = $0 { locations } else { [Location]() } }
  }
  var satellites: [[Satellite]] {
    calls.compactMap { if case .satellites(let satellites) = $0 { satellites } else { nil } }
  }
  var errors: [LocationError.Code] { calls.compactMap { if case .error(let code) = $0 { code } else { nil } } }
  var crossings: [Call] {
    calls.filter {
      switch $0 {
      case .enter, .exit: true
      default: false
      }
    }
  }

  private func note(_ call: Call) {
    calls.append(call)
    onCall?(call)
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    note(.locations(locations))
  }
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    messages.append(error.message)
    note(.error(error.code))
  }
  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    note(.authorization(manager.authorizationStatus))
  }
  func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading) { note(.heading(newHeading)) }
  func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool {
    note(.calibration)
    return true
  }
  func locationManager(_ manager: LocationManager, didEnterRegion region: Region) { note(.enter(region.identifier)) }
  func locationManager(_ manager: LocationManager, didExitRegion region: Region) { note(.exit(region.identifier)) }
  func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: Region) {
    note(.state(state, region.identifier))
  }
  func locationManager(_ manager: LocationManager, didStartMonitoringFor region: Region) {
    note(.startedMonitoring(region.identifier))
  }
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: Region?, withError error: LocationError
  ) {
    messages.append(error.message)
    note(.monitoringFailed(region?.identifier, error.code))
  }
  func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) { note(.pause) }
  func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) { note(.resume) }
  func locationManager(_ manager: LocationManager, didVisit visit: Visit) { note(.visit(visit)) }
  func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus) {
    note(.status(status))
  }
  func locationManager(_ manager: LocationManager, didChangeFixState state: FixState) { fixStates.append(state) }
  func locationManager(_ manager: LocationManager, didChangeDoubts doubts: Doubts) { self.doubts.append(doubts) }
  func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite]) {
    note(.satellites(satellites))
  }
  func locationManagerDidReachEndOfRecording(_ manager: LocationManager) { note(.end) }
}
