import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct UpdatingLocationTests: StageSuite {
  let stage = Stage()

  @Test func deliversEachFixUntilStopped() {
    #expect(!stage.source.isRunning)
    manager.startUpdatingLocation()
    manager.startUpdatingLocation()
    #expect(stage.source.isRunning)
    #expect(stage.source.startCount == 1)
    stage.fix(north: 1)
    stage.fix(north: 2)
    #expect(delegate.locations.count == 2)
    #expect(manager.location == delegate.locations.last)
    manager.stopUpdatingLocation()
    #expect(!stage.source.isRunning)
    stage.fix(north: 3)
    #expect(delegate.locations.count == 2)
    #expect(manager.location == delegate.locations.last)
  }

  @Test func toldOfItsAuthorizationOnceAfterCreation() {
    #expect(delegate.calls.isEmpty)
    stage.clock.advance(by: 0)
    #expect(delegate.calls == [.authorization(.authorizedAlways)])
    manager.startUpdatingLocation()
    stage.clock.advance(by: 5)
    #expect(delegate.calls == [.authorization(.authorizedAlways)])
  }

  @Test func distanceFilterCountsFromTheLastDeliveredFix() {
    manager.distanceFilter = 10
    manager.startUpdatingLocation()
    for north in [0.0, 4, 8, 9.99, 10.01, 15, 20, 20.02, 11, 9.9] { stage.fix(north: north) }
    let north = delegate.locations.map { (($0.coordinate.latitude - 51) * 11_124_824).rounded() / 100 }
    #expect(north == [0, 10.01, 20.02, 9.9])
    // What is held back is known all the same, and keeps the location from being stale.
    stage.fix(north: 10)
    #expect(manager.location == stage.location(north: 10))
    #expect(delegate.errors.isEmpty)
  }

  @Test func aFixExactlyAtTheDistanceFilterPasses() {
    manager.distanceFilter = stage.location().coordinate.distance(from: stage.location(north: 20).coordinate)
    manager.startUpdatingLocation()
    for north in [0.0, 19.9, 20] { stage.fix(north: north) }
    #expect(delegate.locations.count == 2 && delegate.locations.last == manager.location)
  }

  @Test func firstFixAfterARestartPassesTheDistanceFilter() {
    manager.distanceFilter = 10
    manager.startUpdatingLocation()
    stage.fix()
    stage.fix(north: 1)
    manager.stopUpdatingLocation()
    manager.startUpdatingLocation()
    stage.fix(north: 2)
    #expect(delegate.locations.count == 2)
  }

  @Test(arguments: [nil, 0, -1, Double.nan] as [Double?])
  func noDistanceFilter(value: Double?) {
    manager.distanceFilter = value
    manager.startUpdatingLocation()
    stage.fix()
    stage.fix()
    #expect(delegate.locations.count == 2)
  }

  @Test func accuracyFilterTreatsPoorFixesAsNone() {
    manager.accuracyFilter = 20
    manager.startUpdatingLocation()
    stage.fix(accuracy: 30)
    stage.fix(accuracy: nil)
    #expect(manager.location == nil)
    stage.fix(accuracy: 20)
    #expect(delegate.locations.count == 1)
    for _ in 0..<12 { stage.fix(accuracy: 21) }
    #expect(delegate.locations.count == 1)
    #expect(delegate.errors == [.locationUnknown])
  }

  @Test func ignoresWhatIsNoCoordinate() {
    manager.startUpdatingLocation()
    stage.source.send(.location(Location(latitude: .nan, longitude: 0)))
    stage.source.send(.location(Location(latitude: 0, longitude: 181)))
    #expect(delegate.locations.isEmpty)
    #expect(manager.location == nil)
  }

  @Test func delegateMayStopWithinACall() {
    delegate.onCall = { [manager] call in
      if case .locations = call { manager.stopUpdatingLocation() }
    }
    manager.startUpdatingLocation()
    stage.fix()
    stage.fix()
    #expect(delegate.locations.count == 1)
    #expect(!stage.source.isRunning)
  }

  @Test func managersShareASource() {
    let (other, otherDelegate) = stage.another()
    other.distanceFilter = 100
    manager.startUpdatingLocation()
    other.startUpdatingLocation()
    #expect(stage.source.startCount == 1)
    stage.fix()
    stage.fix(north: 50)
    manager.stopUpdatingLocation()
    #expect(stage.source.isRunning)
    stage.fix(north: 150)
    #expect(delegate.locations.count == 2)
    #expect(otherDelegate.locations.count == 2)
    other.stopUpdatingLocation()
    #expect(!stage.source.isRunning)
  }

  @Test func releasedManagerStopsItsSource() {
    weak var released: LocationManager?
    do {
      let other = LocationManager(source: stage.source)
      other.startUpdatingLocation()
      other.startMonitoring(
        for: Region(center: LocationCoordinate2D(latitude: 0, longitude: 0), radius: 9, identifier: "a"))
      other.requestLocation()
      #expect(stage.source.isRunning)
      released = other
    }
    #expect(released == nil)
    #expect(!stage.source.isRunning)
    stage.clock.advance(by: 100)
  }

  /// The authorization comes before the first event, even if the clock stands still.
  @Test func passesOnWhatTheSourceSays() {
    manager.startUpdatingLocation()
    manager.startUpdatingSatellites()
    let waiting = LocationSourceStatus.waiting(reason: "refused", retryIn: 1)
    let satellites = [Satellite(system: .gps, number: 5, azimuth: 41, elevation: 71, signal: 45, isUsed: true)]
    for event in [
      .satellites(satellites), .status(waiting), .failed(LocationError(.network, "gone")), .finished,
    ] as [LocationSourceEvent] {
      stage.source.send(event)
    }
    #expect(
      delegate.calls == [
        .authorization(.authorizedAlways), .satellites(satellites), .status(waiting), .error(.network), .end,
      ])
    // After the end nothing gets stale.
    stage.clock.advance(by: 1000)
    #expect(delegate.errors == [.network])
  }

  @Test func worksWithADelegateThatImplementsNothing() {
    final class Silent: LocationManagerDelegate {}
    let silent = Silent()
    manager.delegate = silent
    manager.startUpdatingLocation()
    manager.startUpdatingHeading()
    stage.fix()
    stage.source.send(.heading(Heading(magneticHeading: 1, headingAccuracy: 90)))
    stage.source.send(.finished)
    #expect(manager.location != nil)
    #expect(!silent.locationManagerShouldDisplayHeadingCalibration(manager))
  }

  @Test func delegateIsWeakAndItsReplacementIsNoticed() {
    let observer = DelegateCounter()
    manager.delegateObserver = observer
    do {
      let other = RecordingDelegate()
      manager.delegate = other
      #expect(observer.count == 1)
    }
    #expect(manager.delegate == nil)
    manager.delegate = nil
    #expect(observer.count == 2)
  }

  @Test func aDelegateObserverLivesAsLongAsTheManager() {
    weak var released: DelegateCounter?
    do {
      let other = LocationManager(source: stage.source)
      other.delegateObserver = DelegateCounter()
      released = other.delegateObserver as? DelegateCounter
      #expect(released != nil)
    }
    #expect(released == nil)
  }

  @Test func subclassesMayOverride() {
    final class Counting: LocationManager {
      var starts = 0
      override func startUpdatingLocation() {
        starts += 1
        super.startUpdatingLocation()
      }
    }
    let counting = Counting(source: stage.source)
    counting.startUpdatingLocation()
    #expect(counting.starts == 1)
    #expect(stage.source.isRunning)
  }

  @Test func aFixSetsNoTimer() {
    let clock = CountingClock()
    let source = SimulatedLocationSource(clock: clock)
    let manager = LocationManager(source: source)
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

private final class DelegateCounter: DelegateObserver {
  var count = 0

  func delegateDidChange() { count += 1 }
}

private final class CountingClock: LocationClock {
  let clock = VirtualClock()
  var schedules = 0
  var now: Double { clock.now }

  func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    schedules += 1
    return clock.schedule(after: seconds, action)
  }
}
