import FoundationEssentials
import LocationKit
import Platform
import Records
import Tracks

/// The figures of a track in words, as the text and the picture's page show them.
struct SummaryTable {
  var report: TrackReport
  var timeZone: TrackTimeZone
  var units = MeasurementUnits.metric

  var lines: [(name: String, value: String)] {
    let figures = report.summary.statistics
    var lines: [(String, String)] = []
    let tracks = report.names.filter { $0.coordinate == nil }.map { printable($0.text) }
    if !tracks.isEmpty { lines.append(("Name", tracks.joined(separator: ", "))) }
    if let start = figures.start, let end = figures.end {
      lines.append(("Time", Self.period(from: start, to: end, timeZone)))
      lines.append(("Duration", durationText(end.timeIntervalSince(start))))
    }
    if figures.movingTime > 0 { lines.append(("Moving time", durationText(figures.movingTime))) }
    if figures.stoppedTime > 0 {
      let stops = report.summary.stops.count
      lines.append(("Stopped", "\(durationText(figures.stoppedTime)), \(counted(stops, "stop"))"))
    }
    if figures.fixCount > 0 { lines.append(("Distance", wholeDistance)) }
    if let speed = figures.averageSpeed {
      let way = movingWords(figures.movingDistance, of: figures.distance)
      lines.append(("Average speed", "\(units.words(speed: speed)) while moving\(way.isEmpty ? "" : ", over \(way)")"))
    }
    if let speed = figures.greatestSpeed { lines.append(("Greatest speed", units.words(speed: speed))) }
    if let ascent = figures.ascent { lines.append(("Ascent", units.words(height: ascent))) }
    if let descent = figures.descent { lines.append(("Descent", units.words(height: descent))) }
    if let low = figures.lowestAltitude, let high = figures.highestAltitude {
      lines.append(("Altitude", "\(units.words(height: low)) to \(units.words(height: high))"))
    }
    lines.append(("Fixes", fixes))
    if let quality { lines.append(("Quality", quality)) }
    if let accuracy { lines.append(("Accuracy", accuracy)) }
    if !report.skipped.isEmpty { lines.append(("Skipped", report.skipped.words)) }
    for name in report.names {
      if let place = name.coordinate {
        lines.append(("Waypoint", "\(printable(name.text)), \(place.words(report.coordinates))"))
      }
    }
    return lines
  }

  var distance: String { units.words(distance: report.summary.statistics.distance) }

  /// The distance, and how much of it was covered in silences.
  private var wholeDistance: String {
    let figures = report.summary.statistics
    guard figures.silenceTime > 0 else { return distance }
    let silence = units.words(distance: figures.silenceDistance)
    return "\(distance), \(silence) of it in \(durationText(figures.silenceTime)) without a fix"
  }

  /// The distance that an average speed refers to, if it differs from the distance beside it by more than rounding does.
  private func movingWords(_ way: LocationDistance?, of distance: LocationDistance) -> String {
    guard let way, abs(way - distance) > distance / 100 else { return "" }
    return units.words(distance: way)
  }

  private var fixes: String {
    let figures = report.summary.statistics
    var text = "\(figures.fixCount)"
    let gaps = max(0, figures.segmentCount - 1)
    if gaps > 0 {
      text += ", \(counted(gaps, "gap"))"
      if figures.gapTime > 0 { text += " of \(durationText(figures.gapTime))\(gaps > 1 ? " together" : "")" }
      if figures.gapDistance > 0 { text += " (\(units.words(distance: figures.gapDistance)) left out)" }
    }
    if report.jumps > 0 { text += ", \(counted(report.jumps, "jump")) left out" }
    return text
  }

  /// "RTK fixed 92 %, RTK float 5 %", the most frequent first; `nil` if all fixes are plain ones.
  private var quality: String? {
    let figures = report.summary.statistics
    let shares = figures.fixesByStatus.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
    guard !shares.isEmpty else { return nil }
    return shares.map { status, count in
      "\(status.words) \(Words.decimal(100 * Double(count) / Double(figures.fixCount), 0)) %"
    }.joined(separator: ", ")
  }

  /// "claims 2.5 m, 95 % within 7 m (4 h)", of the longest stop whose scatter is known.
  private var accuracy: String? {
    let stops = report.summary.stops.filter { $0.accuracy != nil }
    guard let stop = stops.max(by: { $0.duration < $1.duration }), let accuracy = stop.accuracy else { return nil }
    let (claimed, scatter) = (units.words(accuracy: accuracy.claimed), units.words(accuracy: accuracy.scatter))
    return "claims \(claimed), 95 % within \(scatter) (\(durationText(accuracy.duration)))"
  }

