import LocationKit
import Platform
import Records

/// GeoJSON (RFC 7946): each LineString is a run of fixes without times that ends with a gap, and so is each line of a
/// MultiLineString. Points, which are places, and polygons are not tracks. Lines that were cut at the antimeridian are
/// joined.
///
/// The text is read piece by piece. The decoder keeps its place in the structure and the current value. The positions
/// of a geometry are kept only if its type comes after them.
struct GeoJSONTrackDecoder: TrackDecoder {
  /// The greatest depth of objects and arrays; no GeoJSON needs more.
  private static let deepest = 64
  /// The longest text or number that is kept, in bytes. Longer ones are ignored.
  private static let longestValue = 1024

  private struct Container {
    let isArray: Bool
    /// The name of the current member of an object.
    var key: [UInt8] = []
    var type: [UInt8] = []
    /// Whether it contains the positions of the current geometry.
    var isCoordinates = false
    /// The numbers of an array of numbers; other values are NaN.
    var numbers: [Double] = []
    var hasPositions = false
  }

  private enum State {
    case value, string, escape, word, next, ended
  }

  private var state = State.value
  private var open: [Container] = []
  private var text: [UInt8] = []
  private var line = 1
  /// Records of a geometry whose type is not known yet.
  private var held: [DecodedRecord] = []
  private var joiner = AntimeridianJoiner()
  private var hasLine = false
  /// Whether there was a point, which is a place, and the name of its member with a time.
  private var hasPoint = false
  private var timeKey: [UInt8]?

  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void
  ) throws(TrackInputError.Reason) {
    for byte in bytes {
      if byte == 0x0A { line += 1 }
      switch state {
      case .string: readText(byte)
      case .escape:
        keep(byte)
        state = .string
      case .word where !Self.isPunctuation(byte): keep(byte)
      default:
        if state == .word { try endWord() }
        try read(byte, emit)
      }
    }
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    joiner.finish(emit)
    if state != .ended { throw .badLine(line, "ends in the middle of a value; what comes before is used") }
    guard hasPoint, !hasLine else { return }
    let time = timeKey.map { "; GeoJSON has no times, so their '\(String(decoding: $0, as: UTF8.self))' is not read" }
    throw .otherKind("is GeoJSON of points, which are places, not a track\(time ?? ""); export the track as GPX")
  }

  static func isPunctuation(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: false
    }
  }

  private func noJSON() -> TrackInputError.Reason { .badLine(line, "is not JSON") }

  private mutating func keep(_ byte: UInt8) {
    if text.count < Self.longestValue { text.append(byte) }
  }

  private mutating func readText(_ byte: UInt8) {
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

  /// Handles a byte outside of texts and words.
  private mutating func read(_ byte: UInt8, _ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: break
    // A file may begin with a byte order mark.
    case 0xEF, 0xBB, 0xBF: if !open.isEmpty || state == .ended { throw noJSON() }
    case UInt8(ascii: "{") where state == .ended, 0x1E where state == .ended:
      throw .badLine(line, "begins another object; put all into one FeatureCollection, what comes before is used")
    case _ where state == .ended: throw noJSON()
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard state == .value, open.count < Self.deepest else { throw noJSON() }
      begin(isArray: byte == UInt8(ascii: "["))
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard let container = open.popLast(), container.isArray == (byte == UInt8(ascii: "]")) else { throw noJSON() }
      end(container, emit)
      state = open.isEmpty ? .ended : .next
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
    else { throw noJSON() }
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
      // The type of a geometry came after its positions.
      if Self.isLine(container.type) { for record in held { joiner.add(record, emit) } }
      return held = []
    }
    guard container.isCoordinates, let geometry = open.last(where: { !$0.isArray }) else { return }
    guard geometry.type.isEmpty || Self.isLine(geometry.type) else { return }
    if container.hasPositions {
      forward(.event(.gap), geometry, emit)
    } else if let outer = open.indices.last, open[outer].isArray, !container.numbers.isEmpty {
      open[outer].hasPositions = true
      forward(record(of: container.numbers), geometry, emit)
    }
  }

  private mutating func forward(_ record: DecodedRecord, _ geometry: Container, _ emit: (DecodedRecord) -> Void) {
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

/// Joins lines that were cut at the antimeridian, as RFC 7946 (3.1.9) recommends.
///
/// A line that ends at 180° and a line that begins at -180° of the same latitude are one line, and the other way round.
/// The two points come from the cut and are not fixes.
struct AntimeridianJoiner {
  /// The last fix, if it is on the antimeridian, and the end of its line after it.
  private var held: [DecodedRecord] = []

  /// Adds the next record and passes on the records that are decided.
  mutating func add(_ record: DecodedRecord, _ emit: (DecodedRecord) -> Void) {
    if case .event(.gap) = record, held.count == 1 { return held.append(record) }
    if let fix = record.edge {
      let otherSide = LocationCoordinate2D(latitude: fix.latitude, longitude: -fix.longitude)
      if held.count == 2, held[0].edge == otherSide { return held = [] }
      finish(emit)
      return held.append(record)
    }
    finish(emit)
    emit(record)
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) {
    for record in held { emit(record) }
    held.removeAll(keepingCapacity: true)
  }
}

extension DecodedRecord {
  /// The position of a fix that lies on the antimeridian.
  fileprivate var edge: LocationCoordinate2D? {
    guard case .event(.fix(let fix)) = self, abs(fix.coordinate.longitude) == 180 else { return nil }
    return fix.coordinate
  }
}
