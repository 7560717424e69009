import Glibc
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct RegionMonitoringTests: StageSuite {
  let stage = Stage()

  static let center = LocationCoordinate2D(latitude: 51, longitude: 7)

  func region(
    _ identifier: String = "home", radius: Double = 50, notifyOnEntry: Bool = true, notifyOnExit: Bool = true
  ) -> Region {
    Region(
      center: Self.center, radius: radius, identifier: identifier, notifyOnEntry: notifyOnEntry,
      notifyOnExit: notifyOnExit)
  }

  func stay(at north: Double, seconds: Int, accuracy: Double? = 5) {
    stage.stay(at: north, seconds: seconds, accuracy: accuracy)
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

  /// What is assumed, what follows at once from a fix there, and what follows within the margin of the boundary.
  @Test(
    arguments: [
      (.inside, 200, [.exit("home")]), (.outside, 0, [.enter("home")]), (.inside, 0, []), (.outside, 200, []),
      (.unknown, 0, []), (.inside, 60, []), (.outside, 40, []),
    ] as [(RegionState, Double, [RecordingDelegate.Call])])
  func reportsWhatHappenedSinceItWasLastKnown(assumed: RegionState, north: Double, expected: [RecordingDelegate.Call]) {
    manager.startMonitoring(for: region(), assuming: assumed)
    // Too vague to tell.
    stage.fix(north: north, accuracy: 300)
    #expect(delegate.crossings.isEmpty)
    stage.fix(north: north, accuracy: 5)
    #expect(delegate.crossings == expected)
    stay(at: north, seconds: 100)
    #expect(delegate.crossings == expected)
    let isInside = (assumed == .inside && north < 200) || north == 0
    #expect(delegate.callsAfterAuthorization.last == .state(isInside ? .inside : .outside, "home"))
    // From what was assumed, too, a crossing follows.
    stay(at: isInside ? 90 : 10, seconds: 30)
    #expect(delegate.crossings == expected + [isInside ? .exit("home") : .enter("home")])
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

  /// The crossings of a region's boundary by somebody who stays here and there, with their seconds.
  @Test(
    arguments: [
      ("after the dwell", 50, [.at(0, for: 5), .at(90, for: 30), .at(10, for: 30)], ["exit 26", "enter 56"]),
      (
        "a fix on the old side starts the dwell anew", 50,
        [.at(0, for: 1), .at(90, for: 19), .at(49, for: 1), .at(90, for: 30)], ["exit 42"]
      ),
      (
        "only beyond the margin", 50,
        [.at(0, for: 1), .at(74.9, for: 200), .at(80, for: 18), .at(25.1, for: 200), .at(20, for: 18)],
        ["exit 202", "enter 420"]
      ),
      (
        "not by one fix far off", 50,
        [.at(20, for: 10), .at(55, for: 15), .at(60_000, for: 1), .at(20, for: 1), .at(55, for: 10)], []
      ),
      (
        "an entry after those that were given up has its own dwell", 50,
        [.at(500, for: 3)] + Array(repeating: [.at(0, for: 1), .at(500, for: 60)], count: 3).joined()
          + [.at(0, for: 60)], ["enter 207"]
      ),
      (
        "a small region is entered by half of its radius and left like any other", 10,
        [
          .at(500, for: 1), .at(5.1, for: 60, accuracy: nil), .at(4.9, for: 60, accuracy: nil),
          .at(34, for: 60, accuracy: nil), .at(36, for: 60, accuracy: nil),
        ], ["enter 68", "exit 188"]
      ),
      (
        "fixes that cannot tell the side confirm nothing, and those that are too poor do not even end the dwell", 50,
        [
          .at(30, for: 10, accuracy: 40), .at(0, for: 1, accuracy: 40), .at(120, for: 60, accuracy: 80),
          .at(120, for: 60, accuracy: 500), .at(0, for: 10, accuracy: 101), .at(120, for: 1, accuracy: 69),
        ], ["exit 142"]
      ),
    ] as [(String, Double, [Stay], [String])])
  func aBoundaryIsCrossed(when: String, radius: Double, stays: [Stay], expected: [String]) {
    var crossings: [String] = []
    delegate.onCall = { [clock = stage.clock] call in
      if call == .exit("home") { crossings.append("exit \(Int(clock.now))") }
      if call == .enter("home") { crossings.append("enter \(Int(clock.now))") }
    }
    manager.startMonitoring(for: region(radius: radius))
    for stay in stays { stage.stay(at: stay.north, seconds: stay.seconds, accuracy: stay.accuracy) }
    #expect(crossings == expected)
  }

  @Test func eachCrossingIsFollowedByTheState() {
    manager.startMonitoring(for: region())
    for place in [0.0, 90, 10] { stay(at: place, seconds: 30) }
    #expect(
      delegate.callsAfterAuthorization == [
        .startedMonitoring("home"), .state(.inside, "home"), .exit("home"), .state(.outside, "home"),
        .enter("home"), .state(.inside, "home"),
      ])
  }

  @Test func aFixThatCannotTellTheSideDeterminesNothing() {
    manager.startMonitoring(for: region())
    stay(at: 30, seconds: 10, accuracy: 40)
    #expect(delegate.callsAfterAuthorization == [.startedMonitoring("home")])
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

  /// The same circle keeps its state, also a crossing that is half confirmed; another one begins anew.
  @Test func oneRegionOfAName() {
    manager.startMonitoring(for: region())
    stay(at: 0, seconds: 1)
    stay(at: 90, seconds: 15)
    manager.startMonitoring(for: region(notifyOnEntry: false))
    stay(at: 90, seconds: 5)
    #expect(delegate.crossings.isEmpty)
    stay(at: 90, seconds: 1)
    #expect(delegate.crossings == [.exit("home")])
    stay(at: 0, seconds: 15)
    manager.startMonitoring(for: region(radius: 60))
    #expect(manager.monitoredRegions == [region(radius: 60)])
    stay(at: 0, seconds: 30)
    #expect(delegate.crossings == [.exit("home")])
    #expect(
      delegate.calls.filter { if case .state = $0 { true } else { false } } == [
        .state(.inside, "home"), .state(.outside, "home"), .state(.inside, "home"),
      ])
    manager.stopMonitoring(for: region())
    #expect(manager.monitoredRegions.isEmpty)
    #expect(!stage.source.isRunning)
  }

  @Test func whatIsExactlyAtALimitIsWithinIt() {
    func fix(_ north: Double, _ accuracy: Double) -> Location { stage.location(north: north, accuracy: accuracy) }
    func changes(_ policy: RegionMonitoringPolicy, _ fixes: Location...) -> [RegionMonitor.Change?] {
      var monitor = RegionMonitor(region())
      return fixes.enumerated().map { now, fix in
        monitor.update(fix, EarthPoint(fix.coordinate), at: Double(now), policy: policy)
      }
    }
    func complains(_ fixes: [(accuracy: Double, time: Double)]) -> Bool {
      var monitor = RegionMonitor(region())
      let errors = fixes.map { accuracy, time in
        monitor.judgeAccuracy(of: fix(0, accuracy), at: time, policy: RegionMonitoringPolicy())
      }
      return errors.contains { $0 != nil }
    }
    let edge = fix(80, 0)
    let way = Self.center.distance(from: edge.coordinate)
    #expect(region(radius: way).contains(edge.coordinate))
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
      region(radius: CircularRegion.maximumRadius.nextUp),
    ]
    for region in bad {
      manager.startMonitoring(for: region)
      stage.clock.advance(by: 0)
      #expect(delegate.calls.last == .monitoringFailed(region.identifier, .regionMonitoringFailure))
      #expect(delegate.messages.last?.contains(region.identifier) == true)
    }
    #expect(manager.monitoredRegions.isEmpty)
    #expect(!stage.source.isRunning)
    for radius in [0.1, manager.maximumRegionMonitoringDistance, CircularRegion.maximumRadius] {
      manager.startMonitoring(for: region(radius: radius))
      stage.clock.advance(by: 0)
      #expect(delegate.calls.last == .startedMonitoring("home"))
    }
  }

  @Test func requestedStates() {
    func answer(_ region: Region) -> RecordingDelegate.Call? {
      manager.requestState(for: region)
      stage.clock.advance(by: 0)
      return delegate.calls.last
    }
    manager.startMonitoring(for: region())
    #expect(answer(region()) == .state(.unknown, "home"))
    stay(at: 0, seconds: 1)
    manager.requestState(for: region())
    manager.requestState(for: region("not watched", radius: 1))
    stay(at: 20, seconds: 1)
    #expect(delegate.callsAfterAuthorization.suffix(2) == [.state(.inside, "home"), .state(.inside, "not watched")])
    #expect(answer(region("not watched", radius: 1)) == .state(.outside, "not watched"))
    stage.clock.advance(by: 60)
    #expect(answer(region("not watched", radius: 100)) == .state(.unknown, "not watched"))
  }

  @Test func delegateMayStopARegionWhileAnotherIsReported() {
    manager.startMonitoring(for: region("a"))
    manager.startMonitoring(for: region("b"))
    let other = region("b", radius: 0)
    delegate.onCall = { [manager] call in if call == .exit("a") { manager.stopMonitoring(for: other) } }
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
    manager.startMonitoring(
      for: Region(center: LocationCoordinate2D(latitude: -17, longitude: 179.9999), radius: 100, identifier: "fiji"))
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
    var random = SplitMix(state: 5)
    func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let policy = RegionMonitoringPolicy(margin: 0, accuracy: 100, dwell: 0)
    var near = 0
    for _ in 0..<1500 {
      let center = LocationCoordinate2D(latitude: uniform(-90...90), longitude: uniform(-180...180))
      let size = exp(uniform(0...7)) / 100
      let other = LocationCoordinate2D(
        latitude: max(-90, min(90, center.latitude + uniform(-0.5...0.5) * size)),
        longitude: (center.longitude + uniform(-1...1) * size).remainder(dividingBy: 360))
      // Far from everywhere in reach, so that the state is `outside` first.
      let antipode = LocationCoordinate2D(
        latitude: -center.latitude, longitude: (center.longitude + 180).remainder(dividingBy: 360))
      let distance = center.distance(from: other)
      for (factor, state) in [(0.99999, RegionState.outside), (1.00001, .inside)] {
        guard distance > 0, distance * factor < 10_000_000 else { continue }
        var monitor = RegionMonitor(Region(center: center, radius: distance * factor, identifier: "x"))
        _ = monitor.update(Location(coordinate: antipode), EarthPoint(antipode), at: 0, policy: policy)
        #expect(monitor.state == .outside)
        _ = monitor.update(Location(coordinate: other), EarthPoint(other), at: 1, policy: policy)
        #expect(monitor.state == state, "\(center) \(other)")
        near += 1
      }
    }
    #expect(near > 2500)
  }

  // MARK: Whether the receiver is accurate enough for a region

  @Test func regionThatTheReceiverCannotResolveIsReportedOnce() {
    manager.startMonitoring(for: region(radius: 10))
    manager.startMonitoring(for: region("wide"))
    stay(at: 0, seconds: 10, accuracy: 17.12)
    stay(at: 0, seconds: 10, accuracy: 12.34)
    #expect(!delegate.calls.contains(.monitoringFailed("home", .regionMonitoringFailure)))
    stay(at: 0, seconds: 200, accuracy: 17.1)
    let failures = delegate.calls.filter { if case .monitoringFailed = $0 { true } else { false } }
    #expect(failures == [.monitoringFailed("home", .regionMonitoringFailure)])
    #expect(
      delegate.messages == [
        "region home with its radius of 10.0 m needs a horizontal accuracy of 10.0 m or better; "
          + "the receiver's best so far is 12.3 m"
      ])
    // It is watched all the same.
    #expect(manager.monitoredRegions.count == 2)
    stay(at: 0, seconds: 1, accuracy: 9)
    #expect(delegate.calls.last == .state(.inside, "home"))
    // The same circle again says nothing new.
    manager.startMonitoring(for: region(radius: 10, notifyOnExit: false))
    stay(at: 0, seconds: 60, accuracy: 17.1)
    #expect(delegate.messages.count == 1)
  }

  @Test func regionThatTheReceiverResolvedOnceIsNotReported() {
    manager.startMonitoring(for: region(radius: 10))
    stay(at: 0, seconds: 19, accuracy: 50)
    stay(at: 0, seconds: 1, accuracy: 10)
    stay(at: 0, seconds: 100, accuracy: 50)
    #expect(delegate.messages.isEmpty)
    // Fixes of unknown accuracy are believed.
    manager.startMonitoring(for: region("other", radius: 1))
    stay(at: 0, seconds: 100, accuracy: nil)
    #expect(delegate.messages.isEmpty)
  }

  @Test func regionThatNeedsMoreThanThePolicyTakesIsReported() {
    manager.startMonitoring(for: region(radius: 5000))
    stay(at: 0, seconds: 30, accuracy: 150)
    #expect(delegate.messages.first?.contains("needs a horizontal accuracy of 100.0 m or better") == true)
  }
}
