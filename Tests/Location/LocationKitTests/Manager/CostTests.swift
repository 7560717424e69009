import Testing

@testable import LocationKit

@MainActor
@Suite struct CostTests {
  /// Counts what a manager asks of its clock.
  final class CountingClock: LocationClock {
    let clock = VirtualClock()
    var schedules = 0
    var now: Double { clock.now }
    func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
      schedules += 1
      return clock.schedule(after: seconds, action)
    }
  }

  @Test func aFixSetsNoTimer() {
    let clock = CountingClock()
    let source = SimulatedLocationSource(clock: clock)
    let manager = LocationManager(source: source)
    let delegate = RecordingDelegate()
    manager.delegate = delegate
    manager.startUpdatingLocation()
    let before = clock.schedules
    for _ in 0..<2000 {
      clock.clock.advance(by: 0.05)
      source.send(.location(Location(latitude: 1, longitude: 2)))
    }
    #expect(delegate.locations.count == 2000)
    // The watch looks again each 10 s at most, however many fixes there are in 100 s.
    #expect(clock.schedules - before <= 11)
  }
}
