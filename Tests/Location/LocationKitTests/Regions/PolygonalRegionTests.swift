import Glibc
import TestSupport
import Testing

@testable import LocationKit

@Suite(.inTurn) struct PolygonalRegionTests {
  private typealias Point = LocationCoordinate2D

  /// Places as `latitude, longitude`.
  private static func points(_ numbers: Double...) -> [LocationCoordinate2D] {
    stride(from: 0, to: numbers.count, by: 2).map { Point(latitude: numbers[$0], longitude: numbers[$0 + 1]) }
  }

  private static func box(_ south: Double, _ west: Double, _ north: Double, _ east: Double) -> [LocationCoordinate2D] {
    points(south, west, south, east, north, east, north, west)
  }

  private static func region(_ polygons: [[LocationCoordinate2D]]...) -> PolygonalRegion {
    PolygonalRegion(polygons: polygons, identifier: "x")
  }

  @Test func holesAreOutside() {
    let region = Self.region([Self.box(47, 8, 48, 9), Self.box(47.4, 8.4, 47.6, 8.6)], [Self.box(50, 8, 51, 9)])
    let inside = Self.points(47.2, 8.5, 50.5, 8.5)
    #expect((inside + Self.points(47.5, 8.5, 49, 8.5, 47.5, 369, .nan, 8.5)).filter(region.contains) == inside)
    // The middle of the hole is a tenth of a degree from its edge.
    let depth = region.distanceToEdge(from: Point(latitude: 47.5, longitude: 8.5))
    let edge = Point(latitude: 47.5, longitude: 8.5).distance(from: Point(latitude: 47.5, longitude: 8.6))
    #expect(abs(depth + edge) < 0.01)
  }

  /// A box across the antimeridian in the ways in which files have it, and its parts.
  @Test(arguments: [
    [[box(-18, 177, -16, -178)]], [[box(-18, 177, -16, 182)]], [[box(-18, -183, -16, -178)]],
    [[box(-18, 177, -16, 180)], [box(-18, -180, -16, -178)]],
    // The parts have other corners on the antimeridian.
    [[box(-18, 177, -16, 180)], [box(-18, -180, -17, -178)], [box(-17, -180, -16, -178)]],
  ])
  func crossesTheAntimeridian(polygons: [[[LocationCoordinate2D]]]) throws {
    let region = PolygonalRegion(polygons: polygons, identifier: "fiji")
    try region.check()
    let inside = Self.points(-17.5, 179.9, -17.5, 180, -17.5, -180, -17.5, -178.1)
    let outside = Self.points(-17.5, -177.9, -17.5, 0, -15.9, 180, -17.5, 176.9)
    #expect((inside + outside).filter(region.contains) == inside)
    // There is no edge at the antimeridian. The last way has one at 17° S, which is 2.8 m nearer than that at 18° S.
    let depth = region.distanceToEdge(from: Point(latitude: -17.5, longitude: 180))
    let edge = Point(latitude: -17.5, longitude: 180).distance(from: Point(latitude: -18, longitude: 180))
    #expect(abs(depth - edge) < 3, "\(depth)")
    #expect(Region.polygon(region).radius < 350_000)
  }

  /// The ice cap in the ways in which files have it.
  @Test(arguments: [
    box(-90, -180, -60, 180), points(-60, 0, -60, 90, -60, 180, -60, -90), points(-60, 0, -60, -90, -60, 180, -60, 90),
  ])
  func surroundsAPole(outer: [LocationCoordinate2D]) throws {
    let region = Self.region([outer])
    try region.check()
    let inside = Self.points(-90, 0, -75, 180, -75, -180, -60.001, 33)
    #expect((inside + Self.points(-59.999, 33, 90, 0)).filter(region.contains) == inside)
    let near = region.distanceToEdge(from: Point(latitude: -60.001, longitude: 180))
    let edge = Point(latitude: -60.001, longitude: 0).distance(from: Point(latitude: -60, longitude: 0))
    #expect(abs(near - edge) < 0.001, "\(near)")
    #expect(Region.polygon(region).center.latitude < -89.999)
  }

  /// The shortest geodesic to an edge is found by many distances to its points.
  @Test(arguments: 0..<8)
  func distanceIsThatOfTheGeodesic(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let size = pow(10, uniform(-4...1))
    let origin = Point(latitude: uniform(-75...75), longitude: uniform(-180...180))
    let outer = (0..<3).map { _ in
      Point(
        latitude: origin.latitude + uniform(-size...size),
        longitude: remainder(origin.longitude + uniform(-size...size), 360))
    }
    let region = Self.region([outer])
    /// A part of the way from a corner to the next one.
    func point(_ share: Double, from index: Int) -> Point {
      let (a, b) = (outer[index], outer[(index + 1) % 3])
      let east = remainder(b.longitude - a.longitude, 360)
      return Point(latitude: a.latitude + share * (b.latitude - a.latitude), longitude: a.longitude + share * east)
    }
    for _ in 0..<8 {
      let (foot, metres) = (point(uniform(0.3...0.7), from: 0), pow(10, uniform(-3...3)))
      let here = LocalPlane(at: foot).coordinate(east: uniform(-metres...metres), north: uniform(-metres...metres))
      var nearest = Double.infinity
      for index in 0..<3 {
        func distance(_ share: Double) -> Double { here.distance(from: point(share, from: index)) }
        let best = (0...100).map { Double($0) / 100 }.min { distance($0) < distance($1) } ?? 0
        var (low, high) = (max(0, best - 0.01), min(1, best + 0.01))
        for _ in 0..<60 {
          let third = (high - low) / 3
          if distance(low + third) < distance(high - third) { high -= third } else { low += third }
        }
        nearest = min(nearest, distance(low))
      }
      let found = abs(region.distanceToEdge(from: here))
      #expect(abs(found - nearest) < 0.001, "\(found) \(nearest)")
    }
  }

