import Platform

/// The kind of a JSON file, recognised by the members of its first object. Reading goes on until a member decides.
struct JSONKind {
  /// The number of bytes after which a kind is chosen even if no member has decided.
  static let longestHead = 1 << 16

  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var isPretty = false
  private var isList = false

  /// The kind of a text that begins with a brace, or with a bracket and a brace; `nil` if there are too few bytes.
  static func kind(of bytes: ArraySlice<UInt8>, isWhole: Bool) -> TrackKind? {
    var scan = JSONKind(bytes: bytes, index: bytes.startIndex)
    if scan.consume("[") { scan.isList = true }
    if let kind = scan.object() { return kind }
    return isWhole || bytes.count > longestHead ? .jsonLines : nil
  }

  private static let geoJSON: Set = [
    "FeatureCollection", "Feature", "GeometryCollection", "Point", "MultiPoint", "LineString", "MultiLineString",
    "Polygon",
    "MultiPolygon",
  ]

  /// `nil` if the bytes end first.
  private mutating func object() -> TrackKind? {
    guard consume("{") else { return index < bytes.endIndex ? .jsonLines : nil }
    var isFirst = true
    while true {
      guard isFirst || consume(",") else { return end() }
      guard let key = string() else { return isFirst ? end() : broken }
      isFirst = false
      guard consume(":") else { return broken }
      switch key {
      case "features", "geometry", "geometries", "coordinates": return .geoJSON
      case "timelineObjects", "semanticSegments", "rawSignals", "timelinePath", "timelineMemory", "visit", "activity":
        return .google
      case "locations":
        let rest = String(decoding: bytes[index...], as: UTF8.self)
        if rest.contains("latitudeE7") || rest.contains("timestampMs") { return .google }
      // gpspipe -r writes gpsd's greeting before the sentences.
      case "class": return isPretty || isList ? .other(TrackInputError.gpsd) : .nmea
      case "_type": return isPretty || isList ? manyLines : .recorder
      case "type":
        guard let type = string() else { return broken }
        if Self.geoJSON.contains(type) { return isList ? manyLines : .geoJSON }
        if type == "track" { return .figures }
        return isPretty || isList ? manyLines : .jsonLines
      default: break
      }
      guard skipValue() else { return broken }
    }
  }

  /// The kind of records that are read one per line.
  private var manyLines: TrackKind {
    isList
      ? .other("is one JSON array; write one element per line, with jq -c '.[]'")
      : .other("is JSON with records on several lines; write one record per line, with jq -c .")
  }

  /// The kind of a text that is not complete JSON: a torn line, or a line of which more is to come.
  private var broken: TrackKind? { index < bytes.endIndex ? .jsonLines : nil }

  /// The kind of an object in which no member decided.
  private mutating func end() -> TrackKind? {
    guard consume("}") else { return broken }
    return isPretty || isList ? .other("is JSON of an unknown kind") : .jsonLines
  }

  private mutating func skipSpace() {
    while index < bytes.endIndex, bytes[index].isSpace {
      if bytes[index] == 0x0A { isPretty = true }
      index += 1
    }
  }

  private mutating func consume(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard index < bytes.endIndex, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  /// Reads a string and returns it without its quotes; `nil` if no whole string begins here.
  private mutating func string() -> String? {
    skipSpace()
    guard index < bytes.endIndex, bytes[index] == UInt8(ascii: "\"") else { return nil }
    var end = index + 1
    while end < bytes.endIndex, bytes[end] != UInt8(ascii: "\"") {
      // The line was torn in the middle of a text.
      if bytes[end] < 0x20 { return nil }
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < bytes.endIndex else {
      index = bytes.endIndex
      return nil
    }
    defer { index = end + 1 }
    return String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
  }

  /// Skips a value of any kind; returns whether it was complete.
  private mutating func skipValue() -> Bool {
    var depth = 0
    repeat {
      skipSpace()
      guard index < bytes.endIndex else { return false }
      switch bytes[index] {
      case UInt8(ascii: "\""): if string() == nil { return false }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return false }
        depth -= 1
        index += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { return false }
        index += 1
      default:
        while index < bytes.endIndex, !GeoJSONTrackDecoder.isPunctuation(bytes[index]) { index += 1 }
        if index == bytes.endIndex { return false }
      }
    } while depth > 0
    return true
  }
}

extension TrackKind {
  fileprivate static let google = other(
    "is Google's location history (Takeout or Timeline), which is not read; convert it to GPX first")
  fileprivate static let figures = other(
    "is a summary of a track without fixes; read the recording that it was made from")
}
