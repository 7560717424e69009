import Foundation
import LocationKit
import TestSupport
import Testing

/// What shapely says of the same polygons. Without it they are not compared.
@Suite(.inTurn) struct PolygonOthersTests {
  private static let python = Command.python(with: "shapely")

  /// Reads a line of rings and a line of points for each polygon, and prints a digit for each point.
  private static let program = """
    import sys, json
    from shapely.geometry import Point, MultiPolygon, Polygon
    from shapely.prepared import prep
    lines = iter(sys.stdin)
    for polygons, points in zip(lines, lines):
        shape = MultiPolygon([Polygon(rings[0], rings[1:]) for rings in json.loads(polygons)])
        assert shape.is_valid
        shape = prep(shape)
        print("".join("1" if shape.contains(Point(p)) else "0" for p in json.loads(points)))
    """

  /// A star around a point, whose corners are between these shares of the size in degrees away from it.
  private static func star(
    _ latitude: Double, _ longitude: Double, _ size: Double, _ shares: ClosedRange<Double>, _ random: inout SplitMix
  ) -> [[Double]] {
    let count = Int.random(in: 5...60, using: &random)
    let ring = (0..<count).map { index in
      let angle = (Double(index) + Double.random(in: 0.1...0.9, using: &random)) / Double(count) * 2 * .pi
      let radius = size * Double.random(in: shares, using: &random)
      return [longitude + radius * cos(angle), latitude + radius * sin(angle)]
    }
    return ring + [ring[0]]
  }

  @Test(.enabled(if: python != nil, "python3-shapely is not installed"))
  func insideIsShapelys() throws {
    var random = SplitMix(state: 1)
    func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    var (input, regions, points): (String, [PolygonalRegion], [[[Double]]]) = ("", [], [])
    for number in 0..<(runsLongTests ? 1000 : 200) {
      let size = pow(10, uniform(-4...0.9))
      // Every fourth is at the antimeridian.
      let (latitude, longitude) = (
        uniform(-75...75), number % 4 == 0 ? 180 + uniform(-size...size) : uniform(-170...170)
      )
      var polygons = [[Self.star(latitude, longitude, size, 0.5...1, &random)]]
      if number % 3 == 0 { polygons[0].append(Self.star(latitude, longitude, size, 0.05...0.2, &random)) }
      if number % 5 == 0 { polygons.append([Self.star(latitude, longitude + 2.5 * size, size, 0.3...1, &random)]) }
      let some = (0..<100).map { index -> [Double] in
        if index % 2 == 0 { return [longitude + uniform(-1.2...3.5) * size, latitude + uniform(-1.2...1.2) * size] }
        // Near an edge.
        let ring = polygons.randomElement(using: &random)!.randomElement(using: &random)!
        let corner = Int.random(in: 1..<ring.count, using: &random)
        let (share, away) = (uniform(0...1), pow(10, uniform(-10 ... -4)))
        return (0..<2).map {
          ring[corner - 1][$0] + share * (ring[corner][$0] - ring[corner - 1][$0]) + uniform(-away...away)
        }
      }
      regions.append(
        PolygonalRegion(polygons: polygons.map { $0.map { $0.map { Self.coordinate($0) } } }, identifier: "\(number)"))
      points.append(some)
      input += "\(polygons)\n\(some)\n"
    }
    let answer = String(
      decoding: try Command.output(try #require(Self.python), ["-c", Self.program], input: Array(input.utf8)),
      as: UTF8.self
    ).split(separator: "\n")
    #expect(answer.count == regions.count)
    var (compared, insides) = (0, 0)
    for (region, (some, digits)) in zip(regions, zip(points, answer)) {
      try region.check()
      for (point, digit) in zip(some, digits) {
        let coordinate = Self.coordinate(point)
        compared += 1
        if digit == "1" { insides += 1 }
        guard region.contains(coordinate) != (digit == "1") else { continue }
        let distance = region.distanceToEdge(from: coordinate)
        #expect(abs(distance) <= 0.001, "\(region.identifier) \(point) \(distance)")
      }
    }
    #expect(compared == 100 * regions.count && insides > compared / 5)
  }

  /// The coordinate of a longitude and a latitude, as receivers have it.
  private static func coordinate(_ point: [Double]) -> LocationCoordinate2D {
    LocationCoordinate2D(latitude: point[1], longitude: remainder(point[0], 360))
  }
}
