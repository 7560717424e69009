import LocationKit
import Platform
import Records

/// What a decoder makes of a record.
enum DecodedRecord: Hashable {
  case event(TrackEvent)
  /// It, or one of its values, says nothing that can be used.
  case skipped(RecordFault, line: Int)
}

/// Why a record or a value says nothing that can be used; the words follow its place.
struct RecordFault: Error, Hashable {
  var kind: SkippedRecord.Kind
  var words: String

  init(_ kind: SkippedRecord.Kind, _ words: String) { (self.kind, self.words) = (kind, words) }

  /// A text that is no value of its kind.
  static func invalid(_ kind: SkippedRecord.Kind, _ text: String) -> RecordFault {
    RecordFault(kind, "has an invalid \(kind): '\(text)'")
  }

  /// The same of bytes.
  static func invalid(_ kind: SkippedRecord.Kind, _ text: UnsafeBufferPointer<UInt8>) -> RecordFault {
    invalid(kind, String(decoding: text.prefix(40), as: UTF8.self))
  }
}

/// Makes events of the bytes of one kind of recording, in pieces of any size.
protocol TrackDecoder {
  /// Takes the next bytes; hands out what they complete before it returns or throws.
  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void
  ) throws(TrackInputError.Reason)

  /// Ends the input.
  mutating func finish(_ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason)
}

extension Location {
  /// Itself, without values that mean "unknown", when it is on earth; a record that says no position left its angles NaN.
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

  /// Takes the text of a member; returns what is wrong with it.
  mutating func take(
    _ text: UnsafeBufferPointer<UInt8>, _ member: RecordMember<Location>, _ timestamps: inout TimestampReader
  ) -> RecordFault? {
    switch member.access {
    case .time(_, let set):
      guard let time = timestamps.read(text) else { return .invalid(.time, text) }
      set(&self, time)
    case .angle(_, let set), .measure(_, let set):
      guard let number = Double(recorded: text) else { return .invalid(.number, text) }
      set(&self, number)
    case .whole(_, let set):
      guard let number = Double(recorded: text) else { return .invalid(.number, text) }
      if let whole = Int(exactly: number) {
        set(&self, whole)
      } else if number.isFinite {
        return .invalid(.number, text)
      }
    case .text(_, let set): _ = set(&self, String(decoding: text, as: UTF8.self))
    case .flag(_, let set): set(&self, text.equals("true"))
    }
    return nil
  }
}