  /// A polygon of many corners reports what a circle does, at the same fix, whatever the accuracy.
  @Test func crossingsFollowTheRulesOfCircles() {
    let plane = LocalPlane(at: Point(latitude: 60, longitude: 25))
    let corners = (0..<360).map {
      plane.coordinate(east: 60 * sin(Double($0) * .pi / 180), north: 60 * cos(Double($0) * .pi / 180))
    }
    var monitors = [
      RegionMonitor(Region(center: plane.origin, radius: 60, identifier: "x")),
      RegionMonitor(.polygon(Self.region([corners]))),
    ]
    var random = SplitMix(state: 7)
    var changes = 0
    for second in 0..<3000 {
      let (east, north) = (120 * sin(Double(second) / 200) + 4 * random.normal(), 4 * random.normal())
      var fix = Location(coordinate: plane.coordinate(east: east, north: north))
      fix.horizontalAccuracy = [5, 20, 150][second / 700 % 3]
      var found: [RegionState?] = []
      for index in monitors.indices {
        let change = monitors[index].update(fix, EarthPoint(fix.coordinate), at: Double(second), policy: .init())
        found.append(change.map { _ in monitors[index].state })
      }
      #expect(found[0] == found[1], "second \(second)")
      if found[0] != nil { changes += 1 }
    }
    #expect(changes > 3)
  }

  @Test func knowsHowAccurateAReceiverHasToBe() {
    // A corridor of 20 m by 5 km, at an angle.
    let plane = LocalPlane(at: Point(latitude: 47, longitude: 8))
    let corners = [(0.0, 0.0), (3000, 4000), (2984, 4012), (-16, 12)].map { plane.coordinate(east: $0.0, north: $0.1) }
    let region = Self.region([corners])
    #expect(abs(region.outline.greatestDepth - 10) < 0.6, "\(region.outline.greatestDepth)")
    var monitor = RegionMonitor(.polygon(region))
    var fix = Location(coordinate: plane.origin)
    fix.horizontalAccuracy = 15
    #expect(monitor.judgeAccuracy(of: fix, at: 0, policy: .init()) == nil)
    let error = monitor.judgeAccuracy(of: fix, at: 20, policy: .init())
    #expect(error?.message.hasPrefix("region x with its depth of ") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    ([], "it has no ring"), ([[]], "it has no ring"), ([[points(1, 2, 3, 4)]], "ring 1 has 2 different corners"),
    ([[points(1, 2, 1, 2, 1, 2, 1, 2)]], "ring 1 has 1 different corners"),
    ([[box(1, 1, 2, 2), points(1, 2, 3, 4)]], "ring 2 has 2 different corners"),
    ([[box(1, 1, 2, 2)], [points(1, 2, 3, 4)]], "polygon 2, ring 1 has 2"),
    ([[points(1, 2, 91, 4, 5, 6)]], "91.0, 4.0 is not a coordinate"),
    ([[points(1, 2, .nan, 4, 5, 6)]], "nan, 4.0 is not a coordinate"),
    ([[points(1, 2, 1, .infinity, 5, 6)]], "is not a coordinate"),
    ([[points(1, 1, 2, 2, 3, 3)]], "it has no inside"), ([[box(-80, -180, 80, 180)]], "larger than half the earth"),
    ([[box(-90, -180, 90, 180)]], "larger than half the earth"),
    ([[box(1, 1, 2, 2), box(1, 2.1, 2, 2.2)]], "ring 2 is a hole outside of ring 1"),
    // The first hole reaches from edge to edge.
    ([[box(5, 5, 6, 6)], [box(1, 1, 2, 2), box(1.1, 1, 1.9, 2), box(1, 3, 2, 4)]], "polygon 2, ring 3 is a hole"),
  ])
  func saysWhatIsWrong(polygons: [[[LocationCoordinate2D]]], part: String) {
    let region = PolygonalRegion(polygons: polygons, identifier: "yard")
    let error = #expect(throws: LocationError.self) { try region.check() }
    #expect(
      error?.message.contains("region yard: ") == true && error?.message.contains(part) == true,
      "\(error?.message ?? "")")
    #expect(!region.contains(Point(latitude: 91, longitude: 0)))
  }

  @Test func theSamePolygonsAreTheSameShape() {
    let region = Self.region([Self.box(47, 8, 48, 9)])
    #expect(region == Self.region([Self.box(47, 8, 48, 9)]))
    #expect(region != Self.region([Self.box(47, 8, 48, 9.1)]))
    // A journal knows a fence by its circle, which every corner changes.
    let other = Self.region([Self.box(47, 8, 48, 9), Self.box(47.4, 8.4, 47.6, 8.5)])
    #expect(Region.polygon(region).circle != Region.polygon(other).circle)
  }
}
