import LocationKit
import Records
import Tracks

/// A page for a person: the figures of the whole track, then a line for each trip and stop, in columns.
struct TextPage: TrackWriter {
  var timeZone: TrackTimeZone
  var units = MeasurementUnits.metric

  func begin(to buffer: inout RecordBuffer) {}

  func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {}

  func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    let figures = SummaryTable(report: report, timeZone: timeZone, units: units)
    let lines = figures.lines
    let width = lines.map(\.name.count).max() ?? 0
    var text = printable(report.name) + "\n\n"
    for line in lines { text += "  \(padded(line.name, to: width + 2))\(line.value)\n" }
    let rows = figures.rows
    if !rows.isEmpty { text += "\n" + table([SummaryTable.header] + rows) }
    buffer.append(text: text)
  }

  /// Makes each column as wide as its widest field, and leaves out empty columns.
  private func table(_ rows: [SummaryTable.Row]) -> String {
    let columns: [(field: (SummaryTable.Row) -> String, isRight: Bool)] = [
      ({ $0.name }, false), ({ $0.start }, true), ({ $0.end }, true), ({ $0.duration }, true), ({ $0.distance }, true),
      ({ $0.moving }, true), ({ $0.average }, true), ({ $0.greatest }, true), ({ $0.climb }, true),
      ({ $0.place }, false),
    ]
    let used = columns.filter { column in rows.dropFirst().contains { !column.field($0).isEmpty } }
    let widths = used.map { column in rows.map { column.field($0).count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, width) in zip(used, widths) {
        line += "  "
        let field = column.field(row)
        line += column.isRight ? String(repeating: " ", count: width - field.count) + field : padded(field, to: width)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }

  private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// A name on one line without control characters, because a file name may contain anything and this goes to a
  /// terminal.
  private func printable(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? "\u{FFFD}" : $0 }))
  }
}
