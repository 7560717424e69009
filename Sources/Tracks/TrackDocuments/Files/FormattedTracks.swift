import LocationKit
import Records
import Tracks

/// A GPX 1.1 document of one track; a gap begins a new segment. `GPXFormatter` writes the same for the live stream.
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
    case .silence: break
    }
  }

  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer) { formatter.appendEnd(to: &buffer) }
}

/// Comma-separated values: a header, then a line for each fix with the number of its segment. A gap begins a new
/// segment.
struct CSVTrack: TrackWriter {
  private var formatter = CSVFormatter()

  mutating func begin(to buffer: inout RecordBuffer) { formatter.appendStart(to: &buffer) }

  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {
    switch event {
    case .fix(let location): formatter.append(location, to: &buffer)
    case .gap: formatter.append(LocationError(.locationUnknown, ""), to: &buffer)
    case .silence: break
    }
  }

  func end(_ report: TrackReport, to buffer: inout RecordBuffer) {}
}
