public import LocationKit

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
    case .gpx: GPXTrack()
    case .kml: KMLTrack(name: name)
    case .geojson: GeoJSONTrack()
    case .csv: CSVTrack()
    case .svg: PictureWriter(.svg, timeZone: timeZone, units: units)
    case .html: PictureWriter(.html, timeZone: timeZone, units: units)
    }
  }
}
