import LocationKit

/// What a decoder makes of a record.
enum DecodedRecord: Hashable {
  case event(TrackEvent)
  /// It says nothing that can be used.
  case skipped(RecordFault, line: Int)
}

/// Why a record says nothing that can be used; the words follow its place.
struct RecordFault: Error, Hashable {
  var kind: SkippedRecord.Kind
  var words: String

  init(_ kind: SkippedRecord.Kind, _ words: String) { (self.kind, self.words) = (kind, words) }
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
  /// Itself when it is on earth; a record that says no position left its angles NaN.
  func checked() throws(RecordFault) -> Location {
    let (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
    if latitude.isNaN || longitude.isNaN { throw RecordFault(.position, "is a location without its position") }
    guard coordinate.isValid else {
      throw RecordFault(.position, "is a location that is not on earth: latitude \(latitude), longitude \(longitude)")
    }
    return self
  }
}
