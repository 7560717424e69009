import GPSD
import Platform
import Records

enum TrackKind {
  case nmea
  case jsonLines
  /// Comma-separated values with a header.
  case csv
  /// The files of OwnTracks Recorder.
  case recorder
  /// gpsd's reports, each with its time of arrival.
  case gpsd
  /// GPX or KML. The encoding is the kind of UTF-16 that the first bytes show, by iconv's name, if any.
  case xml(wideEncoding: String?)
  case geoJSON
  /// A known kind that is not supported; the words follow the name of the file and say what to do.
  case other(String)
  /// Text in an encoding, by iconv's name, that only XML may use.
  case text(encoding: String)

  /// Recognises a kind by the first bytes; `nil` if there are too few.
  ///
  /// - Parameter isWhole: Whether these are all bytes.
  init?(head: [UInt8], isWhole: Bool = false) {
    guard head.count >= 4 else { return nil }
    var rest = head[...]
    if let encoding = WideText.encoding(of: head) {
      // Takes the byte of each character that is not 0.
      let text = rest.filter { $0 != 0 && $0 < 0xFE }.drop(while: \.isSpace)
      guard let first = text.first else { return nil }
      self = first == UInt8(ascii: "<") ? .xml(wideEncoding: encoding) : .text(encoding: encoding)
      return
    }
    if rest.starts(with: "SQLite format 3\0".utf8) {
      self = .other("is an SQLite database; read a journal with --journal and its path")
      return
    }
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    rest = rest.drop(while: \.isSpace)
    switch rest.first {
    case nil: return nil
    case UInt8(ascii: "<"): self = .xml(wideEncoding: nil)
    case UInt8(ascii: "{"):
      guard let kind = JSONKind.kind(of: rest, isWhole: isWhole) else { return nil }
      self = kind
    case UInt8(ascii: "["):
      guard let next = rest.dropFirst().first(where: { $0 > 0x20 }) else { return nil }
      // A line of NMEA may begin with the time in brackets.
      let kind = next == UInt8(ascii: "{") ? JSONKind.kind(of: rest, isWhole: isWhole) : .nmea
      guard let kind else { return nil }
      self = kind
    case 0x1E:
      self = .other(
        "is a GeoJSON text sequence, which is not read; of this program's, --format ndjson writes the same")
    default:
      guard let line = Self.firstLine(of: rest) else { return nil }
      if Self.isPage(rest[line.endIndex...]) {
        self = .other("is a page of figures without fixes; read the recording that it was made from")
      } else {
        self =
          CSVLines.isHeader(line)
          ? .csv : RecorderLines.isRecord(line) ? .recorder : GPSDRecordDecoder.isRecord(line) ? .gpsd : .nmea
      }
    }
  }

  /// The first line, as far as it can identify the kind; `nil` if more bytes are needed.
  private static func firstLine(of rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    rest.firstIndex(of: 0x0A).map { rest[..<$0] } ?? (rest.count > 4096 ? rest.prefix(4096) : nil)
  }

  /// Whether the bytes after the first line, which is the recording's name, are those of a page of `track`.
  private static func isPage(_ rest: ArraySlice<UInt8>) -> Bool {
    ["Time ", "Distance ", "Fixes "].contains { rest.starts(with: "\n\n  \($0)".utf8) }
  }
}

/// The kind of a JSON file, recognised by the members of its first object.
enum JSONKind {
  /// The number of bytes after which a kind is chosen even if no member has decided.
  private static let longestHead = 1 << 16

  private static let geoJSON: Set = [
    "FeatureCollection", "Feature", "GeometryCollection", "Point", "MultiPoint", "LineString", "MultiLineString",
    "Polygon", "MultiPolygon",
  ]

  private static let google = TrackKind.other(
    "is Google's location history (Takeout or Timeline), which is not read; convert it to GPX first")

  /// The kind of a text that begins with a brace, or with a bracket and a brace; `nil` if there are too few bytes.
  static func kind(of bytes: ArraySlice<UInt8>, isWhole: Bool) -> TrackKind? {
    bytes.withUnsafeBufferPointer { text in
      let isList = text.first == UInt8(ascii: "[")
      let object = UnsafeBufferPointer(rebasing: text[(isList ? 1 : 0)...])
      var reader = JSONReader(object)
      var kind: TrackKind?
      func decide(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value?) {
        guard kind == nil, let start = object.baseAddress, let position = key.baseAddress else { return }
        let isPretty = object[..<start.distance(to: position)].contains(0x0A)
        kind = Self.kind(key, value, isList: isList, isPretty: isPretty, bytes)
      }
      do throws(JSONError) {
        try reader.forEachMemberOfFirst { decide($0, $1) }
        let isPretty = object[..<reader.index].contains(0x0A)
        return kind ?? (isList || isPretty ? .other("is JSON of an unknown kind") : .jsonLines)
      } catch {
        if let key = reader.lastKey { decide(key, nil) }
        // A torn line, or a line of which more is to come.
        return kind ?? (reader.index >= object.count && !isWhole && text.count <= longestHead ? nil : .jsonLines)
      }
    }
  }

  /// The kind that a member decides; its value is `nil` if it is incomplete.
  private static func kind(
    _ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value?, isList: Bool, isPretty: Bool,
    _ bytes: ArraySlice<UInt8>
  ) -> TrackKind? {
    /// Records that are read one per line.
    func lines(_ kind: TrackKind) -> TrackKind {
      if isList { return .other("is one JSON array; write one element per line, with jq -c '.[]'") }
      return isPretty
        ? .other("is JSON with records on several lines; write one record per line, with jq -c .") : kind
    }
    switch String(decoding: key, as: UTF8.self) {
    case "features", "geometry", "geometries", "coordinates": return .geoJSON
    case "timelineObjects", "semanticSegments", "rawSignals", "timelinePath", "timelineMemory", "visit", "activity":
      return google
    case "locations":
      let text = String(decoding: bytes, as: UTF8.self)
      return text.contains("latitudeE7") || text.contains("timestampMs") ? google : nil
    // gpspipe -r writes gpsd's greeting before the sentences.
    case "class": return isPretty || isList ? .other(TrackInputError.gpsd) : .nmea
    case "_type": return lines(.recorder)
    case "type":
      guard case .string(let text)? = value else { return value == nil ? nil : .jsonLines }
      let type = String(decoding: text, as: UTF8.self)
      if geoJSON.contains(type), !isList { return .geoJSON }
      if type != "track" { return lines(.jsonLines) }
      return .other("is a summary of a track without fixes; read the recording that it was made from")
    default: return nil
    }
  }
}
