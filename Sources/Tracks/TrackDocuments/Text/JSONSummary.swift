import Tracks
import FoundationEssentials
import Records
import LocationKit

/// The figures, trips and stops as one JSON object, with a trip or a stop a line. Units are those of the records:
/// degrees, metres, metres per second, seconds. What is not known is absent.
struct JSONSummary: TrackWriter {
  private var timestamps = TimestampFormatter()

  func begin(to buffer: inout RecordBuffer) {}

  func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {}

  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    let figures = report.summary.statistics
    buffer.append(#"{"type":"track","name":"#)
    buffer.appendJSONString(report.name)
    buffer.append(#","fixes":"#)
    buffer.append(figures.fixCount)
    buffer.append(#","segments":"#)
    buffer.append(figures.segmentCount)
    buffer.append(#","jumps":"#)
    buffer.append(report.jumps)
    append(report.skipped, to: &buffer)
    time(#","start":""#, figures.start, to: &buffer)
    time(#","end":""#, figures.end, to: &buffer)
    number(#","duration":"#, figures.duration, to: &buffer)
    number(#","distance":"#, figures.distance, to: &buffer)
    if figures.start != nil {
      number(#","movingDistance":"#, figures.movingDistance, to: &buffer)
      number(#","movingTime":"#, figures.movingTime, to: &buffer)
      number(#","stoppedTime":"#, figures.stoppedTime, to: &buffer)
      number(#","gapTime":"#, figures.gapTime, to: &buffer)
    }
    number(#","averageSpeed":"#, figures.averageSpeed, to: &buffer)
    number(#","greatestSpeed":"#, figures.greatestSpeed, to: &buffer)
    number(#","ascent":"#, figures.ascent, to: &buffer)
    number(#","descent":"#, figures.descent, to: &buffer)
    number(#","lowestAltitude":"#, figures.lowestAltitude, to: &buffer)
    number(#","highestAltitude":"#, figures.highestAltitude, to: &buffer)
    if let bounds = figures.bounds {
      buffer.append(#","bounds":{"south":"#)
      buffer.append(bounds.south, places: .angle)
      buffer.append(#","west":"#)
      buffer.append(bounds.west, places: .angle)
      buffer.append(#","north":"#)
      buffer.append(bounds.north, places: .angle)
      // As RFC 7946 has it, east is less than west across the antimeridian.
      buffer.append(#","east":"#)
      buffer.append(bounds.east > 180 ? bounds.east - 360 : bounds.east, places: .angle)
      buffer.append("}")
    }
    buffer.append(#","parts":["#)
    for (index, part) in report.summary.parts.enumerated() {
      buffer.append(index == 0 ? "\n" : ",\n")
      switch part {
      case .trip(let trip): append(trip, to: &buffer)
      case .stop(let stop): append(stop, to: &buffer)
      }
    }
    buffer.append("]}\n")
  }

  private func append(_ skipped: SkippedRecords, to buffer: inout RecordBuffer) {
    guard !skipped.isEmpty else { return }
    buffer.append(#","skipped":["#)
    for (index, group) in skipped.groups.enumerated() {
      buffer.append(index == 0 ? #"{"kind":""# : #",{"kind":""#)
      buffer.append(text: group.first.kind.rawValue)
      buffer.append(#"","count":"#)
      buffer.append(group.count)
      buffer.append(#","file":"#)
      buffer.appendJSONString(group.first.input)
      buffer.append(#","line":"#)
      buffer.append(group.first.line)
      buffer.append("}")
    }
    buffer.append("]")
  }

  private mutating func append(_ trip: Trip, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"trip""#)
    time(#","start":""#, trip.start, to: &buffer)
    time(#","end":""#, trip.end, to: &buffer)
    place(#","from":{"latitude":"#, trip.startCoordinate, to: &buffer)
    buffer.append("}")
    place(#","to":{"latitude":"#, trip.endCoordinate, to: &buffer)
    buffer.append("}")
    number(#","duration":"#, trip.duration, to: &buffer)
    number(#","distance":"#, trip.distance, to: &buffer)
    number(#","movingTime":"#, trip.movingTime, to: &buffer)
    number(#","averageSpeed":"#, trip.averageSpeed, to: &buffer)
    number(#","greatestSpeed":"#, trip.greatestSpeed, to: &buffer)
    number(#","ascent":"#, trip.ascent, to: &buffer)
    number(#","descent":"#, trip.descent, to: &buffer)
    buffer.append("}")
  }

  private mutating func append(_ stop: Stop, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"stop""#)
    time(#","arrival":""#, stop.arrival, to: &buffer)
    time(#","departure":""#, stop.departure, to: &buffer)
    number(#","duration":"#, stop.duration, to: &buffer)
    place(#","latitude":"#, stop.coordinate, to: &buffer)
    buffer.append("}")
  }

  private func place(_ key: StaticString, _ coordinate: LocationCoordinate2D, to buffer: inout RecordBuffer) {
    buffer.append(key)
    buffer.append(coordinate.latitude, places: .angle)
    buffer.append(#","longitude":"#)
    buffer.append(coordinate.longitude, places: .angle)
  }

  private func number(_ key: StaticString, _ value: Double?, to buffer: inout RecordBuffer) {
    guard let value, RecordBuffer.isWritable(value, places: .measure) else { return }
    buffer.append(key)
    buffer.append(value, places: .measure)
  }

  /// `key` has the opening quote.
  private mutating func time(_ key: StaticString, _ value: Date?, to buffer: inout RecordBuffer) {
    guard let value, TimestampFormatter.isWritable(value) else { return }
    buffer.append(key)
    timestamps.append(value, to: &buffer)
    buffer.append("\"")
  }
}
