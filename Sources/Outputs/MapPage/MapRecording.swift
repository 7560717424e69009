import FoundationEssentials
import LocationKit
import Records

/// A whole recording, which the page shows in place of live data: its trail, its figures in words, and its places.
package struct MapRecording: Sendable {
  package struct Place: Sendable, Hashable {
    package enum Kind: String, Sendable {
      case start, stop, end
    }

    package var kind: Kind
    /// The text on the marker, such as the number of a stop.
    package var name: String
    package var coordinate: LocationCoordinate2D
    /// The beginning of a stop.
    package var time: Date?
    /// The duration of a stop in seconds.
    package var duration: Double?

    package init(
      _ kind: Kind, name: String, coordinate: LocationCoordinate2D, time: Date? = nil, duration: Double? = nil
    ) {
      (self.kind, self.name, self.coordinate, self.time, self.duration) = (kind, name, coordinate, time, duration)
    }
  }

  package var trail: TrailLine
  /// The figures by name, in the order in which the page shows them.
  package var figures: [(name: String, value: String)]
  /// The places, in the order of the recording.
  package var places: [Place]
  /// The clock of the figures' times, which the page also uses for the points' times; `nil` for the browser's own.
  package var clock: MapClock?

  package init(
    trail: TrailLine, figures: [(name: String, value: String)], places: [Place], clock: MapClock? = nil
  ) {
    (self.trail, self.figures, self.places, self.clock) = (trail, figures, places, clock)
  }
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

  /// The members `summary`, `places` and `clock`.
  func appendMembers(to buffer: inout RecordBuffer) {
    buffer.appendKey("summary")
    buffer.appendArray(figures) { buffer, figure in
      buffer.appendArray([figure.name, figure.value]) { $0.appendJSONString($1) }
    }
    buffer.appendKey("places")
    buffer.appendArray(places) { buffer, place in
      buffer.appendObject {
        $0.appendMember("name", place.name)
        $0.appendMember("kind", place.kind.rawValue)
        $0.appendMembers(of: place.coordinate)
        // In seconds since 1970, like the times of the trail's points.
        $0.appendMember("time", place.time?.timeIntervalSince1970)
        $0.appendMember("duration", place.duration)
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
