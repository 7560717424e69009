import FoundationEssentials
import LocationKit

/// This program's JSON lines: a location is a fix, an error of the code `locationUnknown` is a gap, and records of other
/// types say nothing of a track. A line that is no record, or a location without its position, is skipped.
struct NDJSONTrackDecoder: TrackDecoder {
  /// Bytes of the longest line.
  private static let longestLine = 1 << 20

  private var line = 0
  /// The beginning of a line whose end has not come yet.
  private var pending: [UInt8] = []
  /// Whether the line whose end has not come yet is beyond the longest, and none of it is kept.
  private var isTooLong = false
  private var timestamps = TimestampReader()
  private var sources = SourceCache()

  mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      let piece = UnsafeBufferPointer(rebasing: rest[..<end])
      rest = rest[(end + 1)...]
      line += 1
      if pending.isEmpty, !isTooLong, piece.count <= Self.longestLine {
        read(piece, emit)
      } else {
        keep(piece[...])
        endPending(emit)
      }
    }
    keep(rest)
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) {
    line += 1
    endPending(emit)
  }

  private mutating func keep(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    if pending.count + bytes.count > Self.longestLine { isTooLong = true }
    if isTooLong { pending = [] } else { pending += bytes }
  }

  private mutating func endPending(_ emit: (DecodedRecord) -> Void) {
    let whole = pending
    pending.removeAll(keepingCapacity: true)
    if isTooLong { emit(.skipped(RecordFault(.damaged, "is longer than 1 MiB"), line: line)) }
    isTooLong = false
    whole.withUnsafeBufferPointer { read($0, emit) }
  }

  private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void) {
    var bytes = bytes
    // Where files were put together, a byte order mark stands in the middle.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = UnsafeBufferPointer(rebasing: bytes[3...]) }
    if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
    do throws(RecordFault) {
      var record = TrackRecord()
      var scan = JSONLine(bytes)
      try scan.forEachMember { (key, value) throws(RecordFault) in
        try record.take(key, value, &timestamps, &sources)
      }
      switch record.type {
      case .location: emit(.event(.fix(try record.location())))
      case .error where record.isLoss: emit(.event(.gap))
      case nil: throw RecordFault(.damaged, "is no record of this program: it has no type")
      default: break
      }
    } catch {
      emit(.skipped(error, line: line))
    }
  }
}

/// What a line has said so far.
private struct TrackRecord {
  enum Kind {
    case location
    case error
    case other
  }

  private(set) var type: Kind?
  private(set) var isLoss = false
  private var latitude: Double?
  private var longitude: Double?
  private var draft = Location(latitude: 0, longitude: 0)
  private var device: String?
  private var isSimulated: Bool?

  func location() throws(RecordFault) -> Location {
    guard let latitude, let longitude else { throw RecordFault(.position, "is a location without its position") }
    var location = draft
    location.coordinate = LocationCoordinate2D(latitude: latitude, longitude: longitude)
    guard location.coordinate.isValid else {
      throw RecordFault(.position, "is a location that is not on earth: latitude \(latitude), longitude \(longitude)")
    }
    if device != nil || isSimulated != nil {
      location.sourceInformation = LocationSourceInformation(
        device: device, isSimulatedBySoftware: isSimulated ?? false)
    }
    return location
  }

  mutating func take(
    _ key: UnsafeBufferPointer<UInt8>, _ value: JSONLine.Value, _ timestamps: inout TimestampReader,
    _ sources: inout SourceCache
  ) throws(RecordFault) {
    switch value {
    case .string(let text):
      if key.equals("type") {
        type = text.equals("location") ? .location : text.equals("error") ? .error : .other
      } else if key.equals("code") {
        isLoss = text.equals("locationUnknown")
      } else if key.equals("time") {
        draft.timestamp = timestamps.read(text)
        if draft.timestamp == nil { throw RecordFault(.time, "has a time that is none") }
      } else if key.equals("source") {
        device = try sources.text(text)
      }
    case .number(let text):
      guard let number = decimalNumber(text) else { throw RecordFault(.number, "has a number that is none") }
      take(key, number)
    case .boolean(let isTrue):
      if key.equals("simulated") { isSimulated = isTrue }
    case .other: break
    }
  }

  private mutating func take(_ key: UnsafeBufferPointer<UInt8>, _ number: Double) {
    if key.equals("latitude") {
      latitude = number
    } else if key.equals("longitude") {
      longitude = number
    } else if key.equals("altitude") {
      draft.altitude = number
    } else if key.equals("ellipsoidalAltitude") {
      draft.ellipsoidalAltitude = number
    } else if key.equals("horizontalAccuracy") {
      draft.horizontalAccuracy = number
    } else if key.equals("verticalAccuracy") {
      draft.verticalAccuracy = number
    } else if key.equals("course") {
      draft.course = number
    } else if key.equals("courseAccuracy") {
      draft.courseAccuracy = number
    } else if key.equals("speed") {
      draft.speed = number
    } else if key.equals("speedAccuracy") {
      draft.speedAccuracy = number
    } else if key.equals("mode") {
      draft.mode = number == 3 ? .threeDimensional : .twoDimensional
    } else if key.equals("satellites") {
      draft.satellitesUsed = Int(exactly: number)
    }
  }
}

/// The text of the last source: all records of a recording have the same, as a rule.
private struct SourceCache {
  private var bytes: [UInt8] = []
  private var last: String?

  mutating func text(_ text: UnsafeBufferPointer<UInt8>) throws(RecordFault) -> String? {
    if let last, bytes.elementsEqual(text) { return last }
    guard let new = JSONLine.text(text) else { throw RecordFault(.damaged, "has a source that is no text") }
    (bytes, last) = (Array(text), new)
    return new
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the bytes are those of a text.
  func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }
}
