public import LocationKit
public import Records
public import Tracks

/// Turns a track into the bytes of one document: a page, a file that other programs read, a picture.
///
/// Most of a document is written while the track is read; the figures come at the end. Writers are pure: they use no
/// clock and no files.
public protocol TrackWriter: Sendable {
  mutating func begin(to buffer: inout RecordBuffer)
  /// Adds the next event of the track, and appends the part of the document that is complete.
  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer)
  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer)
}

extension TrackWriter {
  /// Appends nothing.
  public func begin(to buffer: inout RecordBuffer) {}
  /// Appends nothing.
  public func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {}
}

/// The formats that a track can be written in.
public enum TrackFormat: String, Sendable, Hashable, CaseIterable {
  /// A page for a person: figures, and a line for each trip and stop.
  case text
  /// The same for a program, as one JSON object.
  case json
  /// GPX 1.1: a track with a segment for each run of fixes.
  case gpx
  /// KML 2.2 with Google's track extension, and a place for each stop.
  case kml
  /// A GeoJSON FeatureCollection (RFC 7946): a line for each segment, a point for each stop.
  case geojson
  /// A header and a line for each fix.
  case csv
  /// A picture: a map, and speed and altitude over time.
  case svg
  /// The picture and the figures in one page.
  case html

  /// Creates a writer of this format.
  ///
  /// - Parameters:
  ///   - name: The name of the track, for documents that have a place for it at the beginning.
  ///   - timeZone: The zone of times for a person; the files for other programs have UTC.
  ///   - units: The units for a person.
  public func makeWriter(
    name: String, timeZone: TrackTimeZone = .utc, units: MeasurementUnits = .metric
  ) -> any TrackWriter {
    switch self {
    case .text: TextPage(timeZone: timeZone, units: units)
    case .json: JSONSummary()
    case .gpx: FormattedTrack(GPXFormatter())
    case .kml: KMLTrack(name: name)
    case .geojson: GeoJSONTrack()
    case .csv: FormattedTrack(CSVFormatter())
    case .svg: PictureWriter(isPage: false, timeZone: timeZone, units: units)
    case .html: PictureWriter(isPage: true, timeZone: timeZone, units: units)
    }
  }
}

/// The facts about a track as a whole that a document shows.
public struct TrackReport: Sendable, Hashable {
  /// The name of the track for a person, such as the names of its files.
  public var name: String
  /// The figures, trips and stops.
  public var summary: TrackSummary
  /// The number of fixes that were left out as jumps.
  public var jumps: Int
  /// The records that were skipped.
  public var skipped: SkippedRecords
  /// The names that the recording has for its tracks and waypoints.
  public var names: [TrackName]
  /// How the places of stops and waypoints are written.
  public var coordinates: CoordinateFormat

  /// Creates a report.
  public init(
    name: String, summary: TrackSummary, jumps: Int = 0, skipped: SkippedRecords = SkippedRecords(),
    names: [TrackName] = [], coordinates: CoordinateFormat = .degrees
  ) {
    (self.name, self.summary, self.jumps, self.skipped, self.names) = (name, summary, jumps, skipped, names)
    self.coordinates = coordinates
  }
}

/// A document of one of the formats of the live stream, GPX or CSV, in which a gap begins a new segment.
struct FormattedTrack: TrackWriter {
  private var formatter: any RecordFormatter
  private var hasPoints = false

  init(_ formatter: any RecordFormatter) { self.formatter = formatter }

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
