import TestSupport
import Testing

@testable import LocationKit

/// What must hold whatever is asked for and whatever comes, in any order.
@MainActor @Suite(.inTurn) struct RandomEventsTests {
  private let regions = (0..<3).map {
    Region(
      center: LocationCoordinate2D(latitude: 51, longitude: 7 + Double($0) * 0.001), radius: 50, identifier: "\($0)")
  }

  @Test(arguments: 1...(runsLongTests ? 40 : 12))
  func invariants(seed: UInt64) {
    var random = SplitMix(state: seed)
    func pick(_ count: Int) -> Int { .random(in: 0..<count, using: &random) }
    func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let stage = Stage()
    let (manager, delegate) = (stage.manager, stage.delegate)
    manager.regionMonitoringPolicy.dwell = 3
    var answersOpen = 0
    var (isUpdating, isUpdatingHeading, wantsVisits) = (false, false, false)
    var mayBeLost = true
    var isInside: [String: Bool] = [:]

    delegate.onCall = { call in
      switch call {
      case .locations(let locations):
        #expect(isUpdating || answersOpen > 0, "a location that nobody asked for")
        #expect(locations.count == 1)
        answersOpen = 0
      case .error(.locationUnknown):
        #expect(mayBeLost, "a loss that was reported already")
        mayBeLost = false
        answersOpen = 0
      case .error(let code):
        #expect(code == .network || code == .headingFailure)
        if code == .network { answersOpen = 0 }
      case .enter(let name):
        #expect(isInside[name] == false)
        isInside[name] = true
      case .exit(let name):
        #expect(isInside[name] == true)
        isInside[name] = false
      case .state(let state, let name):
        if isInside[name] == nil { isInside[name] = state == .inside }
        #expect(isInside[name] == (state == .inside))
      default: break
      }
    }

    func needsFixes() -> Bool { isUpdating || answersOpen > 0 || !manager.monitoredRegions.isEmpty || wantsVisits }
    for _ in 0..<3000 {
      let wasIdle = !needsFixes()
      switch pick(24) {
      case 0:
        isUpdating = true
        manager.startUpdatingLocation()
      case 1:
        (isUpdating, answersOpen) = (false, 0)
        manager.stopUpdatingLocation()
      case 2:
        if answersOpen == 0 { (answersOpen, mayBeLost) = (1, true) }
        manager.requestLocation()
      case 3: manager.startMonitoring(for: regions[pick(3)])
      case 4:
        let region = regions[pick(3)]
        isInside[region.identifier] = nil
        manager.stopMonitoring(for: region)
        // What has been decided but not reported is dropped with the region.
        stage.clock.advance(by: 0)
        isInside[region.identifier] = nil
      case 5: manager.distanceFilter = [nil, 5, 50][pick(3)]
      case 6: manager.desiredAccuracy = [-1, 5, 50][pick(3)]
      case 7: manager.pausesLocationUpdatesAutomatically.toggle()
      case 8:
        isUpdatingHeading = pick(2) == 0
        isUpdatingHeading ? manager.startUpdatingHeading() : manager.stopUpdatingHeading()
      case 9: stage.source.send(.heading(Heading(trueHeading: uniform(0...360))))
      case 10: stage.source.send(.noFix)
      case 11: stage.source.send(.failed(LocationError(.network, "gone")))
      case 12: stage.clock.advance(by: [0.1, 5, 40][pick(3)])
      case 13:
        wantsVisits = pick(2) == 0
        wantsVisits ? manager.startMonitoringVisits() : manager.stopMonitoringVisits()
      default:
        stage.clock.advance(by: 1)
        mayBeLost = true
        stage.fix(
          after: 0, north: random.normal() * 60, east: uniform(0...200),
          accuracy: pick(3) == 0 ? nil : uniform(0...60))
      }
      // Who begins to ask for fixes hears of a loss of its own.
      if wasIdle && needsFixes() { mayBeLost = true }
      #expect(stage.source.isRunning == (needsFixes() || isUpdatingHeading))
    }
    stage.clock.advance(by: 100)
    #expect(answersOpen == 0, "a request without an answer")
    #expect(!delegate.locations.isEmpty && !delegate.errors.isEmpty && !delegate.crossings.isEmpty)
  }
}
