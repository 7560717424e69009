import Platform

/// The kinds of recordings.
enum TrackKind {
  case nmea
  case jsonLines
  /// Comma-separated values with a header.
  case csv
  /// What OwnTracks Recorder keeps.
  case recorder
  /// GPX or KML; the kind of UTF-16 that it is by its first bytes, by iconv's name, if any.
  case xml(wideEncoding: String?)
  case geoJSON
  /// What this program writes for people, in which there are no fixes: words that follow its name.
  case ownOutput(String)
  /// Text in an encoding, by iconv's name, that only XML may have.
  case text(encoding: String)

  /// Recognises a kind by the first bytes; `nil` while there are too few.
  init?(head: [UInt8]) {
    guard head.count >= 4 else { return nil }
    var rest = head[...]
    if let encoding = WideText.encoding(of: head) {
      // Of the two bytes of each character, the one that is not 0.
      let text = rest.filter { $0 != 0 && $0 < 0xFE }.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      guard let first = text.first else { return nil }
      self = first == UInt8(ascii: "<") ? .xml(wideEncoding: encoding) : .text(encoding: encoding)
      return
    }
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    switch rest.first {
    case nil: return nil
    case UInt8(ascii: "<"): self = .xml(wideEncoding: nil)
    case UInt8(ascii: "{"):
      // gpspipe -r writes gpsd's greeting before the sentences.
      let greeting = Array(#"{"class":"#.utf8)
      if rest.count < greeting.count, greeting.starts(with: rest) { return nil }
      if rest.starts(with: greeting) {
        self = .nmea
        return
      }
      guard let line = Self.firstLine(of: rest) else { return nil }
      self = Self.json(line)
    case 0x1E:
      self = .ownOutput("is a GeoJSON text sequence, which is not read; --format ndjson writes the same")
    default:
      guard let line = Self.firstLine(of: rest) else { return nil }
      if Self.isPage(rest[line.endIndex...]) {
        self = .ownOutput("is a page of figures, which holds no fixes; read the recording that it was made of")
      } else {
        self = CSVLines.isHeader(line) ? .csv : RecorderLines.isRecord(line) ? .recorder : .nmea
      }
    }
  }

  /// The first line, as far as it may say what the rest is; `nil` while there is more to come.
  private static func firstLine(of rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    rest.firstIndex(of: 0x0A).map { rest[..<$0] } ?? (rest.count > 4096 ? rest.prefix(4096) : nil)
  }

  /// The kind of what begins with a brace, by its first line.
  private static func json(_ line: ArraySlice<UInt8>) -> TrackKind {
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix(#"{"type":"track","#) {
      return .ownOutput("is the figures of a track, which hold no fixes; read the recording that they were made of")
    }
    // Only a document of many lines has one that says nothing.
    let isGeoJSON =
      text.drop { $0 == "{" || $0.isWhitespace }.isEmpty
      || ["FeatureCollection", "Feature", "GeometryCollection", "LineString", "MultiLineString"].contains {
        text.contains("\"\($0)\"")
      }
    return isGeoJSON ? .geoJSON : .jsonLines
  }

  /// Whether a page of `track` goes on so after its first line, which is the recording's name.
  private static func isPage(_ rest: ArraySlice<UInt8>) -> Bool {
    ["Time ", "Distance ", "Fixes "].contains { rest.starts(with: "\n\n  \($0)".utf8) }
  }
}
