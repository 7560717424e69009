/// One call of `requestLocation()` that has not been answered.
@MainActor
final class LocationRequest {
  /// The most accurate fix so far.
  private(set) var best: Location?
  private var timer: LocationTimer?

  /// Begins to wait; `onTimeout` is called when that has lasted `seconds`.
  init(clock: any LocationClock, seconds: Double, onTimeout: @escaping @MainActor () -> Void) {
    if seconds < .infinity { timer = clock.schedule(after: seconds, onTimeout) }
  }

  /// Takes a fix; returns whether it is accurate enough to be the answer.
  func isAnswered(by location: Location, desiredAccuracy: LocationAccuracy) -> Bool {
    let accuracy = location.horizontalAccuracy ?? .infinity
    // Negative values ask for the best there is. A receiver on a host always works at its best.
    if desiredAccuracy <= 0 || accuracy <= desiredAccuracy { return true }
    if accuracy <= best?.horizontalAccuracy ?? .infinity { best = location }
    return false
  }
}
