public import Records

/// The format of the location stream.
public enum StreamFormat: String, Sendable, Hashable, CaseIterable {
  /// JSON lines; carries every record.
  case ndjson
  /// A GeoJSON text sequence (RFC 8142) of Features; carries every record.
  case geojson
  /// A GPX 1.1 document; carries locations, and an error begins a new segment of the track.
  case gpx
  /// Comma-separated values with a header; carries locations only.
  case csv
  /// No stream.
  case none

  /// Parses a format's name.
  /// - Throws: `OutputError` of code `usage` with the names of the formats.
  public init(parsing text: String) throws(OutputError) {
    guard let format = Self(rawValue: text) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw OutputError(.usage, "\"\(text)\" is not a format; expected one of \(names)")
    }
    self = format
  }

  /// A formatter for the format; `nil` for `none`.
  public func makeFormatter() -> (any RecordFormatter)? {
    switch self {
    case .ndjson: NDJSONFormatter()
    case .geojson: GeoJSONFormatter()
    case .gpx: GPXFormatter()
    case .csv: CSVFormatter()
    case .none: nil
    }
  }
}
