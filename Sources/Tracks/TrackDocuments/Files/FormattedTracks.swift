import LocationKit
import Records
import Tracks

/// A GPX 1.1 document of one track; a gap begins a new segment. It is what `GPXFormatter` writes of the live stream.
struct GPXTrack: TrackWriter {
  private var formatter = GPXFormatter()
  private var hasPoints = false

  mutating func begin(to buffer: inout RecordBuffer) { formatter.appendStart(to: &buffer) }

  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {
    switch event {
    case .fix(let location):
      formatter.append(location, to: &buffer)
      hasPoints = true
    case .gap:
      // A gap before the first point would leave an empty segment behind.
      if hasPoints { formatter.append(LocationError(.locationUnknown, ""), to: &buffer) }
    }
  }

  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer) { formatter.appendEnd(to: &buffer) }
}

/// Comma-separated values: a header, then a line for each fix. Gaps have no line.
struct CSVTrack: TrackWriter {
  private var formatter = CSVFormatter()

  mutating func begin(to buffer: inout RecordBuffer) { formatter.appendStart(to: &buffer) }

  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {
    if case .fix(let location) = event { formatter.append(location, to: &buffer) }
  }

  func end(_ report: TrackReport, to buffer: inout RecordBuffer) {}
}
