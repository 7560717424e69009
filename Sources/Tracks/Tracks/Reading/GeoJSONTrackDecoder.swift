import LocationKit
import Platform
import Records

/// GeoJSON (RFC 7946): each LineString is a run of fixes without times that ends with a gap, and so is each line of a
/// MultiLineString. Points, which are places, and polygons are no tracks. Lines that were cut at the antimeridian are one.
///
/// The text is read as it comes. What is kept is where in it the reading is and the value under way; the positions of a
/// geometry are kept where its type stands behind them.
struct GeoJSONTrackDecoder: TrackDecoder {
  /// Objects and arrays within each other that no GeoJSON has.
  private static let deepest = 64
  /// Bytes of a text or a number that are kept; a longer one says nothing here.
  private static let longestValue = 1024

  /// An object or an array that is open.
  private struct Container {
    let isArray: Bool
    /// The name of an object's member that is under way.
    var key: [UInt8] = []
    /// What `type` says of an object.
    var type: [UInt8] = []
    /// Whether it holds the positions of the geometry under way.
    var isCoordinates = false
    /// The numbers of an array, when it holds nothing else; what is no number is NaN.
    var numbers: [Double] = []
    /// Whether there is a position in an array.
    var hasPositions = false
  }

  private enum State {
    case value, string, escape, word, next
  }

  private var state = State.value
  private var open: [Container] = []
  private var text: [UInt8] = []
  private var line = 1
  private var hasEnded = false
  /// Records of a geometry whose type is not known yet.
  private var held: [DecodedRecord] = []
  private var joiner = AntimeridianJoiner()
  /// Whether there was a line.
  private var hasLine = false
  /// Whether there was a point, which is a place, and the name of a time of it.
  private var hasPoint = false
  private var timeKey: [UInt8]?

  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void
  ) throws(TrackInputError.Reason) {
    for byte in bytes {
      if byte == 0x0A { line += 1 }
      switch state {
      case .string: takeText(byte)
      case .escape:
        keep(byte)
        state = .string
      case .word where !Self.isPunctuation(byte): keep(byte)
      default:
        if state == .word { try endWord() }
        try take(byte, emit)
      }
    }
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    joiner.finish(emit)
    if !hasEnded { throw .badLine(line, "ends in the middle of a value; what comes before is used") }
    guard hasPoint, !hasLine else { return }
    let time = timeKey.map { "; GeoJSON knows no times, so their '\(String(decoding: $0, as: UTF8.self))' is not read" }
    throw .otherKind("is GeoJSON of points, which are places and no track\(time ?? ""); export the track as GPX")
  }

  static func isPunctuation(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: false
    }
  }

  private func noJSON() -> TrackInputError.Reason { .badLine(line, "is no JSON") }

  private mutating func keep(_ byte: UInt8) {
    if text.count < Self.longestValue { text.append(byte) }
  }

  private mutating func takeText(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\\"):
      keep(byte)
      state = .escape
    case UInt8(ascii: "\""):
      state = .next
      endText()
    default: keep(byte)
    }
  }

  /// Takes a byte outside of texts and words.
  private mutating func take(_ byte: UInt8, _ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: break
    // A file may begin with a byte order mark.
    case 0xEF, 0xBB, 0xBF: if !open.isEmpty || hasEnded { throw noJSON() }
    case UInt8(ascii: "{") where hasEnded, 0x1E where hasEnded:
      throw .badLine(line, "begins another object; put all into one FeatureCollection, what comes before is used")
    case _ where hasEnded: throw noJSON()
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard state == .value, open.count < Self.deepest else { throw noJSON() }
      begin(isArray: byte == UInt8(ascii: "["))
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard let container = open.popLast(), container.isArray == (byte == UInt8(ascii: "]")) else { throw noJSON() }
      end(container, emit)
      state = .next
      hasEnded = open.isEmpty
    case UInt8(ascii: ","), UInt8(ascii: ":"):
      guard state == .next, !open.isEmpty else { throw noJSON() }
      if byte == UInt8(ascii: ",") { open[open.count - 1].key = [] }
      state = .value
    default:
      guard state == .value, !open.isEmpty else { throw noJSON() }
      text.removeAll(keepingCapacity: true)
      state = byte == UInt8(ascii: "\"") ? .string : .word
      if state == .word { text.append(byte) }
    }
  }

  private mutating func endText() {
    let last = open.count - 1
    if open[last].isArray {
      open[last].numbers.append(.nan)
    } else if open[last].key.isEmpty {
      open[last].key = text
      let name = String(decoding: text, as: UTF8.self).lowercased()
      if timeKey == nil, name.contains("time") || name == "date" { timeKey = text }
    } else if open[last].key.elementsEqual("type".utf8) {
      open[last].type = text
    }
  }

  private mutating func endWord() throws(TrackInputError.Reason) {
    let number = text.withUnsafeBufferPointer { Double(decimal: $0) }
    guard
      number != nil
        || ["true", "false", "null", "NaN", "Infinity", "-Infinity"].contains(where: { text.elementsEqual($0.utf8) })
    else {
      throw noJSON()
    }
    let last = open.count - 1
    if open[last].isArray, open[last].numbers.count < Self.longestValue { open[last].numbers.append(number ?? .nan) }
    state = .next
  }

  private mutating func begin(isArray: Bool) {
    var container = Container(isArray: isArray)
    if isArray, let outer = open.last {
      container.isCoordinates = outer.isArray ? outer.isCoordinates : outer.key.elementsEqual("coordinates".utf8)
    }
    open.append(container)
    state = .value
  }

  private mutating func end(_ container: Container, _ emit: (DecodedRecord) -> Void) {
    if !container.isArray {
      if container.type.elementsEqual("Point".utf8) || container.type.elementsEqual("MultiPoint".utf8) {
        hasPoint = true
      }
      if Self.isLine(container.type) { hasLine = true }
      // The type of a geometry stood behind its positions.
      if Self.isLine(container.type) { for record in held { joiner.add(record, emit) } }
      return held = []
    }
    guard container.isCoordinates, let geometry = open.last(where: { !$0.isArray }) else { return }
    guard geometry.type.isEmpty || Self.isLine(geometry.type) else { return }
    if container.hasPositions {
      handOn(.event(.gap), geometry, emit)
    } else if let outer = open.indices.last, open[outer].isArray, !container.numbers.isEmpty {
      open[outer].hasPositions = true
      handOn(record(of: container.numbers), geometry, emit)
    }
  }

  private mutating func handOn(_ record: DecodedRecord, _ geometry: Container, _ emit: (DecodedRecord) -> Void) {
    if geometry.type.isEmpty { held.append(record) } else { joiner.add(record, emit) }
  }

  private static func isLine(_ type: [UInt8]) -> Bool {
    type.elementsEqual("LineString".utf8) || type.elementsEqual("MultiLineString".utf8)
  }

  /// Longitude, latitude, and perhaps the height above the ellipsoid.
  private func record(of numbers: [Double]) -> DecodedRecord {
    guard numbers.count >= 2, numbers[0].isFinite, numbers[1].isFinite else {
      return .skipped(RecordFault(.position, "has an invalid position"), line: line)
    }
    var fix = Location(latitude: numbers[1], longitude: numbers[0])
    guard fix.coordinate.isValid else {
      let words = "has a point that is not on earth: latitude \(numbers[1]), longitude \(numbers[0])"
      return .skipped(RecordFault(.position, words), line: line)
    }
    if numbers.count > 2, numbers[2].isFinite {
      fix.ellipsoidalAltitude = numbers[2]
      fix.mode = .threeDimensional
    }
    return .event(.fix(fix))
  }
}
