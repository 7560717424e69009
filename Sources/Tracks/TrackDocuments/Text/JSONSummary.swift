import LocationKit
import Records
import Tracks

/// The figures, trips and stops as one JSON object, with one trip or stop per line. Units are those of the records:
/// degrees, metres, metres per second, seconds. Unknown values are absent.
struct JSONSummary: TrackWriter {
  func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    buffer.appendObject { buffer in
      buffer.appendMember("type", "track")
      buffer.appendMember("name", report.name)
      if !report.names.isEmpty {
        buffer.appendArray("names", report.names) { buffer, name in
          buffer.appendObject {
            $0.appendMember("name", name.text)
            if let coordinate = name.coordinate { $0.appendMembers(of: coordinate) }
          }
        }
      }
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
      buffer.appendArray("fixesByStatus", figures.fixesByStatus.sorted { $0.key.rawValue < $1.key.rawValue }) {
        buffer, entry in
        buffer.appendObject {
          $0.appendMember("status", entry.key.rawValue)
          $0.appendMember("count", entry.value)
        }
      }
    }
    buffer.appendMember("segments", figures.segmentCount)
    buffer.appendMember("jumps", jumps)
    if !skipped.isEmpty {
      buffer.appendArray("skipped", skipped.groups) { buffer, group in
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
    append([("duration", figures.duration), ("distance", figures.distance)], to: &buffer)
    if figures.start != nil {
      append(
        [
          ("movingDistance", figures.movingDistance), ("movingTime", figures.movingTime),
          ("stoppedDistance", figures.stoppedDistance), ("stoppedTime", figures.stoppedTime),
          ("silenceDistance", figures.silenceDistance), ("silenceTime", figures.silenceTime),
          ("gapTime", figures.gapTime),
        ], to: &buffer)
    }
    append(
      [
        ("gapDistance", figures.gapDistance), ("averageSpeed", figures.averageSpeed),
        ("greatestSpeed", figures.greatestSpeed), ("ascent", figures.ascent), ("descent", figures.descent),
        ("lowestAltitude", figures.lowestAltitude), ("highestAltitude", figures.highestAltitude),
      ], to: &buffer)
    guard let bounds = figures.bounds else { return }
    buffer.appendObject("bounds") {
      $0.appendMember("south", bounds.south, places: .angle)
      $0.appendMember("west", bounds.west, places: .angle)
      $0.appendMember("north", bounds.north, places: .angle)
      // Across the antimeridian east is less than west, as in RFC 7946.
      $0.appendMember("east", bounds.east > 180 ? bounds.east - 360 : bounds.east, places: .angle)
    }
  }

  private func append(_ members: [(name: StaticString, value: Double?)], to buffer: inout RecordBuffer) {
    for member in members { buffer.appendMember(member.name, member.value) }
  }

  private func append(_ part: TrackSummary.Part, to buffer: inout RecordBuffer) {
    switch part {
    case .trip(let trip):
      buffer.appendMember("type", "trip")
      buffer.appendMember("start", trip.start)
      buffer.appendMember("end", trip.end)
      buffer.appendObject("from") { $0.appendMembers(of: trip.startCoordinate) }
      buffer.appendObject("to") { $0.appendMembers(of: trip.endCoordinate) }
      append(
        [
          ("duration", trip.duration), ("distance", trip.distance), ("movingDistance", trip.movingDistance),
          ("movingTime", trip.movingTime), ("averageSpeed", trip.averageSpeed),
          ("greatestSpeed", trip.greatestSpeed), ("ascent", trip.ascent), ("descent", trip.descent),
        ], to: &buffer)
    case .stop(let stop):
      buffer.appendMember("type", "stop")
      buffer.appendMember("arrival", stop.arrival)
      buffer.appendMember("departure", stop.departure)
      buffer.appendMember("duration", stop.duration)
      buffer.appendMembers(of: stop.coordinate)
      append(
        [
          ("claimedAccuracy", stop.accuracy?.claimed), ("scatter", stop.accuracy?.scatter),
          ("accuracyDuration", stop.accuracy?.duration),
        ], to: &buffer)
    }
  }
}
