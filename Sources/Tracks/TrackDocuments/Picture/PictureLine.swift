import Glibc
import LocationKit

/// The line of a track, reduced to as many points as a picture can show, in bounded memory.
///
/// Fixes that are nearer than `tolerance` to the last kept point are left out; their speeds count for the edge that
/// leads past them. When there are too many points, the tolerance is doubled and the line is thinned out again, so no
/// fix is ever farther than twice the tolerance from a kept point.
struct PictureLine {
  struct Point {
    /// Degrees.
    var latitude: Double
    /// Degrees; beyond 180 after the track has crossed the antimeridian.
    var longitude: Double
    /// The sum and the number of the speeds along the edge, in metres per second.
    var speedSum = 0.0
    var speedCount = 0
    /// Whether there is a gap instead of an edge.
    var beginsSegment: Bool

    /// Metres per second along the edge; `nil` when unknown.
    var speed: Double? { speedCount > 0 ? speedSum / Double(speedCount) : nil }
  }

  private(set) var points: [Point] = []
  /// Metres.
  private(set) var tolerance = 0.25
  private let limit: Int
  /// The newest point, if it is too near to the last kept point to be kept.
  private var skipped: Point?
  private var beginsSegment = true
  /// Metres per degree of longitude at the last kept point.
  private var degree = 0.0

  init(limit: Int = 1 << 16) { self.limit = max(4, limit) }

  mutating func add(_ coordinate: LocationCoordinate2D, speed: Double?) {
    var longitude = coordinate.longitude
    if let last = points.last { longitude += 360 * ((last.longitude - longitude) / 360).rounded() }
    add(
      Point(
        latitude: coordinate.latitude, longitude: longitude, speedSum: speed ?? 0, speedCount: speed == nil ? 0 : 1,
        beginsSegment: beginsSegment))
  }

  private mutating func add(_ point: Point) {
    var point = point
    point.beginsSegment = beginsSegment
    if let skipped {
      point.speedSum += skipped.speedSum
      point.speedCount += skipped.speedCount
    }
    if !beginsSegment, let last = points.last, isNear(point, last) { skipped = point } else { keep(point) }
  }

  mutating func addGap() {
    if let skipped { keep(skipped) }
    beginsSegment = true
  }

  mutating func finish() { addGap() }

  private mutating func keep(_ point: Point) {
    points.append(point)
    skipped = nil
    beginsSegment = false
    degree = WGS84.metresPerDegree * cos(point.latitude * .pi / 180)
    if points.count >= limit { thinOut() }
  }

  private func isNear(_ point: Point, _ last: Point) -> Bool {
    let north = (point.latitude - last.latitude) * WGS84.metresPerDegree
    let east = (point.longitude - last.longitude) * degree
    return north * north + east * east < tolerance * tolerance
  }

  private mutating func thinOut() {
    repeat { thinOut(to: tolerance * 2) } while points.count > limit / 2 && tolerance < 1e8
  }

  /// Leaves out points that are nearer than `metres` to the point before. The ends of segments stay, unless they are
  /// indistinguishable at this scale.
  mutating func thinOut(to metres: Double) {
    var kept = PictureLine(limit: .max)
    kept.tolerance = metres
    for point in points {
      if point.beginsSegment && metres < Self.coarse { kept.addGap() }
      kept.add(point)
    }
    kept.finish()
    points = kept.points
    tolerance = metres
    degree = kept.degree
  }

  /// Metres: far more than a picture of the whole earth shows.
  private static let coarse = 50_000.0
}

/// Leaves out points of a line whose absence is invisible in a picture (Douglas and Peucker, 1973).
enum PolylineSimplifier {
  /// The points, without those that are nearer than `tolerance` to the line through the remaining ones. The first and
  /// the last point stay.
  static func simplified(_ points: [(x: Double, y: Double)], tolerance: Double) -> [(x: Double, y: Double)] {
    guard points.count > 2 else { return points }
    var stays = [Bool](repeating: false, count: points.count)
    stays[0] = true
    stays[points.count - 1] = true
    // Uses an explicit stack, because recursion over a line of many points could overflow the call stack.
    var ranges = [(0, points.count - 1)]
    while let (first, last) = ranges.popLast() {
      var farthest = (index: 0, distance: tolerance * tolerance)
      for index in first + 1..<max(last, first + 1) {
        let distance = squaredDistance(points[index], points[first], points[last])
        if distance > farthest.distance { farthest = (index, distance) }
      }
      guard farthest.index > 0 else { continue }
      stays[farthest.index] = true
      if farthest.index - first > 1 { ranges.append((first, farthest.index)) }
      if last - farthest.index > 1 { ranges.append((farthest.index, last)) }
    }
    return zip(points, stays).filter { $0.1 }.map(\.0)
  }

  private static func squaredDistance(
    _ point: (x: Double, y: Double), _ start: (x: Double, y: Double), _ end: (x: Double, y: Double)
  ) -> Double {
    let (x, y) = (end.x - start.x, end.y - start.y)
    let length = x * x + y * y
    let share = length > 0 ? min(1, max(0, ((point.x - start.x) * x + (point.y - start.y) * y) / length)) : 0
    let (dx, dy) = (point.x - start.x - share * x, point.y - start.y - share * y)
    return dx * dx + dy * dy
  }
}
