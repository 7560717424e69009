import FoundationEssentials
import LocationKit
import Records
import Tracks

/// A whole recording, which the page shows in place of live data: its trail, its figures, and its places.
package struct MapRecording: Sendable {
  package var trail = TrailLine()
  /// The figures, as `rxlocationd track --format json` writes them, in one line.
  package var figures = Array("{}".utf8)
  /// The first and the last position; `nil` if the page does not mark them.
  package var ends: (first: LocationCoordinate2D, last: LocationCoordinate2D)?
  package var stops: [Stop] = []
  /// The clock of the figures' times, which the page also uses for the points' times; `nil` for the browser's own.
  package var clock: MapClock?

  package init() {}
}

extension MapRecording {
  var json: [UInt8] {
    RecordBuffer.bytes(capacity: 1024 + 48 * trail.points.count) { buffer in
      buffer.appendObject { buffer in
        buffer.appendKey("trail")
        buffer.appendTrail(trail.points)
        appendMembers(to: &buffer)
      }
      buffer.append("\n")
    }
  }

  func appendMembers(to buffer: inout RecordBuffer) {
    buffer.appendKey("summary")
    figures.withUnsafeBytes { buffer.append(contentsOf: $0) }
    var places = stops.enumerated().map { index, stop in
      (name: "\(index + 1)", kind: "stop", coordinate: stop.coordinate, stop: Stop?.some(stop))
    }
    if let ends {
      places.insert(("Start", "start", ends.first, nil), at: 0)
      places.append(("End", "end", ends.last, nil))
    }
    buffer.appendArray("places", places) { buffer, place in
      buffer.appendObject {
        $0.appendMember("name", place.name)
        $0.appendMember("kind", place.kind)
        $0.appendMembers(of: place.coordinate)
        // In seconds since 1970, like the times of the trail's points.
        $0.appendMember("time", place.stop?.arrival.timeIntervalSince1970)
        $0.appendMember("duration", place.stop?.duration)
      }
    }
    if let clock {
      buffer.appendKey("clock")
      clock.append(to: &buffer)
    }
  }
}

extension RecordBuffer {
  /// Appends points as latitude, longitude, speed, time and altitude; `null` between two points is a gap.
  mutating func appendTrail(_ points: [TrailLine.Point]) {
    appendArray(points) { buffer, point in
      if point.isAfterBreak { buffer.append("null,") }
      buffer.append("[")
      buffer.append(point.coordinate.latitude, places: .angle)
      buffer.append(",")
      buffer.append(point.coordinate.longitude, places: .angle)
      buffer.append(",")
      buffer.appendJSONNumber(point.speed)
      buffer.append(",")
      buffer.appendJSONNumber(point.time)
      buffer.append(",")
      buffer.appendJSONNumber(point.altitude)
      buffer.append("]")
    }
  }
}
