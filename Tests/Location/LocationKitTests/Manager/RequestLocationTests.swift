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
    #expect(!stage.source.isRunning)
    stage.fix()
    stage.clock.advance(by: 100)
    #expect(delegate.callsAfterAuthorization == [.error(.locationUnknown)])
  }

  @Test(arguments: [AuthorizationStatus.authorizedAlways, .denied])
  func aRefusalAndAFailureOfTheSourceAreTheAnswer(status: AuthorizationStatus) {
    let stage = Stage(authorizationStatus: status)
    stage.manager.requestLocation()
    if status != .denied {
      for _ in 0..<2 { stage.source.send(.failed(LocationError(.network, "refused"))) }
    }
    stage.clock.advance(by: 100)
    #expect(stage.delegate.callsAfterAuthorization == [.error(status == .denied ? .denied : .network)])
    #expect(!stage.source.isRunning)
  }

  /// Waits for the desired accuracy, and takes the best fix when the time is up.
  @Test(arguments: [([40, nil, 11, 10, 3], 10), ([nil, 40, 12, 30, nil], 12)] as [([Double?], Double)])
  func answersWithTheDesiredAccuracyOrTheBest(accuracies: [Double?], answer: Double) {
    manager.desiredAccuracy = 10
    manager.requestLocation()
    for accuracy in accuracies { stage.fix(accuracy: accuracy) }
    #expect(stage.source.isRunning == (answer > 10))
    stage.clock.advance(by: 6)
    #expect(delegate.locations.map(\.horizontalAccuracy) == [answer])
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

  /// The answer is the next fix, or the best one when the time is up.
  @Test(arguments: [false, true]) func theDistanceFilterCountsFromAnAnswer(isLate: Bool) {
    manager.distanceFilter = 100
    if isLate { manager.desiredAccuracy = 5 }
    manager.startUpdatingLocation()
    stage.fix(accuracy: 20)
    manager.requestLocation()
    stage.fix(north: 60, accuracy: 10)
    if isLate { stage.clock.advance(by: 9.5) }
    #expect(delegate.locations.count == 2)
    stage.fix(after: 0.1, north: 120, accuracy: 20)
    #expect(delegate.locations.count == 2, "60 m from the answer")
    stage.fix(north: 170)
    #expect(delegate.locations.count == 3)
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
    // Each request gets an answer of its own.
    for count in 1...2 {
      manager.requestLocation()
      #expect(delegate.calls.count == before + count - 1, "not within the call")
      try #require(await eventually { delegate.calls.count == before + count })
    }
    #expect(delegate.calls.suffix(from: before) == [.error(.locationUnknown), .error(.locationUnknown)])
    // The same is true of other answers.
    manager.requestState(for: Region(center: stage.location().coordinate, radius: 10, identifier: "a"))
    try #require(await eventually { delegate.calls.count > before + 2 })
  }
}
