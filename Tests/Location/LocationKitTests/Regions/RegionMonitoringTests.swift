import Glibc
import FoundationEssentials
import Testing

@testable import LocationKit

@MainActor
@Suite struct RegionMonitoringTests {
  let stage = Stage()
  var manager: LocationManager { stage.manager }
  var delegate: RecordingDelegate { stage.delegate }

  func region(
    _ identifier: String = "home", radius: Double = 50, notifyOnEntry: Bool = true, notifyOnExit: Bool = true
  ) -> Region {
    Region(
      center: LocationCoordinate2D(latitude: 51, longitude: 7), radius: radius, identifier: identifier,
      notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit)
  }

  /// Stays at a distance from the centre for some seconds, with a fix each second.
  func stay(at north: Double, seconds: Int, accuracy: Double? = 5) {
    for _ in 0..<seconds { stage.fix(north: north, accuracy: accuracy) }
  }

  @Test func firstStateIsOnlyDetermined() {
    manager.startMonitoring(for: region())
    #expect(delegate.calls.isEmpty)
    #expect(stage.source.isRunning)
    #expect(manager.monitoredRegions == [region()])
    stay(at: 0, seconds: 100)
    #expect(delegate.callsAfterAuthorization == [.startedMonitoring("home"), .state(.inside, "home")])
    #expect(delegate.locations.isEmpty)
  }

  @Test func reportsWhatHappenedSinceItWasLastKnown() {
    for (assumed, north, expected) in [
      (RegionState.inside, 200.0, [RecordingDelegate.Call.exit("home")]), (.outside, 0, [.enter("home")]),
      (.inside, 0, []), (.outside, 200, []), (.unknown, 0, []),
    ] {
      let stage = Stage()
      stage.manager.startMonitoring(for: region(), assuming: assumed)
      // Too vague to tell.
      stage.fix(north: north, accuracy: 300)
      #expect(stage.delegate.crossings.isEmpty)
      stage.fix(north: north, accuracy: 5)
      #expect(stage.delegate.crossings == expected, "\(assumed), \(north) m")
      #expect(stage.delegate.callsAfterAuthorization.last == .state(north == 0 ? .inside : .outside, "home"))
    }
  }

  @Test func anAssumptionHoldsWithinTheMarginOfTheBoundary() {
    for (assumed, near, far, expected) in [
      (RegionState.inside, 60.0, 90.0, RecordingDelegate.Call.exit("home")), (.outside, 40, 10, .enter("home")),
    ] {
      let stage = Stage()
      stage.manager.startMonitoring(for: region(), assuming: assumed)
      for _ in 0..<100 { stage.fix(north: near, accuracy: 5) }
      #expect(stage.delegate.crossings.isEmpty, "\(assumed)")
      for _ in 0..<30 { stage.fix(north: far, accuracy: 5) }
      #expect(stage.delegate.crossings == [expected], "\(assumed)")
    }
  }

  @Test func forgetsAnAssumptionWhoseTimeHasPassed() {
    // Fixes are of 1,700,000,001 s and later.
    for (from, to, count) in [(0.0, 1.0, 1), (0, 0.5, 0), (1, 9, 1), (2, 9, 0)] {
      let stage = Stage()
      let start = Date(timeIntervalSince1970: 1_700_000_000)
      stage.manager.startMonitoring(for: region(), assuming: .inside, during: start + from...start + to)
      stage.fix(north: 200, accuracy: 5)
      #expect(stage.delegate.crossings.count == count, "\(from) to \(to)")
    }
  }

  @Test func aRegionThatIsWatchedKeepsItsState() {
    manager.startMonitoring(for: region())
    stay(at: 0, seconds: 1)
    manager.startMonitoring(for: region(), assuming: .outside)
    stay(at: 0, seconds: 30)
    #expect(delegate.crossings.isEmpty)
    // And one that is watched anew before its first fix keeps what was assumed.
    let stage = Stage()
    stage.manager.startMonitoring(for: region(), assuming: .inside)
    stage.manager.startMonitoring(for: region())
    stage.fix(north: 200, accuracy: 5)
    #expect(stage.delegate.crossings == [.exit("home")])
  }

