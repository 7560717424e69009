import FoundationEssentials
import LocationKit

import func Glibc.cos

/// The line of a track, reduced to as many points as a picture can show, in bounded memory.
///
/// Fixes that are nearer than `tolerance` to the last kept point are left out; their speeds count for the edge that
/// leads past them. When there are too many points, the tolerance is doubled and the line is thinned out again, so no
/// fix is ever farther than twice the tolerance from a kept point.
struct PictureLine {
  /// A kept point, and the edge that leads to it.
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

  /// Adds a point, and the edge that leads to it.
  private mutating func add(_ point: Point) {
    var point = point
    point.beginsSegment = beginsSegment
    if let skipped {
      point.speedSum += skipped.speedSum
      point.speedCount += skipped.speedCount
    }
    if !beginsSegment, let last = points.last, isNear(point, last) { skipped = point } else { keep(point) }
  }

  /// Interrupts the line.
  mutating func addGap() {
    if let skipped { keep(skipped) }
    beginsSegment = true
  }

  /// Adds the last fix to the line.
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

  /// Doubles the tolerance until half of the points are gone.
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
