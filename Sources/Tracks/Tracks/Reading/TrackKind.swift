import GPSD
import Platform

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
