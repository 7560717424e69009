import LocationKit
import Records
import Tracks

/// The figures, trips and stops as one JSON object, with one trip or stop per line. Units are those of the records:
/// degrees, metres, metres per second, seconds. Unknown values are absent.
struct JSONSummary: TrackWriter {
  func begin(to buffer: inout RecordBuffer) {}

  func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {}

  func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    buffer.appendObject { buffer in
      buffer.appendMember("type", "track")
      buffer.appendMember("name", report.name)
      append(report.summary.statistics, jumps: report.jumps, report.skipped, to: &buffer)
      buffer.append(#","parts":["#)
      for (index, part) in report.summary.parts.enumerated() {
        buffer.append(index == 0 ? "\n" : ",\n")
        buffer.appendObject { append(part, to: &$0) }
      }
      buffer.append("]")
    }
    buffer.append("\n")
  }

  private func append(
    _ figures: TrackStatistics, jumps: Int, _ skipped: SkippedRecords, to buffer: inout RecordBuffer
  ) {
    buffer.appendMember("fixes", figures.fixCount)
    if !figures.fixesByStatus.isEmpty {
      buffer.appendKey("fixesByStatus")
      buffer.appendArray(figures.fixesByStatus.sorted { $0.key.rawValue < $1.key.rawValue }) { buffer, entry in
        buffer.appendObject {
          $0.appendMember("status", entry.key.rawValue)
          $0.appendMember("count", entry.value)
        }
      }
    }
    buffer.appendMember("segments", figures.segmentCount)
    buffer.appendMember("jumps", jumps)
    if !skipped.isEmpty {
      buffer.appendKey("skipped")
      buffer.appendArray(skipped.groups) { buffer, group in
        buffer.appendObject {
          $0.appendMember("kind", group.first.kind.rawValue)
          $0.appendMember("count", group.count)
          $0.appendMember("file", group.first.input)
          $0.appendMember("line", group.first.line)
        }
      }
    }
    buffer.appendMember("start", figures.start)
    buffer.appendMember("end", figures.end)
    buffer.appendMember("duration", figures.duration)
    buffer.appendMember("distance", figures.distance)
    if figures.start != nil {
      buffer.appendMember("movingDistance", figures.movingDistance)
      buffer.appendMember("movingTime", figures.movingTime)
      buffer.appendMember("stoppedDistance", figures.stoppedDistance)
      buffer.appendMember("stoppedTime", figures.stoppedTime)
      buffer.appendMember("silenceDistance", figures.silenceDistance)
      buffer.appendMember("silenceTime", figures.silenceTime)
      buffer.appendMember("gapTime", figures.gapTime)
    }
    buffer.appendMember("gapDistance", figures.gapDistance)
    buffer.appendMember("averageSpeed", figures.averageSpeed)
    buffer.appendMember("greatestSpeed", figures.greatestSpeed)
    buffer.appendMember("ascent", figures.ascent)
    buffer.appendMember("descent", figures.descent)
    buffer.appendMember("lowestAltitude", figures.lowestAltitude)
    buffer.appendMember("highestAltitude", figures.highestAltitude)
    guard let bounds = figures.bounds else { return }
    buffer.appendKey("bounds")
    buffer.appendObject {
      $0.appendMember("south", bounds.south, places: .angle)
      $0.appendMember("west", bounds.west, places: .angle)
      $0.appendMember("north", bounds.north, places: .angle)
      // Across the antimeridian east is less than west, as in RFC 7946.
      $0.appendMember("east", bounds.east > 180 ? bounds.east - 360 : bounds.east, places: .angle)
    }
  }

  private func append(_ part: TrackSummary.Part, to buffer: inout RecordBuffer) {
    switch part {
    case .trip(let trip):
      buffer.appendMember("type", "trip")
      buffer.appendMember("start", trip.start)
      buffer.appendMember("end", trip.end)
      buffer.appendKey("from")
      buffer.appendObject { $0.appendMembers(of: trip.startCoordinate) }
      buffer.appendKey("to")
      buffer.appendObject { $0.appendMembers(of: trip.endCoordinate) }
      buffer.appendMember("duration", trip.duration)
      buffer.appendMember("distance", trip.distance)
      buffer.appendMember("movingDistance", trip.movingDistance)
      buffer.appendMember("movingTime", trip.movingTime)
      buffer.appendMember("averageSpeed", trip.averageSpeed)
      buffer.appendMember("greatestSpeed", trip.greatestSpeed)
      buffer.appendMember("ascent", trip.ascent)
      buffer.appendMember("descent", trip.descent)
    case .stop(let stop):
      buffer.appendMember("type", "stop")
      buffer.appendMember("arrival", stop.arrival)
      buffer.appendMember("departure", stop.departure)
      buffer.appendMember("duration", stop.duration)
      buffer.appendMembers(of: stop.coordinate)
    }
  }
}
