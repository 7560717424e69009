import Records

/// The formats of the location stream, for `--format` of `run`, `replay` and `collect`.
enum StreamFormat: String, CaseIterable {
  /// JSON lines; carries every record.
  case ndjson
  /// A GeoJSON text sequence (RFC 8142) of Features; carries every record.
  case geojson
  /// A GPX 1.1 document; carries locations, and an error begins a new segment of the track.
  case gpx
  /// Comma-separated values with a header; carries locations only.
  case csv
  case none

  init(parsing text: String) throws(SettingError) { try self.init(text, of: Self.allCases) }

  init(parsingSocket text: String) throws(SettingError) {
    try self.init(text, of: Self.allCases.filter { $0 != .none })
  }

  private init(_ text: String, of formats: [Self]) throws(SettingError) {
    guard let format = Self(rawValue: text), formats.contains(format) else {
      let names = formats.map(\.rawValue).joined(separator: ", ")
      throw SettingError("'\(text)' is not a format; expected one of \(names)")
    }
    self = format
  }

  /// Whether it carries the records of the state that location sockets have.
  var hasState: Bool { self == .ndjson || self == .geojson }

  func makeFormatter() -> (any RecordFormatter)? {
    switch self {
    case .ndjson: NDJSONFormatter()
    case .geojson: GeoJSONFormatter()
    case .gpx: GPXFormatter()
    case .csv: CSVFormatter()
    case .none: nil
    }
  }
}
