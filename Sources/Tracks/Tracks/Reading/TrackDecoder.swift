import LocationKit
import Platform
import Records

enum DecodedRecord: Hashable {
  case event(TrackEvent)
  /// The record, or one of its values, cannot be used.
  case skipped(RecordFault, line: Int)
  case name(TrackName)
}

/// Why a record or a value cannot be used; the words follow its place.
struct RecordFault: Error, Hashable {
  var kind: SkippedRecord.Kind
  var words: String

  init(_ kind: SkippedRecord.Kind, _ words: String) { (self.kind, self.words) = (kind, words) }

  /// A text that is not a value of its kind.
  static func invalid(_ kind: SkippedRecord.Kind, _ text: String) -> RecordFault {
    RecordFault(kind, "has an invalid \(kind): '\(text)'")
  }

  static func invalid(_ kind: SkippedRecord.Kind, _ text: UnsafeBufferPointer<UInt8>) -> RecordFault {
    invalid(kind, String(decoding: text.prefix(40), as: UTF8.self))
  }
}

/// Decodes the bytes of one kind of recording into events, in pieces of any size.
protocol TrackDecoder {
  /// Decodes the next bytes; emits the completed records before it returns or throws.
  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void
  ) throws(TrackInputError.Reason)

  mutating func finish(_ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason)
}

/// Reads the members of locations from their texts. All records of a recording usually have the same source, so the text
/// that was read last is kept.
struct MemberReader {
  var timestamps = TimestampReader()
  private var bytes: [UInt8] = []
  private var last: String?

  /// Sets a member from its text; returns the fault if the text is invalid.
  mutating func set(
    _ member: RecordMember<Location>, of location: inout Location, to text: UnsafeBufferPointer<UInt8>,
    decode: (UnsafeBufferPointer<UInt8>) -> String? = { String(decoding: $0, as: UTF8.self) }
  ) -> RecordFault? {
    switch member.access {
    case .time(_, let set):
      guard let time = timestamps.read(text) else { return .invalid(.time, text) }
      set(&location, time)
    case .angle(_, let set), .measure(_, let set):
      guard let number = Double(recorded: text) else { return .invalid(.number, text) }
      set(&location, number)
    case .whole(_, let set):
      guard let number = Double(recorded: text) else { return .invalid(.number, text) }
      if let whole = Int(exactly: number) {
        set(&location, whole)
      } else if number.isFinite {
        return .invalid(.number, text)
      }
    case .text(_, let set):
      if last == nil || !bytes.elementsEqual(text) { (bytes, last) = (Array(text), decode(text)) }
      guard let last else { return .invalid(.text, text) }
      _ = set(&location, last)
    case .flag(_, let set): set(&location, text.equals("true"))
    }
    return nil
  }
}

extension Location {
  /// This location without values that mean "unknown", if it is on earth. A record without a position leaves its angles
  /// NaN.
  func checked() throws(RecordFault) -> Location {
    let (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
    if latitude.isNaN || longitude.isNaN { throw RecordFault(.position, "is a location without its position") }
    guard coordinate.isValid else {
      throw RecordFault(.position, "is a location that is not on earth: latitude \(latitude), longitude \(longitude)")
    }
    var location = self
    location.removeUnknownValues()
    return location
  }
}
