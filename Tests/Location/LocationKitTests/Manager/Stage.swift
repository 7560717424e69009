import FoundationEssentials

@testable import LocationKit

/// A manager with a source, a clock and a delegate under a test's control.
@MainActor
final class Stage {
  let clock = VirtualClock()
  let source: SimulatedLocationSource
  let manager: LocationManager
  let delegate = RecordingDelegate()

  init(authorizationStatus: AuthorizationStatus = .authorizedAlways) {
    source = SimulatedLocationSource(clock: clock, authorizationStatus: authorizationStatus)
    manager = LocationManager(source: source)
    manager.delegate = delegate
  }

  /// Moves the clock on and sends a fix that many metres north and east of 51° N, 7° E.
  @discardableResult
  func fix(
    after seconds: Double = 1, north: Double = 0, east: Double = 0, accuracy: Double? = nil
  ) -> Location {
    clock.advance(by: seconds)
    let fix = location(north: north, east: east, accuracy: accuracy)
    source.send(.location(fix))
    return fix
  }

  func location(north: Double = 0, east: Double = 0, accuracy: Double? = nil) -> Location {
    var location = Location(latitude: 51 + north / 111_248.24, longitude: 7 + east / 70_197.65)
    location.horizontalAccuracy = accuracy
    location.timestamp = Date(timeIntervalSince1970: 1_700_000_000 + clock.now)
    return location
  }
}
