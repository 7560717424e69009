import FoundationEssentials
import TestSupport
import Testing

@testable import LocationKit

/// What follows from events and from time, by values alone.
@Suite(.inTurn) struct LocationEngineTests {
  private func fix(north: Double = 0, accuracy: Double? = 5) -> Location {
    Location(
      coordinate: LocationCoordinate2D(latitude: 51 + north / 111_248.24, longitude: 7), horizontalAccuracy: accuracy)
  }

  private func updating() -> LocationEngine {
    var engine = LocationEngine(staleAfter: 10)
    engine.startUpdatingLocation(at: 0)
    return engine
  }

  /// What follows from fixes at these places and times.
  private func receive(
    _ engine: inout LocationEngine, _ fixes: [(north: Double, now: Double)]
  ) -> [LocationEngine.Event] {
    fixes.flatMap { engine.receive(.location(fix(north: $0.north)), at: $0.now) }
  }

  @Test func aLossHasADeadline() {
    var engine = updating()
    _ = engine.receive(.location(fix()), at: 1)
    // The first look finds a fix, and the next one none.
    #expect(engine.deadline == 10.25)
    #expect(engine.advance(to: 10.25).isEmpty && engine.deadline == 11.25)
    #expect(engine.advance(to: 11.25).count == 2 && engine.deadline == .infinity)
  }

  /// A second loss after a report without a fix, so that an old report does not count for it.
  @Test func theReasonOfASecondLossIsItsOwn() {
    var engine = updating()
    _ = engine.receive(.location(fix()), at: 1)
    #expect(engine.receive(.noFix, at: 2).last == .fixState(.lost(FixLoss(.receiver, location: fix()))))
    _ = engine.receive(.location(fix()), at: 3)
    #expect(engine.deadline == 13.25, "the receiver's reports are no longer awaited")
    #expect(engine.advance(to: 13.25).last == .fixState(.lost(FixLoss(.silence, location: fix()))))
  }

  @Test func theEventsOfAFixHaveAnOrder() {
    var engine = updating()
    let region = Region(center: fix().coordinate, radius: 100, identifier: "home")
    engine.startMonitoring(for: region, assuming: .outside, at: 0)
    #expect(
      engine.receive(.location(fix()), at: 1) == [
        .locations([fix()]), .fixState(.current), .region(region, .inside, isCrossed: true),
      ])
    #expect(engine.isMonitoring(region) && engine.state(of: region, at: 1) == .inside)
  }

  /// As the time of a device does when it sends an old fix after the host's clock was read.
  @Test func timeMayGoBack() {
    var engine = updating()
    _ = engine.receive(.location(fix()), at: 100)
    #expect(engine.advance(to: 90).isEmpty && !engine.isLocationStale(at: 90))
    #expect(engine.receive(.location(fix(north: 1)), at: 95) == [.locations([fix(north: 1)])])
    #expect(engine.fixState == .current)
  }

  /// A time that goes back by an hour neither weighs fixes wrongly nor delays a crossing and a visit by that hour.
  @Test func crossingsAndVisitsOutliveTimeThatGoesBack() {
    var engine = LocationEngine()
    let region = Region(center: fix().coordinate, radius: 100, identifier: "home")
    engine.startMonitoring(for: region, at: 0)
    engine.startMonitoringVisits(at: 0)
    var events: [LocationEngine.Event] = []
    for second in 0..<700 {
      let now = Double(second < 15 ? 10_000 + second : 6400 + second)
      events += receive(&engine, [(second < 5 ? 0 : 500, now)])
    }
    let crossings = events.compactMap { if case .region(_, let state, isCrossed: true) = $0 { state } else { nil } }
    let visits = events.count { if case .visit = $0 { true } else { false } }
    #expect(crossings == [.outside] && visits == 1)
  }

  /// Time goes back when the receiver has just left the place of a visit: the minute away begins again.
  @Test func aDepartureOutlivesTimeThatGoesBack() {
    var engine = LocationEngine()
    engine.startMonitoringVisits(at: 0)
    let events = receive(&engine, [(0, 1000), (0, 1400), (500, 1410), (500, 100), (500, 160)])
    let visits = events.compactMap { if case .visit(let visit) = $0 { visit.hasDeparted } else { nil } }
    #expect(visits == [false, true])
  }

  /// The step back itself weighs nothing in the mean way beyond the boundary.
  @Test func aStepBackWeighsNothing() {
    var engine = LocationEngine()
    let region = Region(center: fix().coordinate, radius: 100, identifier: "home")
    engine.startMonitoring(for: region, at: 0)
    let events = receive(&engine, [(0, 1000), (130, 1001), (140, 100), (130, 110), (130, 120)])
    #expect(events.last == .region(region, .outside, isCrossed: true))
  }
}
