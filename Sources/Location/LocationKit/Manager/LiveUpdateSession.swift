/// One reader of `liveUpdates()`: a manager of its own on the same source.
@MainActor
final class LiveUpdateSession: LocationManagerDelegate {
  private let manager: LocationManager
  private let continuation: AsyncStream<LocationUpdate>.Continuation
  private var detector: StationaryDetector

  init(
    source: any LocationSource, staleAfter: Double, activity: ActivityType,
    continuation: AsyncStream<LocationUpdate>.Continuation
  ) {
    manager = LocationManager(source: source)
    detector = StationaryDetector(activity)
    self.continuation = continuation
    manager.delegate = self
    manager.staleAfter = staleAfter
  }

  /// Runs until the reader is gone; the continuation keeps this object.
  func start() {
    continuation.onTermination = { [self] _ in
      Task { @MainActor in stop() }
    }
    manager.startUpdatingLocation()
  }

  private func stop() {
    manager.stopUpdatingLocation()
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    for location in locations {
      let isStationary = detector.update(location.coordinate, at: manager.source.clock.now)
      continuation.yield(LocationUpdate(location: location, stationary: isStationary))
    }
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    continuation.yield(
      LocationUpdate(
        locationUnavailable: error.code == .locationUnknown, authorizationDenied: error.code == .denied, error: error))
  }

  func locationManagerDidReachEndOfRecording(_ manager: LocationManager) {
    continuation.finish()
  }
}