  @Test func leavesAfterTheDwellAndEntersAgain() {
    manager.startMonitoring(for: region())
    stay(at: 0, seconds: 5)
    stay(at: 90, seconds: 20)
    #expect(delegate.crossings.isEmpty)
    stay(at: 90, seconds: 1)
    #expect(delegate.crossings == [.exit("home")])
    stay(at: 10, seconds: 20)
    #expect(delegate.crossings == [.exit("home")])
    stay(at: 10, seconds: 1)
    #expect(delegate.crossings == [.exit("home"), .enter("home")])
    #expect(
      delegate.callsAfterAuthorization == [
        .startedMonitoring("home"), .state(.inside, "home"), .exit("home"), .state(.outside, "home"),
        .enter("home"), .state(.inside, "home"),
      ])
  }

  @Test func aFixOnTheOldSideStartsTheDwellAnew() {
    manager.startMonitoring(for: region())
    stay(at: 0, seconds: 1)
    stay(at: 90, seconds: 19)
    stay(at: 49, seconds: 1)
    stay(at: 90, seconds: 20)
    #expect(delegate.crossings.isEmpty)
    stay(at: 90, seconds: 1)
    #expect(delegate.crossings == [.exit("home")])
  }

  @Test func boundaryMustBeCrossedByTheMargin() {
    manager.startMonitoring(for: region())
    stay(at: 0, seconds: 1)
    stay(at: 74.9, seconds: 200)
    #expect(delegate.crossings.isEmpty)
    stay(at: 80, seconds: 18)
    #expect(delegate.crossings == [.exit("home")])
    stay(at: 25.1, seconds: 200)
    #expect(delegate.crossings == [.exit("home")])
    stay(at: 20, seconds: 18)
    #expect(delegate.crossings == [.exit("home"), .enter("home")])
  }

  @Test func aFixFarOffDoesNotMakeACrossing() {
    manager.startMonitoring(for: region())
    stay(at: 20, seconds: 10)
    stay(at: 55, seconds: 15)
    stay(at: 60_000, seconds: 1)
    stay(at: 20, seconds: 1)
    stay(at: 55, seconds: 10)
    #expect(delegate.crossings.isEmpty)
  }

  @Test func smallRegionCanBeEnteredOffItsCentre() {
    manager.startMonitoring(for: region(radius: 10))
    stay(at: 500, seconds: 1)
    // A small region is entered by half of its radius.
    stay(at: 5.1, seconds: 60, accuracy: nil)
    #expect(delegate.crossings.isEmpty)
    stay(at: 4.9, seconds: 60, accuracy: nil)
    #expect(delegate.crossings == [.enter("home")])
    // And left like any other.
    stay(at: 34, seconds: 60, accuracy: nil)
    #expect(delegate.crossings == [.enter("home")])
    stay(at: 36, seconds: 60, accuracy: nil)
    #expect(delegate.crossings == [.enter("home"), .exit("home")])
  }

  @Test func checkSaysWhatCannotBeWatched() throws {
    try region(radius: CircularRegion.maximumRadius).check()
    try region(radius: 0.1).check()
    for bad in [0, -1, .nan, .infinity, CircularRegion.maximumRadius.nextUp] {
      let error = #expect(throws: LocationError.self) { try region(radius: bad).check() }
      #expect(error?.code == .regionMonitoringFailure && error?.message.contains("home") == true)
    }
  }

  @Test func accuracyMustTell() {
    manager.startMonitoring(for: region())
    // Cannot tell: the boundary is within the circle of uncertainty.
    stay(at: 30, seconds: 10, accuracy: 40)
    #expect(delegate.callsAfterAuthorization == [.startedMonitoring("home")])
    stay(at: 0, seconds: 1, accuracy: 40)
    stay(at: 120, seconds: 60, accuracy: 80)
    stay(at: 120, seconds: 60, accuracy: 500)
    #expect(delegate.crossings.isEmpty)
    // Those that are too poor are ignored, they do not even end the dwell.
    stay(at: 0, seconds: 10, accuracy: 101)
    stay(at: 120, seconds: 1, accuracy: 69)
    #expect(delegate.crossings == [.exit("home")])
  }

  @Test func anEntryAfterOneThatWasGivenUpHasItsOwnDwell() {
    manager.startMonitoring(for: region())
    stay(at: 500, seconds: 3)
    for _ in 0..<3 {
      stay(at: 0, seconds: 1)
      stay(at: 500, seconds: 60)
    }
    #expect(delegate.crossings.isEmpty)
    stay(at: 0, seconds: 60)
    #expect(delegate.crossings == [.enter("home")])
  }

  @Test func allThreeAreSettable() {
    manager.regionMonitoringPolicy = RegionMonitoringPolicy(margin: 0, accuracy: 10, dwell: 0)
    manager.startMonitoring(for: region())
    stay(at: 49, seconds: 1, accuracy: nil)
    stay(at: 51, seconds: 1, accuracy: 11)
    #expect(delegate.crossings.isEmpty)
    stay(at: 51, seconds: 1, accuracy: nil)
    stay(at: 49, seconds: 1, accuracy: nil)
    #expect(delegate.crossings == [.exit("home"), .enter("home")])
  }

  @Test func stateSurvivesAReconnect() {
    manager.startMonitoring(for: region())
    stay(at: 0, seconds: 3)
    stay(at: 90, seconds: 10)
    for status in [LocationSourceStatus.waiting(reason: "reset", retryIn: 1), .connecting, .connected(devices: [])] {
      stage.clock.advance(by: 5)
      stage.source.send(.status(status))
    }
    stay(at: 90, seconds: 1)
    #expect(delegate.crossings == [.exit("home")])
    stage.clock.advance(by: 1000)
    stage.source.send(.failed(LocationError(.network, "gone")))
    stay(at: 90, seconds: 100)
    #expect(delegate.crossings == [.exit("home")])
  }

  @Test func notifiesOnlyOfWhatIsWanted() {
    manager.startMonitoring(for: region("in", notifyOnExit: false))
    manager.startMonitoring(for: region("out", notifyOnEntry: false))
    for place in [0.0, 90, 0, 90] { stay(at: place, seconds: 30) }
    #expect(delegate.crossings == [.exit("out"), .enter("in"), .exit("out")])
  }

  @Test func oneRegionOfAName() {
    manager.startMonitoring(for: region())
    stay(at: 0, seconds: 1)
    // The same circle keeps its state, another one does not.
    manager.startMonitoring(for: region(notifyOnEntry: false))
    stay(at: 0, seconds: 1)
    #expect(delegate.calls.filter { $0 == .state(.inside, "home") }.count == 1)
    manager.startMonitoring(for: region(radius: 60))
    stay(at: 0, seconds: 1)
    #expect(delegate.calls.filter { $0 == .state(.inside, "home") }.count == 2)
    #expect(manager.monitoredRegions == [region(radius: 60)])
    manager.stopMonitoring(for: region())
    #expect(manager.monitoredRegions.isEmpty)
    #expect(!stage.source.isRunning)
  }

  @Test func theSameCircleAgainKeepsACrossingThatIsHalfConfirmed() {
    manager.startMonitoring(for: region())
    stay(at: 0, seconds: 1)
    stay(at: 90, seconds: 15)
    manager.startMonitoring(for: region(notifyOnEntry: false))
    stay(at: 90, seconds: 5)
    #expect(delegate.crossings.isEmpty)
    stay(at: 90, seconds: 1)
    #expect(delegate.crossings == [.exit("home")])
    // Another circle of the same name begins anew.
    stay(at: 0, seconds: 15)
    manager.startMonitoring(for: region(radius: 60))
    stay(at: 0, seconds: 30)
    #expect(delegate.crossings == [.exit("home")])
  }

  @Test func whatIsExactlyAtALimitIsWithinIt() {
    let center = LocationCoordinate2D(latitude: 51, longitude: 7)
    func fix(_ north: Double, _ accuracy: Double) -> Location { stage.location(north: north, accuracy: accuracy) }
    func changes(_ policy: RegionMonitoringPolicy, _ fixes: Location...) -> [RegionMonitor.Change?] {
      var monitor = RegionMonitor(Region(center: center, radius: 50, identifier: "x"))
      return fixes.enumerated().map { now, fix in
        monitor.update(fix, EarthPoint(fix.coordinate), at: Double(now), policy: policy)
      }
    }
    func complains(_ fixes: [(accuracy: Double, time: Double)]) -> Bool {
      var monitor = RegionMonitor(Region(center: center, radius: 50, identifier: "x"))
      let errors = fixes.map { accuracy, time in
        monitor.judgeAccuracy(of: fix(0, accuracy), at: time, policy: RegionMonitoringPolicy())
      }
      return errors.contains { $0 != nil }
    }
    let edge = fix(80, 0)
    let way = center.distance(from: edge.coordinate)
    #expect(Region(center: center, radius: way, identifier: "x").contains(edge.coordinate))
    // As far beyond the boundary as the margin, and as accurate as the policy asks for.
    let policy = RegionMonitoringPolicy(margin: way - 50, accuracy: 10, dwell: 0)
    #expect(changes(policy, fix(0, 10), fix(80, 10)) == [.determined, .crossed])
    // As accurate as it is far beyond the boundary.
    #expect(changes(RegionMonitoringPolicy(), fix(80, way - 50)) == [.determined])
    // As accurate as the region needs, and at the end of the dwell.
    #expect(!complains([(50, 0), (90, 20)]))
    #expect(!complains([(51, 0), (51, 19.9)]))
    #expect(complains([(51, 0), (51, 20)]))
  }

  @Test func refusesWhatIsNoRegion() {
    let bad = [
      Region(center: LocationCoordinate2D(latitude: 91, longitude: 0), radius: 1, identifier: "centre"),
      Region(center: LocationCoordinate2D(latitude: .nan, longitude: 0), radius: 1, identifier: "centre"),
      region(radius: 0), region(radius: -1), region(radius: .nan), region(radius: .infinity),
      region(radius: manager.maximumRegionMonitoringDistance + 1),
    ]
    for region in bad {
      manager.startMonitoring(for: region)
      stage.clock.advance(by: 0)
      #expect(delegate.calls.last == .monitoringFailed(region.identifier, .regionMonitoringFailure))
      #expect(delegate.messages.last?.contains(region.identifier) == true)
    }
    #expect(manager.monitoredRegions.isEmpty)
    #expect(!stage.source.isRunning)
    manager.startMonitoring(for: region(radius: manager.maximumRegionMonitoringDistance))
    stage.clock.advance(by: 0)
    #expect(delegate.calls.last == .startedMonitoring("home"))
  }

  @Test func requestedStates() {
    manager.startMonitoring(for: region())
    manager.requestState(for: region())
    stage.clock.advance(by: 0)
    #expect(delegate.calls.last == .state(.unknown, "home"))
    stay(at: 0, seconds: 1)
    manager.requestState(for: region())
    manager.requestState(for: region("not watched", radius: 1))
    stay(at: 20, seconds: 1)
    #expect(delegate.callsAfterAuthorization.suffix(2) == [.state(.inside, "home"), .state(.inside, "not watched")])
    manager.requestState(for: region("not watched", radius: 1))
    stage.clock.advance(by: 0)
    #expect(delegate.calls.last == .state(.outside, "not watched"))
    stage.clock.advance(by: 60)
    manager.requestState(for: region("not watched", radius: 100))
    stage.clock.advance(by: 0)
    #expect(delegate.calls.last == .state(.unknown, "not watched"))
  }

  @Test func delegateMayStopARegionWhileAnotherIsReported() {
    manager.startMonitoring(for: region("a"))
    manager.startMonitoring(for: region("b"))
    delegate.onCall = { [manager] call in
      if call == .exit("a") {
        manager.stopMonitoring(
          for: Region(center: .init(latitude: 0, longitude: 0), radius: 0, identifier: "b"))
      }
    }
    stay(at: 0, seconds: 1)
    stay(at: 90, seconds: 60)
    #expect(delegate.crossings == [.exit("a")])
  }

  @Test func lossIsReportedWithRegionsAlone() {
    manager.startMonitoring(for: region())
    stay(at: 0, seconds: 1)
    stage.clock.advance(by: 11)
    #expect(delegate.errors == [.locationUnknown])
  }

  @Test func regionOnThe180thMeridian() {
    let stage = stage
    manager.startMonitoring(
      for: Region(
        center: LocationCoordinate2D(latitude: -17, longitude: 179.9999), radius: 100, identifier: "fiji"))
    for longitude in [-179.9999, -179.99] {
      for _ in 0..<30 {
        stage.clock.advance(by: 1)
        stage.source.send(.location(Location(latitude: -17, longitude: longitude)))
      }
    }
    #expect(
      delegate.callsAfterAuthorization == [
        .startedMonitoring("fiji"), .state(.inside, "fiji"), .exit("fiji"), .state(.outside, "fiji"),
      ])
  }

  /// What spares a region the geodesic must never differ from it.
  @Test func farAwayMeansOutsideEverywhere() {
    var random = FlappingTests.Generator(state: 5)
    var near = 0
    for _ in 0..<1500 {
      let center = LocationCoordinate2D(
        latitude: random.uniform() * 180 - 90, longitude: random.uniform() * 360 - 180)
      let size = exp(random.uniform() * 7) / 100
      let other = LocationCoordinate2D(
        latitude: max(-90, min(90, center.latitude + (random.uniform() - 0.5) * size)),
        longitude: (center.longitude + (random.uniform() - 0.5) * size * 2).remainder(dividingBy: 360))
      let distance = center.distance(from: other)
      for (factor, state) in [(0.99999, RegionState.outside), (1.00001, .inside)] {
        guard distance > 0, distance * factor < 10_000_000 else { continue }
        var monitor = RegionMonitor(Region(center: center, radius: distance * factor, identifier: "x"))
        let policy = RegionMonitoringPolicy(margin: 0, accuracy: 100, dwell: 0)
        // Far from everywhere in reach, so that the state is `outside` first.
        let antipode = LocationCoordinate2D(
          latitude: -center.latitude, longitude: (center.longitude + 180).remainder(dividingBy: 360))
        _ = monitor.update(Location(coordinate: antipode), EarthPoint(antipode), at: 0, policy: policy)
        #expect(monitor.state == .outside)
        _ = monitor.update(Location(coordinate: other), EarthPoint(other), at: 1, policy: policy)
        #expect(monitor.state == state, "\(center) \(other)")
        near += 1
      }
    }
    #expect(near > 2500)
  }
}
