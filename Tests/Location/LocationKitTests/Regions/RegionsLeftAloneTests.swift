import Glibc
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationKit

/// Regions that cannot have changed are not looked at. What is reported, and when, must be the same as if all were looked at
/// with each fix.
@Suite(.inTurn) struct RegionsLeftAloneTests {
  /// Looks at all regions with each fix.
  private struct Plain {
    var policy = RegionMonitoringPolicy()
    var monitors: [RegionMonitor] = []

    mutating func start(_ region: Region, assuming assumption: RegionAssumption?) {
      if let index = monitors.firstIndex(where: { $0.region.identifier == region.identifier }) {
        monitors[index].replace(with: region)
      } else {
        monitors.append(RegionMonitor(region, assuming: assumption))
      }
    }

    mutating func update(_ fix: Location, at now: Double) -> [LocationEngine.Event] {
      var events: [LocationEngine.Event] = []
      for index in monitors.indices {
        monitors[index].update(fix, EarthPoint(fix.coordinate), at: now, policy: policy, &events)
      }
      return events
    }
  }

  /// A receiver that rests, shakes, drives and jumps.
  private struct Walk {
    var random: SplitMix
    var coordinate: LocationCoordinate2D

    mutating func pick(_ count: Int) -> Int { .random(in: 0..<count, using: &random) }

    mutating func uniform(_ range: ClosedRange<Double> = 0...1) -> Double { .random(in: range, using: &random) }

    /// From 1 to `range`, each order of magnitude as often as the others.
    mutating func magnitude(upTo range: Double) -> Double { exp(uniform() * log(range)) }

    /// A point that many metres or so away, over poles and the antimeridian.
    mutating func near(_ point: LocationCoordinate2D, by metres: Double) -> LocationCoordinate2D {
      let angle = uniform(0...2 * .pi)
      var latitude = point.latitude + metres * cos(angle) / 111_000
      var longitude = point.longitude
      longitude += metres * sin(angle) / 111_000 / max(0.0001, cos(point.latitude * .pi / 180))
      if abs(latitude) > 90 {
        latitude = latitude < 0 ? -180 - latitude : 180 - latitude
        longitude += 180
      }
      latitude = max(-90, min(90, latitude))
      return LocationCoordinate2D(latitude: latitude, longitude: longitude.remainder(dividingBy: 360))
    }

    /// Corners around a point, some of them on the way to it.
    mutating func star(around point: LocationCoordinate2D, by metres: Double) -> [LocationCoordinate2D] {
      (0..<12).map { index in
        let (angle, share) = (Double(index) * .pi / 6, uniform(0.3...1))
        return LocationCoordinate2D(
          latitude: max(-90, min(90, point.latitude + share * metres * cos(angle) / 111_000)),
          longitude: (point.longitude + share * metres * sin(angle) / 111_000).remainder(dividingBy: 360))
      }
    }
  }

  private static let starts = [
    LocationCoordinate2D(latitude: 51, longitude: 7), LocationCoordinate2D(latitude: -17, longitude: 179.9999),
    LocationCoordinate2D(latitude: 89.9995, longitude: -30), LocationCoordinate2D(latitude: -89.999, longitude: 100),
    LocationCoordinate2D(latitude: 0, longitude: -180),
  ]

  @Test(arguments: 1...(runsLongTests ? 60 : 5))
  func sameAsLookingAtAll(seed: Int) {
    let start = Self.starts[seed % Self.starts.count]
    var walk = Walk(random: SplitMix(state: UInt64(seed)), coordinate: start)
    var (regions, plain) = (RegionMonitoring(), Plain())
    var (now, step, reported) = (0.0, 1.0, 0)
    for index in 0..<(runsLongTests ? 3000 : 500) {
      switch index < 20 ? 0 : walk.pick(100) {
      case 0..<4:
        // The boundary is near the receiver, or it is anywhere.
        let radius = walk.magnitude(upTo: walk.pick(4) == 0 ? 9e6 : 2000)
        let center = walk.near(walk.coordinate, by: walk.pick(3) == 0 ? radius * 3 : radius)
        let region =
          index % 3 == 0 && radius < 2000
          ? Region.polygon(
            PolygonalRegion(polygons: [[walk.star(around: center, by: radius)]], identifier: "\(walk.pick(40))"))
          : Region(center: center, radius: radius, identifier: "\(walk.pick(40))")
        if (try? region.check()) == nil { break }
        let assumed = [nil, RegionState.inside, .outside][walk.pick(3)]
        let assumption = assumed.map { RegionAssumption(state: $0, times: nil) }
        regions.start(region, assuming: assumption)
        plain.start(region, assuming: assumption)
      case 4, 5:
        guard let monitor = plain.monitors.first else { break }
        // The same circle again keeps what is half confirmed.
        regions.start(monitor.region)
        plain.start(monitor.region, assuming: nil)
      case 6, 7:
        guard let region = plain.monitors.randomElement(using: &walk.random)?.region else { break }
        regions.stop(region)
        plain.monitors.removeAll { $0.region.identifier == region.identifier }
      case 8:
        plain.policy = RegionMonitoringPolicy(
          margin: [0, 1, 25][walk.pick(3)], accuracy: [5, 100, 1000][walk.pick(3)], dwell: [0, 3, 20][walk.pick(3)])
      case 9..<15: step = walk.magnitude(upTo: 20_000) / 20
      case 15: step = 0
      case 16: walk.coordinate = walk.near(walk.coordinate, by: walk.magnitude(upTo: 1.9e7))
      case 17..<25:
        // On a boundary as exactly as coordinates can tell.
        guard let region = plain.monitors.randomElement(using: &walk.random)?.region else { break }
        walk.coordinate = walk.near(region.center, by: region.radius)
      default: break
      }
      now += [0.1, 1, 1, 5][walk.pick(4)]
      if step > 0 { walk.coordinate = walk.near(walk.coordinate, by: step) }
      var fix = Location(coordinate: walk.coordinate)
      fix.horizontalAccuracy = [nil, 3, walk.magnitude(upTo: 200), 2000][walk.pick(4)]
      let expected = plain.update(fix, at: now)
      var events: [LocationEngine.Event] = []
      regions.update(fix, at: now, policy: plain.policy, &events)
      #expect(events == expected, "fix \(index)")
      for monitor in plain.monitors where regions.state(of: monitor.region, at: nil) != monitor.state {
        Issue.record("fix \(index): \(monitor.region)")
        return
      }
      reported += expected.count
    }
    #expect(reported > 50)
  }

  /// A vehicle that has travelled for longer than its way can be summed up exactly.
  @Test func aWayWithoutEnd() {
    var regions = RegionMonitoring()
    let home = Region(center: LocationCoordinate2D(latitude: 51, longitude: 7), radius: 1000, identifier: "home")
    let policy = RegionMonitoringPolicy(dwell: 0)
    regions.start(home)
    let places = [0.0, 90, 180, -90].map { LocationCoordinate2D(latitude: 51, longitude: 7 + $0) }
    var crossings = 0
    for round in 0..<400 {
      for place in places {
        var events: [LocationEngine.Event] = []
        regions.update(Location(coordinate: place), at: Double(round), policy: policy, &events)
        crossings += events.count
      }
    }
    #expect(crossings == 800)
  }
}
