import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct HeadingTests: StageSuite {
  let stage = Stage()

  private func send(_ headings: Heading...) {
    for heading in headings {
      stage.clock.advance(by: 0.5)
      stage.source.send(.heading(heading))
    }
  }
  private var delivered: [Heading] {
    delegate.calls.compactMap { if case .heading(let heading) = $0 { heading } else { nil } }
  }

  /// Across north in both directions, by true and by magnetic headings.
  @Test(arguments: [false, true]) func deliversTurnsOfTheFilter(_ isMagnetic: Bool) {
    manager.headingFilter = 5
    manager.startUpdatingHeading()
    for degrees in [358.0, 2, 3, 359, 353, 358, 0, 356] {
      send(isMagnetic ? Heading(magneticHeading: degrees) : Heading(trueHeading: degrees))
    }
    let directions = delivered.map { isMagnetic ? $0.magneticHeading : $0.trueHeading }
    #expect(directions == [358, 3, 353, 358])
  }

  @Test func oneDegreeUnlessAnotherFilterIsSet() {
    manager.startUpdatingHeading()
    send(Heading(magneticHeading: 10), Heading(magneticHeading: 10.5), Heading(magneticHeading: 11))
    #expect(delivered.map(\.magneticHeading) == [10, 11])
    // The first one after a restart is delivered.
    manager.stopUpdatingHeading()
    manager.startUpdatingHeading()
    send(Heading(magneticHeading: 11), Heading(magneticHeading: 11))
    #expect(delivered.count == 3)
    manager.headingFilter = kHeadingFilterNone
    send(Heading(magneticHeading: 11), Heading(magneticHeading: 11))
    #expect(delivered.count == 5)
  }

  @Test func headingsOfDifferentKindsAreNotCompared() {
    manager.headingFilter = 90
    manager.startUpdatingHeading()
    send(Heading(magneticHeading: 10), Heading(trueHeading: 10), Heading(magneticHeading: 10))
    #expect(delivered.count == 3)
  }

  @Test func isNeverMadeFromTheCourse() {
    manager.startUpdatingLocation()
    manager.startUpdatingHeading()
    var location = stage.location()
    (location.course, location.speed) = (90, 30)
    stage.source.send(.location(location))
    #expect(delegate.locations.count == 1)
    #expect(delivered.isEmpty)
    #expect(manager.heading == nil)
  }

  @Test func absenceIsReportedOnceForEachLoss() {
    manager.startUpdatingHeading()
    stage.clock.advance(by: 100)
    #expect(delegate.errors == [.headingFailure])
    send(Heading(trueHeading: 1))
    stage.clock.advance(by: 100)
    #expect(delegate.errors == [.headingFailure, .headingFailure])
    manager.stopUpdatingHeading()
    #expect(!stage.source.isRunning)
    stage.clock.advance(by: 100)
    #expect(delegate.errors.count == 2)
    // After as long as that of fixes.
    manager.staleAfter = 3
    manager.startUpdatingHeading()
    stage.clock.advance(by: 4)
    #expect(delegate.errors.count == 3)
  }

  @Test func afterTheEndOfARecordingNoHeadingIsMissed() {
    manager.startUpdatingHeading()
    send(Heading(trueHeading: 1))
    stage.source.send(.finished)
    stage.clock.advance(by: 100)
    #expect(delegate.errors.isEmpty)
    send(Heading(trueHeading: 90))
    #expect(delivered.count == 2)
  }

  @Test func absenceDoesNotAnswerALocationRequest() {
    manager.startUpdatingHeading()
    stage.clock.advance(by: 5)
    manager.requestLocation()
    stage.clock.advance(by: 6)
    #expect(delegate.errors == [.headingFailure])
    stage.clock.advance(by: 6)
    #expect(delegate.errors == [.headingFailure, .locationUnknown])
  }

  @Test func locationsAloneDoNotNeedFixesAndTheOtherWayRound() {
    manager.startUpdatingHeading()
    stage.fix()
    #expect(delegate.locations.isEmpty)
    #expect(manager.location == nil)
    manager.stopUpdatingHeading()
    manager.startUpdatingLocation()
    send(Heading(trueHeading: 1))
    #expect(delivered.isEmpty)
  }

  @Test func asksForCalibrationOnceForEachPoorSpell() {
    manager.startUpdatingHeading()
    for accuracy: Double? in [5, 30, 40, 60, 10, 31, nil, 30] {
      send(Heading(trueHeading: 1, headingAccuracy: accuracy))
    }
    #expect(delegate.calls.filter { $0 == .calibration }.count == 2)
  }
}
