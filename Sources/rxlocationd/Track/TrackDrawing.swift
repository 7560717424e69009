import FoundationEssentials
import LocationKit
import MapPage
import Records
import TrackDocuments
import Tracks

/// The map page's view of a track: the line, the statistics, and the places of its start, stops and end.
struct TrackDrawing {
  var jumps = 0
  var skipped = SkippedRecords()
  var names: [TrackName] = []
  private var trail = TrailLine(duration: .infinity)
  private var summarizer: TrackSummarizer
  private var meter = SpeedMeter()
  private var ends: (first: LocationCoordinate2D, last: LocationCoordinate2D)?

  init(settings: TrackSettings) {
    summarizer = TrackSummarizer(settings: settings)
  }

  mutating func add(_ event: TrackEvent) {
    summarizer.add(event)
    switch event {
    case .fix(let fix):
      ends = (ends?.first ?? fix.coordinate, fix.coordinate)
      // As in the picture and the statistics, a missing speed is computed from the path between two fixes.
      var measured = fix
      measured.speed = meter.add(fix)
      trail.append(measured)
    case .gap:
      meter.addGap()
      trail.interrupt()
    case .silence:
      break
    }
  }

  mutating func recording(_ name: String, _ timeZone: TrackTimeZone) -> MapRecording {
    let summary = summarizer.finish()
    let report = TrackReport(name: name, summary: summary, jumps: jumps, skipped: skipped, names: names)
    var recording = MapRecording()
    (recording.trail, recording.ends, recording.stops) = (trail, ends, summary.stops)
    var writer = TrackFormat.json.makeWriter(name: name)
    recording.figures = RecordBuffer.bytes { writer.end(report, to: &$0) }.filter { $0 != UInt8(ascii: "\n") }
    if let start = summary.statistics.start, let end = summary.statistics.end {
      recording.clock = MapClock(timeZone, from: start, to: end)
    }
    return recording
  }
}

extension MapClock {
  /// The offsets of a zone from one time to another.
  init?(_ zone: TrackTimeZone, from start: Date, to end: Date) {
    func isSame(_ one: Date, _ other: Date) -> Bool { zone.offset(one) == zone.offset(other) }
    func change(_ time: Date) -> Change {
      let (seconds, abbreviation) = zone.offset(time)
      return Change(time: time, offset: seconds, name: abbreviation)
    }
    // No zone changes twice in a week.
    let week = 604_800.0
    var changes = [change(start)]
    var time = start
    while time < end {
      let next = min(time + week, end)
      if !isSame(time, next) {
        // Zones change at whole seconds.
        var (before, after) = (time.timeIntervalSince1970.rounded(.down), next.timeIntervalSince1970.rounded(.up))
        while after - before > 1 {
          let middle = ((before + after) / 2).rounded(.down)
          if isSame(time, Date(timeIntervalSince1970: middle)) { before = middle } else { after = middle }
        }
        changes.append(change(Date(timeIntervalSince1970: after)))
      }
      time = next
    }
    self.init(changes)
  }
}
