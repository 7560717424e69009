import FoundationEssentials
import LocationKit
import Logging
import MapPage
import Platform
import Records
import Serving
import TrackDocuments
import Tracks
import UnixSignals
import Writing

/// The map page's view of a track: the line, the statistics, and the places of its start, stops and end.
struct TrackDrawing {
  var jumps = 0
  var skipped = SkippedRecords()
  var names: [TrackName] = []
  private var trail = TrailLine(duration: .infinity)
  private var summarizer: TrackSummarizer
  private var meter = SpeedMeter()
  private var ends: (first: LocationCoordinate2D, last: LocationCoordinate2D)?

  init(settings: TrackSettings) { summarizer = TrackSummarizer(settings: settings) }

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

/// The map page of `track`: it shows that the track is being read, then the track, until the program ends.
@MainActor
final class TrackServer {
  private let page: MapPage
  private let network: NetworkLoop
  private let server: HTTPServer
  private let address: Endpoint

  /// Starts serving; `nil` if the options ask for no page.
  init?(_ options: MapOptions, name: String, units: MeasurementUnits) async throws(CommandError) {
    guard let address = options.address else { return nil }
    self.address = address
    let onNotice = Logger.standardError(.info).onNotice
    var configuration = try options.configuration(source: name, kind: .track, onNotice: onNotice)
    configuration.units = units
    network = try NetworkLoop.start()
    page = MapPage(on: network, configuration)
    page.show(reading: "reading \(name)")
    do throws(CommandError) {
      server = try await options.serve(
        page.routes, help: page.help, on: network, at: address, showing: "the track is", onNotice: onNotice)
    } catch {
      await network.shutdown()
      throw error
    }
  }

  /// Shows the track until SIGINT or SIGTERM.
  func show(_ recording: MapRecording) async {
    page.show(recording)
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    // The sequence does not contain a signal that came before.
    guard EarlySignals.interrupt == nil else { return }
    StandardError.write(line: "rxlocationd: \(server.url(at: address)) shows it until Ctrl-C")
    for await _ in signals { break }
  }

  func shutdown() async {
    await server.shutdown()
    await network.shutdown()
  }
}
