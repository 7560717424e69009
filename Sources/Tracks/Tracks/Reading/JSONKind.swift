import Platform
import Records

/// The kind of a JSON file, recognised by the members of its first object.
enum JSONKind {
  /// The number of bytes after which a kind is chosen even if no member has decided.
  private static let longestHead = 1 << 16

  private static let geoJSON: Set = [
    "FeatureCollection", "Feature", "GeometryCollection", "Point", "MultiPoint", "LineString", "MultiLineString",
    "Polygon",
    "MultiPolygon",
  ]

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
      return .google
    case "locations":
      let text = String(decoding: bytes, as: UTF8.self)
      return text.contains("latitudeE7") || text.contains("timestampMs") ? .google : nil
    // gpspipe -r writes gpsd's greeting before the sentences.
    case "class": return isPretty || isList ? .other(TrackInputError.gpsd) : .nmea
    case "_type": return lines(.recorder)
    case "type":
      guard case .string(let text)? = value else { return value == nil ? nil : .jsonLines }
      let type = String(decoding: text, as: UTF8.self)
      if geoJSON.contains(type), !isList { return .geoJSON }
      return type == "track" ? .figures : lines(.jsonLines)
    default: return nil
    }
  }
}

extension TrackKind {
  fileprivate static let google = other(
    "is Google's location history (Takeout or Timeline), which is not read; convert it to GPX first")
  fileprivate static let figures = other(
    "is a summary of a track without fixes; read the recording that it was made from")
}
