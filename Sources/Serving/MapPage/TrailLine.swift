import FoundationEssentials
import Serving
import LocationKit
import Records

/// The trail of a receiver, thinned so that a browser draws it fluently: a bounded number of points from a bounded
/// time.
///
/// Points near the last one are left out. When there are still too many, the distance is doubled and they are thinned
/// again.
package struct TrailLine: Sendable {
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

  package enum Addition: Sendable {
    case leftOut
    case added
    /// It is a point, and there is a gap before it.
    case addedAfterBreak
  }

  private(set) var points: [Point] = []
  /// Metres between points.
  private(set) var spacing = 1.0
  /// The number of seconds after which a point is kept however near it is.
  private var pause: Double { 60 * spacing }
  private let limit: Int
  private let duration: Double
  private var isBroken = false
  /// The plane in which distances are measured. It usually touches the earth at the last point, which changes far less
  /// often than locations come.
  private var plane = LocalPlane(at: LocationCoordinate2D(latitude: 0, longitude: 0))

  /// - Parameters:
  ///   - duration: The greatest time that it covers, in seconds of the receiver; it may cover an hour more.
  package init(limit: Int = 20_000, duration: Double = 86_400) {
    self.limit = max(limit, 2)
    self.duration = duration
  }

  package mutating func interrupt() { isBroken = !points.isEmpty }

  @discardableResult
  package mutating func append(_ location: Location) -> Addition {
    // A recording begins again, or the receiver's clock was set back. The times of two receivers differ by less.
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
      removeFirst(points.firstIndex { $0.time.map { $0 >= oldest } ?? true } ?? points.count)
    }
    if points.count > limit { thin() }
  }

  /// This trail after the points of another one that are older. Between the two is a gap if the other one ends in a
  /// gap, or ends a minute earlier.
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
      // The spacing exceeds the size of the earth, so only gaps are left.
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

/// The trail as GeoJSON: one feature for each part between two losses of the fix.
struct TrailDocument {
  var points: [TrailLine.Point]

  /// The answer to `/trail.geojson?since=TIME`.
  static func response(to request: HTTPRequest, of line: TrailLine) -> HTTPResponse {
    MapHistoryError.response { () throws(MapHistoryError) in
      var points = line.points
      if let since = try request.time("since")?.timeIntervalSince1970 {
        points.removeAll { $0.time ?? -.infinity < since }
      }
      var response = HTTPResponse(contentType: "application/geo+json", body: TrailDocument(points: points).json)
      response.fields.append(("Cache-Control", "no-store"))
      return response
    }
  }

  var json: [UInt8] {
    RecordBuffer.bytes(capacity: 256 + 64 * points.count) { buffer in
      buffer.append(#"{"type":"FeatureCollection","features":"#)
      buffer.appendArray(pieces) { buffer, piece in
        // GeoJSON does not allow a line of one point.
        buffer.append(#"{"type":"Feature","geometry":{"type":"#)
        buffer.append(piece.count > 1 ? #""LineString","coordinates":"# : #""MultiPoint","coordinates":"#)
        buffer.appendArray(piece) { $0.appendPosition($1.coordinate) }
        buffer.append(#"},"properties":{"coordTimes":"#)
        buffer.appendArray(piece) { $0.appendJSONTime($1.time.map { Date(timeIntervalSince1970: $0) }) }
        buffer.appendArray("speeds", piece) { $0.appendJSONNumber($1.speed) }
        buffer.append("}}")
      }
      buffer.append("}\n")
    }
  }

  private var pieces: [ArraySlice<TrailLine.Point>] {
    var starts = points.indices.filter { $0 == 0 || points[$0].isAfterBreak }
    starts.append(points.count)
    return zip(starts, starts.dropFirst()).map { points[$0..<$1] }
  }
}
