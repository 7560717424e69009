import TestSupport
import Testing

@testable import LocationKit

@MainActor
@Suite struct RequestLocationTests {
  let stage = Stage()
  var manager: LocationManager { stage.manager }
  var delegate: RecordingDelegate { stage.delegate }

  @Test func deliversOneFixAndStops() {
    manager.requestLocation()
    manager.requestLocation()
    #expect(stage.source.isRunning)
    stage.fix(north: 1)
    #expect(!stage.source.isRunning)
    stage.fix(north: 2)
    stage.clock.advance(by: 100)
    #expect(delegate.callsAfterAuthorization.count == 1)
    #expect(delegate.locations.count == 1)
  }

  @Test func deliversOneErrorAndStops() {
    manager.requestLocation()
    stage.source.send(.noFix)
    stage.clock.advance(by: 9.9)
    #expect(delegate.callsAfterAuthorization.isEmpty)
    stage.clock.advance(by: 1.1)
    #expect(delegate.callsAfterAuthorization == [.error(.locationUnknown)])
    #expect(!stage.source.isRunning)
    stage.fix()
    stage.clock.advance(by: 100)
    #expect(delegate.callsAfterAuthorization == [.error(.locationUnknown)])
  }

  @Test func failureOfTheSourceIsTheAnswer() {
    manager.requestLocation()
    stage.source.send(.failed(LocationError(.network, "refused")))
    stage.source.send(.failed(LocationError(.network, "refused")))
    stage.clock.advance(by: 100)
    #expect(delegate.callsAfterAuthorization == [.error(.network)])
    #expect(!stage.source.isRunning)
  }

  @Test func refusalIsTheAnswer() {
    let stage = Stage(authorizationStatus: .denied)
    stage.manager.requestLocation()
    stage.clock.advance(by: 100)
    #expect(stage.delegate.callsAfterAuthorization == [.error(.denied)])
    #expect(!stage.source.isRunning)
  }

  @Test func waitsForTheDesiredAccuracy() {
    manager.desiredAccuracy = 10
    manager.requestLocation()
    stage.fix(accuracy: 40)
    stage.fix(accuracy: nil)
    stage.fix(accuracy: 11)
    #expect(delegate.locations.isEmpty)
    stage.fix(accuracy: 10)
    #expect(delegate.locations.map(\.horizontalAccuracy) == [10])
    #expect(!stage.source.isRunning)
  }

  @Test func deliversTheBestWhenTheTimeIsUp() {
    manager.desiredAccuracy = 5
    manager.requestLocation()
    for accuracy: Double? in [nil, 40, 12, 30, nil] { stage.fix(accuracy: accuracy) }
    stage.clock.advance(by: 6)
    #expect(delegate.locations.map(\.horizontalAccuracy) == [12])
    #expect(delegate.errors.isEmpty)
    #expect(!stage.source.isRunning)
  }

  @Test func aLaterFixOfUnknownAccuracyIsBetterThanAnEarlierOne() {
    manager.desiredAccuracy = 5
    manager.requestLocation()
    stage.fix(north: 1)
    stage.fix(north: 2)
    stage.clock.advance(by: 10)
    #expect(delegate.locations == [stage.manager.location])
  }

  @Test func stopCancels() {
    manager.requestLocation()
    manager.stopUpdatingLocation()
    #expect(!stage.source.isRunning)
    stage.fix()
    stage.clock.advance(by: 100)
    #expect(delegate.callsAfterAuthorization.isEmpty)
  }

  @Test func besidesUpdatesOneFixAnswersBoth() {
    manager.distanceFilter = 1000
    manager.startUpdatingLocation()
    stage.fix()
    stage.fix(north: 1)
    manager.requestLocation()
    stage.fix(north: 2)
    #expect(delegate.locations.count == 2)
    #expect(stage.source.isRunning)
    stage.fix(north: 3)
    #expect(delegate.locations.count == 2)
  }

  @Test func theDistanceFilterCountsFromAnAnswer() {
    manager.distanceFilter = 100
    manager.startUpdatingLocation()
    stage.fix()
    manager.requestLocation()
    stage.fix(north: 60)
    stage.fix(north: 120)
    #expect(delegate.locations.count == 2, "60 m from the answer")
    stage.fix(north: 170)
    #expect(delegate.locations.count == 3)
  }

  @Test func theDistanceFilterCountsFromABestAnswer() {
    manager.distanceFilter = 100
    manager.desiredAccuracy = 5
    manager.startUpdatingLocation()
    stage.fix(accuracy: 20)
    manager.requestLocation()
    stage.fix(north: 60, accuracy: 10)
    stage.clock.advance(by: 9.5)
    #expect(delegate.locations.count == 2)
    stage.fix(after: 0.1, north: 120, accuracy: 20)
    #expect(delegate.locations.count == 2, "60 m from the answer")
  }

  @Test func besidesUpdatesOneErrorAnswersBoth() {
    manager.startUpdatingLocation()
    stage.fix()
    manager.requestLocation()
    stage.clock.advance(by: 100)
    #expect(delegate.errors == [.locationUnknown])
    // The loss has been reported: a new request is answered all the same.
    manager.requestLocation()
    stage.clock.advance(by: 100)
    #expect(delegate.errors == [.locationUnknown, .locationUnknown])
    #expect(stage.source.isRunning)
  }

  @Test func mayBeMadeAgainWithinTheAnswer() {
    var count = 0
    delegate.onCall = { [manager] call in
      guard case .locations = call else { return }
      count += 1
      if count < 3 { manager.requestLocation() }
    }
    manager.requestLocation()
    for _ in 0..<5 { stage.fix() }
    #expect(delegate.locations.count == 3)
    #expect(!stage.source.isRunning)
  }

  @Test func endOfARecordingIsAnAnswer() {
    manager.requestLocation()
    stage.source.send(.finished)
    #expect(delegate.callsAfterAuthorization == [.error(.locationUnknown), .end])
    manager.desiredAccuracy = 1
    manager.requestLocation()
    stage.fix(accuracy: 20)
    stage.source.send(.finished)
    #expect(delegate.locations.count == 1)
    #expect(!stage.source.isRunning)
  }

  /// The clock of a recording that has ended stands still, so nothing can wait for it.
  @Test func aRequestAfterTheEndOfARecordingFailsAtOnce() async throws {
    manager.startUpdatingLocation()
    stage.fix()
    stage.source.send(.status(.finished))
    stage.source.send(.finished)
    let before = delegate.calls.count
    manager.requestLocation()
    #expect(delegate.calls.count == before, "not within the call")
    try #require(await eventually { delegate.calls.count > before })
    #expect(delegate.calls.suffix(from: before) == [.error(.locationUnknown)])
    // The next request gets an answer of its own.
    manager.requestLocation()
    try #require(await eventually { delegate.calls.count > before + 1 })
    #expect(delegate.calls.suffix(from: before) == [.error(.locationUnknown), .error(.locationUnknown)])
    // The same is true of other answers.
    let region = Region(center: LocationCoordinate2D(latitude: 1, longitude: 2), radius: 10, identifier: "a")
    manager.requestState(for: region)
    try #require(await eventually { delegate.calls.count > before + 2 })
  }
}
