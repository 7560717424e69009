import FoundationEssentials
import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct VisitTests {
  let stage = Stage()
  private var visits: [Visit] {
    stage.delegate.calls.compactMap { if case .visit(let visit) = $0 { visit } else { nil } }
  }

  init() { stage.manager.startMonitoringVisits() }

  private func stay(at north: Double, seconds: Int) {
    for step in 0..<seconds { stage.fix(north: north + Double(step % 3 - 1) * 10) }
  }

  private func sendUntimed(_ location: Location) {
    stage.clock.advance(by: 1)
    stage.source.send(.location(location))
  }

  @Test func arrivalAndDeparture() throws {
    stage.manager.startMonitoringVisits()
    for step in 0..<100 { stage.fix(north: Double(step) * 10 - 1500) }
    stay(at: 0, seconds: 600)
    #expect(visits.count == 1)
    let arrival = try #require(visits.first)
    #expect(arrival.departureDate == nil && !arrival.hasDeparted)
    #expect(arrival.arrivalDate == Date(timeIntervalSince1970: 1_700_000_101))
    // One bad fix does not end the visit.
    stage.fix(north: 5000)
    stay(at: 0, seconds: 10)
    #expect(visits.count == 1)
    for step in 0..<100 { stage.fix(north: Double(step) * 10) }
    #expect(visits.count == 2)
    let departure = try #require(visits.last)
    #expect(departure.hasDeparted)
    #expect(departure.arrivalDate == arrival.arrivalDate)
    let left = try #require(departure.departureDate).timeIntervalSince1970 - 1_700_000_000
    #expect(left >= 711 && left <= 725)
    #expect(departure.coordinate.distance(from: stage.location().coordinate) < 5)
    #expect(stage.delegate.locations.isEmpty)
  }

  @Test func passingIsNoVisit() {
    for step in 0..<2000 { stage.fix(north: Double(step)) }
    stay(at: 3000, seconds: 290)
    stay(at: 4000, seconds: 290)
    #expect(visits.isEmpty)
    stage.manager.stopMonitoringVisits()
    #expect(!stage.source.isRunning)
    stay(at: 4000, seconds: 500)
    #expect(visits.isEmpty)
  }

  @Test func aStayOfExactlyFiveMinutesIsAVisitAndAMinuteAwayEndsIt() {
    stage.fix()
    stage.fix(after: 299.5)
    #expect(visits.isEmpty)
    stage.fix(after: 0.5)
    #expect(visits.map(\.hasDeparted) == [false])
    stage.fix(after: 1, north: 500)
    stage.fix(after: 59.5, north: 500)
    #expect(visits.count == 1)
    stage.fix(after: 0.5, north: 500)
    #expect(visits.map(\.hasDeparted) == [false, true])
  }

  /// Two bad fixes, far apart: the minute begins with each.
  @Test func twoBadFixesDoNotMakeAnAbsence() {
    stay(at: 0, seconds: 400)
    for _ in 0..<3 {
      stage.fix(north: 5000)
      stay(at: 0, seconds: 90)
    }
    #expect(visits.map(\.hasDeparted) == [false])
  }

  @Test func withoutTimestampsTheDatesAreUnknown() {
    for step in 0..<800 { sendUntimed(Location(latitude: step < 400 ? 10 : 11, longitude: 20)) }
    #expect(visits.count == 3)
    #expect(visits.allSatisfy { $0.arrivalDate == nil && $0.departureDate == nil })
    #expect(visits.map(\.hasDeparted) == [false, true, false])
  }

  @Test func placeOnThe180thMeridian() throws {
    for step in 0..<400 { sendUntimed(Location(latitude: 0, longitude: step % 2 == 0 ? 179.9999 : -179.9999)) }
    let visit = try #require(visits.first)
    #expect(abs(abs(visit.coordinate.longitude) - 180) < 0.0001)
    #expect(visit.coordinate.isValid)
  }
}
