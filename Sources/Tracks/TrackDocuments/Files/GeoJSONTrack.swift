import FoundationEssentials
import LocationKit
import Records
import Tracks

/// A GeoJSON FeatureCollection (RFC 7946): a LineString for each segment, then a Point for each stop.
///
/// A segment of one fix is a Point. A line is cut in two at the antimeridian, as the RFC asks. The third coordinate is
/// the height above the ellipsoid, if it is known.
struct GeoJSONTrack: TrackWriter {
  private struct Line {
    var first: Location
    var last: Location
    var count: Int
  }

  private var line: Line?
  private var hasFeatures = false

  func begin(to buffer: inout RecordBuffer) { buffer.append(#"{"type":"FeatureCollection","features":["#) }

  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {
    guard case .fix(let location) = event else {
      if event == .gap { endLine(to: &buffer) }
      return
    }
    guard location.coordinate.isValid else { return }
    guard let last = line?.last else {
      line = Line(first: location, last: location, count: 1)
      return
    }
    let step = location.coordinate.longitude - last.coordinate.longitude
    if step.magnitude > 180 {
      let (before, after) = cut(from: last, to: location, isEastward: step < 0)
      add(before, to: &buffer)
      endLine(to: &buffer)
      line = Line(first: after, last: after, count: 1)
    }
    add(location, to: &buffer)
  }

  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    endLine(to: &buffer)
    for (index, stop) in report.summary.stops.enumerated() {
      beginPoint(stop.coordinate, to: &buffer)
      buffer.append(#""stop""#)
      buffer.appendMember("number", index + 1)
      buffer.appendMember("arrival", stop.arrival)
      buffer.appendMember("departure", stop.departure)
      buffer.append("}}")
    }
    buffer.append("\n]}\n")
  }

  /// The first position is written together with the second one, because one position alone is not a line.
  private mutating func add(_ location: Location, to buffer: inout RecordBuffer) {
    guard var line else { return }
    if line.count == 1 {
      beginFeature(to: &buffer)
      buffer.append(#"{"type":"LineString","coordinates":["#)
      buffer.appendPosition(line.first.coordinate, height: line.first.ellipsoidalAltitude)
    }
    buffer.append(",\n")
    buffer.appendPosition(location.coordinate, height: location.ellipsoidalAltitude)
    line.last = location
    line.count += 1
    self.line = line
  }

  private mutating func endLine(to buffer: inout RecordBuffer) {
    guard let line else { return }
    self.line = nil
    if line.count == 1 {
      beginPoint(line.first.coordinate, height: line.first.ellipsoidalAltitude, to: &buffer)
    } else {
      buffer.append(#"]},"properties":{"type":"#)
    }
    buffer.append(#""track""#)
    buffer.appendMember("start", line.first.timestamp)
    buffer.appendMember("end", line.last.timestamp)
    buffer.append("}}")
  }

  private mutating func beginFeature(to buffer: inout RecordBuffer) {
    buffer.append(hasFeatures ? ",\n" : "\n")
    buffer.append(#"{"type":"Feature","geometry":"#)
    hasFeatures = true
  }

  /// Appends a point up to the value of its property `type`.
  private mutating func beginPoint(
    _ coordinate: LocationCoordinate2D, height: LocationDistance? = nil, to buffer: inout RecordBuffer
  ) {
    beginFeature(to: &buffer)
    buffer.append(#"{"type":"Point","coordinates":"#)
    buffer.appendPosition(coordinate, height: height)
    buffer.append(#"},"properties":{"type":"#)
  }

  /// The two points, one on each side of the antimeridian, where the line between two fixes meets it. The latitude is
  /// interpolated, as in RFC 7946; the times are those of the fixes.
  private func cut(from last: Location, to next: Location, isEastward: Bool) -> (Location, Location) {
    let edge = isEastward ? 180.0 : -180.0
    let (start, end) = (last.coordinate, next.coordinate)
    let length = end.longitude + 2 * edge - start.longitude
    let share = length == 0 ? 0 : (edge - start.longitude) / length
    let latitude = start.latitude + share * (end.latitude - start.latitude)
    func point(_ longitude: Double, _ time: Date?) -> Location {
      Location(coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude), timestamp: time)
    }
    return (point(edge, last.timestamp), point(-edge, next.timestamp))
  }
}
