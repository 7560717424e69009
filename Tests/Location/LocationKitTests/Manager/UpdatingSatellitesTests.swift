import TestSupport
import Testing

@testable import LocationKit

/// Satellites are made for whoever asks for them, and for nobody else.
@MainActor @Suite(.inTurn) struct UpdatingSatellitesTests: StageSuite {
  let stage = Stage()
  private let some = [Satellite(system: .gps, number: 5, isUsed: true)]
  private let others = [Satellite(system: .galileo, number: 7)]

  @Test func theyComeBetweenStartAndStop() {
    manager.startUpdatingLocation()
    #expect(stage.source.interests == .locations)
    stage.source.send(.satellites(some))
    #expect(delegate.satellites == [] && manager.satellites == [])
    manager.startUpdatingSatellites()
    manager.startUpdatingSatellites()
    #expect(stage.source.interests == [.locations, .satellites])
    stage.source.send(.satellites(some))
    #expect(delegate.satellites == [some] && manager.satellites == some)
    manager.stopUpdatingSatellites()
    #expect(stage.source.interests == .locations)
    stage.source.send(.satellites(others))
    #expect(delegate.satellites == [some] && manager.satellites == some, "the last that was heard")
  }

  @Test func theyRunTheSourceAlone() {
    manager.startUpdatingSatellites()
    #expect(stage.source.isRunning && stage.source.interests == .satellites)
    stage.fix()
    #expect(delegate.locations.isEmpty && manager.location == nil)
    stage.clock.advance(by: 100)
    #expect(delegate.errors.isEmpty, "nobody asked for a fix")
    manager.stopUpdatingSatellites()
    #expect(!stage.source.isRunning && stage.source.interests == [])
  }

  @Test func eachManagerOfASourceHearsWhatItAskedFor() {
    let (other, second) = stage.another()
    manager.startUpdatingLocation()
    other.startUpdatingSatellites()
    other.startUpdatingHeading()
    #expect(stage.source.interests == .all)
    stage.source.send(.satellites(some))
    stage.fix()
    #expect(delegate.satellites.isEmpty && delegate.locations.count == 1)
    #expect(second.satellites == [some] && second.locations.isEmpty)
    other.stopUpdatingSatellites()
    other.stopUpdatingHeading()
    #expect(stage.source.interests == .locations)
  }

  @Test func whoComesLateHearsOfThoseThatAreKnown() {
    let (other, second) = stage.another()
    manager.startUpdatingSatellites()
    stage.source.send(.satellites(some))
    other.startUpdatingSatellites()
    #expect(second.satellites.isEmpty, "never within the call that asks")
    // The source tells of satellites when something about them has changed, and that may take long.
    stage.source.send(.noFix)
    #expect(second.satellites == [some])
    stage.source.send(.noFix)
    #expect(second.satellites == [some] && delegate.satellites == [some], "once")
  }

  @Test func whoComesAfterABreakHearsOfNoOldOnes() {
    manager.startUpdatingLocation()
    manager.startUpdatingSatellites()
    stage.source.send(.satellites(some))
    manager.stopUpdatingSatellites()
    manager.startUpdatingSatellites()
    stage.source.send(.noFix)
    #expect(delegate.satellites == [some], "nobody kept them up to date meanwhile")
    stage.source.send(.satellites(some))
    stage.source.send(.status(.waiting(reason: "gone", retryIn: 1)))
    let (other, second) = stage.another()
    other.startUpdatingSatellites()
    stage.source.send(.noFix)
    #expect(second.satellites.isEmpty, "the receiver is gone")
  }
}
