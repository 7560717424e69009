public import Tracks
public import Records

/// Turns a track into the bytes of one document: a page, a file that other programs read, a picture.
///
/// What can be written while the track goes by is; the figures come at the end. Writers are pure: no clock, no files.
public protocol TrackWriter: Sendable {
  /// Appends what the document begins with.
  mutating func begin(to buffer: inout RecordBuffer)
  /// Takes the next event of the track, and appends what can be written by now.
  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer)
  /// Appends the rest of the document.
  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer)
}

/// What a document says about a track as a whole.
public struct TrackReport: Sendable, Hashable {
  /// What a person calls the track, such as the names of its files.
  public var name: String
  /// Its figures, trips and stops.
  public var summary: TrackSummary
  /// How many fixes were left out as jumps.
  public var jumps: Int
  /// The records that were passed over.
  public var skipped: SkippedRecords

  /// Creates a report.
  public init(name: String, summary: TrackSummary, jumps: Int = 0, skipped: SkippedRecords = SkippedRecords()) {
    (self.name, self.summary, self.jumps, self.skipped) = (name, summary, jumps, skipped)
  }

  /// The figures in words, each with its name, then trips and stops; what is not known is left out.
  ///
  /// - Parameter timeZone: The zone of the times.
  public func figures(in timeZone: TrackTimeZone = .utc) -> [(name: String, value: String)] {
    Figures(report: self, timeZone: timeZone).page
  }
}

/// What a track is written as.
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

  /// A writer of it.
  ///
  /// - Parameters:
  ///   - name: What the track is called in documents that have a place for it before the end.
  ///   - timeZone: The zone of times for a person; the files for programs have UTC.
  ///   - settings: What counts as a gap in pictures.
  public func makeWriter(
    name: String, timeZone: TrackTimeZone = .utc, settings: TrackSettings = TrackSettings()
  ) -> any TrackWriter {
    switch self {
    case .text: TextPage(timeZone: timeZone)
    case .json: JSONSummary()
    case .gpx: GPXTrack()
    case .kml: KMLTrack(name: name)
    case .geojson: GeoJSONTrack()
    case .csv: CSVTrack()
    case .svg: PictureWriter(.svg, timeZone: timeZone, gapAfter: settings.gapAfter)
    case .html: PictureWriter(.html, timeZone: timeZone, gapAfter: settings.gapAfter)
    }
  }
}
