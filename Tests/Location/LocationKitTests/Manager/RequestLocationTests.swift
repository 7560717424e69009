import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct RequestLocationTests: StageSuite {
  let stage = Stage()

  /// What happens, what the delegate hears and at which second, and whether the source runs on.
  @Test(
    arguments: [
      ("one fix", [.request, .request, .pass(1), .fix, .pass(1), .fix, .pass(100)], ["fix 1.0"], false),
      ("one error", [.request, .noFix, .pass(100), .fix, .pass(100)], ["locationUnknown 10.25"], false),
      ("a failure of the source", [.request, .failure, .failure, .pass(100)], ["network 0.0"], false),
      ("a stop cancels it", [.request, .stop, .fix, .pass(100)], [], false),
      (
        "besides updates one error answers both, and a new request after the loss is answered all the same",
        [.start, .fix, .request, .pass(100), .request, .pass(100)],
        ["fix 0.0", "locationUnknown 10.25", "locationUnknown 110.0"], true
      ),
    ] as [(String, [Step], [String], Bool)])
  func aRequestIsAnsweredOnce(when: String, steps: [Step], answers: [String], isRunning: Bool) {
    var heard: [String] = []
    delegate.onCall = { [clock = stage.clock] call in
      switch call {
      case .locations: heard.append("fix \(clock.now)")
      case .error(let code): heard.append("\(code) \(clock.now)")
      default: break
      }
    }
    stage.take(steps)
    #expect(heard == answers)
    #expect(stage.source.isRunning == isRunning)
  }

  @Test func refusalIsTheAnswer() {
    let stage = Stage(authorizationStatus: .denied)
    stage.take([.request, .pass(100)])
    #expect(stage.delegate.callsAfterAuthorization == [.error(.denied)])
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
