import FoundationEssentials
public import LocationKit

/// The way that a receiver has come, thinned so that a browser draws it fluently: a bounded number of points, of a
/// bounded time.
///
/// Points that are near the last one are left out. When there are too many all the same, the distance doubles and they are
/// thinned again.
public struct TrailLine: Sendable {
  /// One point.
  struct Point: Sendable {
    var coordinate: LocationCoordinate2D
    /// Metres per second.
    var speed: Double?
    /// Metres above mean sea level.
    var altitude: Double?
    /// Seconds since 1970, by the receiver.
    var time: Double?
    /// Whether the fix was lost between the point before and this one.
    var isAfterBreak: Bool
  }

  /// What became of a location.
  public enum Addition: Sendable {
    /// It is too near the last one.
    case leftOut
    /// It is a point.
    case added
    /// It is a point, and there is a gap before it.
    case addedAfterBreak
  }

  private(set) var points: [Point] = []
  /// Metres between points.
  private(set) var spacing = 1.0
  /// Seconds after which a point is kept however near it is.
  private var pause: Double { 60 * spacing }
  private let limit: Int
  private let duration: Double
  private var isBroken = false
  /// Where distances are measured in: at the last point, as a rule, which changes far less often than a location comes.
  private var plane = LocalPlane(at: LocationCoordinate2D(latitude: 0, longitude: 0))

  /// Creates a trail.
  ///
  /// - Parameters:
  ///   - limit: How many points it has at most.
  ///   - duration: Seconds by the receiver that it covers at most, and up to an hour more.
  public init(limit: Int = 20_000, duration: Double = 86_400) {
    self.limit = max(limit, 2)
    self.duration = duration
  }

  /// Notes that the fix was lost: there is a gap before the next point.
  public mutating func interrupt() {
    isBroken = !points.isEmpty
  }

  /// Takes the next location.
  @discardableResult
  public mutating func append(_ location: Location) -> Addition {
    // A recording begins anew, or the receiver's clock was set back; two receivers are less apart.
    if let time = location.timestamp?.timeIntervalSince1970, let last = points.last?.time, last - time > 10 {
      interrupt()
    }
    let point = Point(
      coordinate: location.coordinate, speed: location.speed, altitude: location.altitude,
      time: location.timestamp?.timeIntervalSince1970, isAfterBreak: isBroken)
    guard !isBroken, let last = points.last else {
      add(point)
      return point.isAfterBreak ? .addedAfterBreak : .added
    }
    guard isApart(point, from: last) else { return .leftOut }
    add(point)
    return .added
  }

  private mutating func add(_ point: Point) {
    isBroken = false
    points.append(point)
    if let first = points.first?.time, let time = point.time, time - first > duration + 3600 {
      let oldest = time - duration
      removePoints { $0.time.map { $0 < oldest } ?? false }
    }
    if points.count > limit { thin() }
  }

  /// The same with the points of another trail before its own, as far as they are older. Between the two is a gap when the
  /// other one ends in one, or a minute before.
  func following(_ earlier: TrailLine) -> TrailLine {
    guard let first = points.first else { return earlier }
    var joined = earlier
    if let time = first.time { joined.points.removeAll { $0.time.map { $0 >= time } ?? false } }
    if let last = joined.points.last {
      var joint = first
      let seconds = first.time.flatMap { time in last.time.map { time - $0 } } ?? 0
      joint.isAfterBreak = joined.isBroken || seconds >= 60
      joined.add(joint)
    } else {
      joined.add(first)
    }
    for point in points.dropFirst() { joined.add(point) }
    joined.isBroken = isBroken
    return joined
  }

  private mutating func thin() {
    while points.count > limit / 2 {
      // Farther than around the earth: what is left are gaps.
      guard spacing < 50_000_000 else { return removeFirst(points.count - limit / 2) }
      spacing *= 2
      var kept: [Point] = []
      for point in points {
        if let last = kept.last, !point.isAfterBreak, !isApart(point, from: last) { continue }
        kept.append(point)
      }
      points = kept
    }
  }

  private mutating func removePoints(where isOld: (Point) -> Bool) {
    removeFirst(points.firstIndex { !isOld($0) } ?? points.count)
  }

  private mutating func removeFirst(_ count: Int) {
    points.removeFirst(count)
    if !points.isEmpty { points[0].isAfterBreak = false }
  }

  private mutating func isApart(_ point: Point, from other: Point) -> Bool {
    if let time = point.time, let otherTime = other.time, abs(time - otherTime) >= pause { return true }
    if plane.origin != other.coordinate { plane = LocalPlane(at: other.coordinate) }
    return plane.distance(to: point.coordinate) >= spacing
  }
}
