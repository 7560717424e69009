import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct PauseTests: StageSuite {
  let stage = Stage()
  /// Pauses, resumptions and errors.
  private var marks: [RecordingDelegate.Call] {
    delegate.callsAfterAuthorization.filter { if case .locations = $0 { false } else { true } }
  }

  private func rest(at north: Double = 0, seconds: Int) { stage.stay(at: north, seconds: seconds) }

  private func start(_ activity: ActivityType = .other) {
    manager.activityType = activity
    manager.pausesLocationUpdatesAutomatically = true
    manager.startUpdatingLocation()
  }

  private func pause() {
    start()
    rest(seconds: 1000)
  }

  @Test func isOffUnlessAskedFor() {
    manager.startUpdatingLocation()
    rest(seconds: 5000)
    #expect(delegate.locations.count == 5000)
    #expect(marks.isEmpty)
  }

  @Test func pausesAtRestAndResumesWithMovement() {
    start(.fitness)
    rest(seconds: 1000)
    #expect(marks == [.pause])
    // The first fix, those up to 180 s, and none after.
    #expect(delegate.locations.count == 181)
    #expect(manager.location == stage.location())
    rest(at: 20, seconds: 10)
    #expect(delegate.locations.count == 181)
    rest(at: 30, seconds: 10)
    #expect(marks == [.pause, .resume])
    #expect(delegate.locations.count == 191)
    #expect(
      delegate.calls.firstIndex(of: .resume)! < delegate.calls.firstIndex(of: .locations([delegate.locations[181]]))!)
    rest(at: 30, seconds: 1000)
    #expect(marks == [.pause, .resume, .pause])
  }

  @Test(arguments: ActivityType.allCases)
  func everyActivityPausesAtRestAndNotInMotion(activity: ActivityType) {
    start(activity)
    for step in 0..<2000 { stage.fix(north: Double(step) * 1.2) }
    #expect(marks.isEmpty)
    rest(at: 2400, seconds: 1000)
    #expect(marks == [.pause])
  }

  @Test func theActivityMayChangeMeanwhile() {
    start()
    manager.activityType = .fitness
    rest(seconds: 200)
    #expect(marks == [.pause])
  }

  @Test func anAircraftRestsInALargerPlace() {
    start(.airborne)
    for second in 0...900 { stage.fix(north: Double(second) * 0.5) }
    #expect(marks == [.pause])
  }

  /// Who stops with the fix that begins or ends a pause hears of neither the pause nor another fix.
  @Test(arguments: [false, true]) func theDelegateMayStopWithinTheCall(atTheEnd: Bool) {
    start(.fitness)
    rest(seconds: 180)
    if atTheEnd { rest(seconds: 1) }
    delegate.onCall = { [manager] _ in manager.stopUpdatingLocation() }
    stage.fix(north: atTheEnd ? 100 : 0)
    #expect(marks == (atTheEnd ? [.pause, .resume] : []))
    #expect(delegate.locations.count == 181)
  }

  @Test func theEdgeOfThePlaceIsInIt() {
    let (middle, edge) = (stage.location().coordinate, stage.location(north: 40).coordinate)
    var detector = StationaryDetector(radius: middle.distance(from: edge), duration: 5)
    let beyond = stage.location(north: 40.1).coordinate
    let rests = [(middle, 0.0), (edge, 4.9), (edge, 5), (beyond, 6)].map { detector.update($0, at: $1) }
    #expect(rests == [false, false, true, false])
  }

  @Test func aClockThatGoesBackStartsTheRestAnew() {
    let place = stage.location().coordinate
    var detector = StationaryDetector(radius: 40, duration: 5)
    #expect([100, 50, 54.9, 55].map { detector.update(place, at: $0) } == [false, false, false, true])
  }

  @Test func switchingItOffResumes() {
    pause()
    manager.pausesLocationUpdatesAutomatically = false
    #expect(marks == [.pause])
    rest(seconds: 1)
    #expect(marks == [.pause, .resume])
    #expect(delegate.locations.count == 602)
  }

  /// Regions are watched, and updates that nobody has begun cannot pause.
  @Test func withoutUpdatesNothingPauses() {
    manager.pausesLocationUpdatesAutomatically = true
    manager.startMonitoring(for: Region(center: stage.location().coordinate, radius: 100, identifier: "here"))
    rest(seconds: 1000)
    #expect(!delegate.calls.contains(.pause))
  }

  @Test func lossIsReportedInAPauseAndItsEndResumes() {
    pause()
    stage.clock.advance(by: 60)
    rest(seconds: 3)
    #expect(marks == [.pause, .error(.locationUnknown), .resume])
    #expect(delegate.locations.count == 604)
  }

  @Test func requestIsAnsweredInAPause() {
    pause()
    manager.requestLocation()
    rest(seconds: 3)
    #expect(marks == [.pause])
    #expect(delegate.locations.count == 602)
  }

  @Test func restartEndsAPauseSilently() {
    pause()
    manager.stopUpdatingLocation()
    manager.startUpdatingLocation()
    rest(seconds: 3)
    #expect(marks == [.pause])
    #expect(delegate.locations.count == 604)
  }
}
