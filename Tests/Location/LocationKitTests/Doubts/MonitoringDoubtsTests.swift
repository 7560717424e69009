import Foundation
import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct MonitoringDoubtsTests {
  private let stage = Stage()
  private var receiver = DoubtfulReceiver()

  init() { stage.manager.startUpdatingLocation() }

  private mutating func send(_ seconds: Int) {
    for _ in 0..<seconds {
      stage.clock.advance(by: 1)
      stage.source.send(.location(receiver.next(speed: 14)))
    }
  }

  @Test mutating func theDelegateIsTold() {
    stage.manager.startMonitoringDoubts()
    send(60)
    receiver.isStuck = true
    send(60)
    #expect(stage.delegate.doubts == [.standstill])
    #expect(stage.manager.doubts == .standstill)
    #expect(stage.manager.location?.doubts == .standstill)
    receiver.isStuck = false
    send(60)
    #expect(stage.delegate.doubts == [.standstill, []])
    #expect(stage.manager.location?.doubts == nil)
  }

  @Test func doubtsOfTheSourceCountAtOnceAndAsLongAsItHasThem() {
    stage.manager.startMonitoringDoubts()
    for doubts in [nil, .receivers, .receivers, nil] as [Doubts?] {
      var location = Location(latitude: 1, longitude: 2)
      location.doubts = doubts
      stage.source.send(.location(location))
      #expect(stage.manager.location?.doubts == doubts)
    }
    #expect(stage.delegate.doubts == [.receivers, []])
  }

  @Test mutating func nothingIsJudgedUnlessItIsMonitored() {
    receiver.isStuck = true
    send(120)
    stage.manager.startMonitoringDoubts()
    send(120)
    #expect(stage.manager.doubts == .standstill)
    stage.manager.stopMonitoringDoubts()
    send(1)
    #expect(stage.manager.doubts == [] && stage.manager.location?.doubts == nil)
    #expect(stage.delegate.doubts == [.standstill])
  }

  /// Doubts ask for nothing: the source does not run for them, nor makes satellites.
  @Test func doubtsAskForNothing() {
    stage.manager.startMonitoringDoubts()
    #expect(stage.manager.interests == .locations)
    stage.manager.stopUpdatingLocation()
    #expect(stage.manager.interests.isEmpty)
  }

  @Test mutating func signalsAreComparedWhileSatellitesAreWanted() {
    stage.manager.startMonitoringDoubts()
    stage.manager.startUpdatingSatellites()
    for second in 0..<200 {
      receiver.signalLoss = second < 100 ? 0 : 20
      stage.source.send(.satellites(receiver.satellites()))
      send(1)
    }
    #expect(stage.manager.doubts == .signals)
  }
}