  /// "2026-05-06 23:54:00 to 2026-05-07 00:05:59 UTC". A single day is written once, and both zones if they differ.
  private static func period(from start: Date, to end: Date, _ zone: TrackTimeZone) -> String {
    let last = zone.civil(end)
    let isOneDay = zone.day(of: start) == last.date
    let (first, second) = (zone.offset(start).abbreviation, zone.offset(end).abbreviation)
    let end = isOneDay ? last.time : zone.text(end)
    return "\(zone.text(start))\(first == second ? "" : " \(first)") to \(end) \(second)"
  }

  // MARK: Trips and stops

  /// A trip or a stop in words. Unknown values are empty.
  struct Row: Equatable {
    var name: String
    var isStop = false
    var values: [String: String]

    subscript(column: String) -> String { values[column] ?? "" }
  }

  /// The columns that have a value in some row.
  static func columns(of rows: [Row]) -> [String] {
    [
      "From", "To", "Duration", "Distance", "Moving", "Average", "Greatest", "Up, down", "Place", "Claims",
      "95 % within",
    ].filter { column in rows.contains { !$0[column].isEmpty } }
  }

  /// A row for each trip and stop; trips and stops are each numbered from 1.
  var rows: [Row] {
    var (trips, stops) = (0, 0)
    var day = ""
    return report.summary.parts.map { part in
      switch part {
      case .trip(let trip):
        trips += 1
        var values = times(trip.start, trip.end, &day)
        values["Distance"] = units.words(distance: trip.distance)
        values["Moving"] = movingWords(trip.movingDistance, of: trip.distance)
        values["Average"] = trip.averageSpeed.map(units.words(speed:))
        values["Greatest"] = trip.greatestSpeed.map(units.words(speed:))
        if let ascent = trip.ascent, let descent = trip.descent {
          values["Up, down"] = "\(Words.decimal(ascent * units.height.factor, 0)), \(units.words(height: descent))"
        }
        return Row(name: "Trip \(trips)", values: values)
      case .stop(let stop):
        stops += 1
        var values = times(stop.arrival, stop.departure, &day)
        values["Place"] = stop.coordinate.words(report.coordinates)
        values["Claims"] = stop.accuracy.map { units.words(accuracy: $0.claimed) }
        values["95 % within"] = stop.accuracy.map { units.words(accuracy: $0.scatter) }
        return Row(name: "Stop \(stops)", isStop: true, values: values)
      }
    }
  }

  /// The day is written if it differs from the day on which the previous row ended.
  private func times(_ start: Date, _ end: Date, _ day: inout String) -> [String: String] {
    let (first, last) = (timeZone.civil(start), timeZone.civil(end))
    defer { day = last.date }
    return [
      "From": first.date == day ? first.time : "\(first.date) \(first.time)",
      "To": last.date == first.date ? last.time : "\(last.date) \(last.time)",
      "Duration": durationText(end.timeIntervalSince(start)),
    ]
  }
}

/// A page for a person: the figures of the whole track, then a line for each trip and stop, in columns.
struct TextPage: TrackWriter {
  var timeZone: TrackTimeZone
  var units = MeasurementUnits.metric

  func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    let figures = SummaryTable(report: report, timeZone: timeZone, units: units)
    let lines = figures.lines
    let width = lines.map(\.name.count).max() ?? 0
    var text = printable(report.name) + "\n\n"
    for (name, value) in lines {
      text += "  \(name)\(String(repeating: " ", count: width + 2 - name.count))\(value)\n"
    }
    let rows = figures.rows
    if !rows.isEmpty { text += "\n" + table(rows) }
    buffer.append(text: text)
  }

  /// Makes each column as wide as its widest field. Names and places are on the left side of their columns.
  private func table(_ rows: [SummaryTable.Row]) -> String {
    let columns = SummaryTable.columns(of: rows)
    let lines = [[""] + columns.map { $0.lowercased() }] + rows.map { row in [row.name] + columns.map { row[$0] } }
    let widths = (0...columns.count).map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { fields in
      var line = ""
      for (column, field) in fields.enumerated() {
        let isLeft = column == 0 || columns[column - 1] == "Place"
        let space = String(repeating: " ", count: widths[column] - field.count)
        line += "  " + (isLeft ? field + space : space + field)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}

/// A name on one line without control characters, because a file may have any name and any text, and this goes to a
/// terminal.
private func printable(_ name: String) -> String {
  String(
    String.UnicodeScalarView(
      name.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? "\u{FFFD}" : $0 }))
}
