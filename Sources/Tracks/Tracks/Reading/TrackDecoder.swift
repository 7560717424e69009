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

  init(_ fault: MemberFault) {
    let kind: SkippedRecord.Kind =
      switch fault.kind {
      case .time: .time
      case .number: .number
      case .text: .text
      }
    self = .invalid(kind, fault.text)
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
