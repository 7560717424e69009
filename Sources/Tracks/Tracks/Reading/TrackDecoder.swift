import LocationKit
import NMEA

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

/// NMEA 0183, by `NMEADecoder`. Lines that are no sentences are passed over, as in a replay.
struct NMEATrackDecoder: TrackDecoder {
  private var decoder: NMEADecoder

  init(device: String) {
    decoder = NMEADecoder(
      sourceInformation: LocationSourceInformation(device: device, isSimulatedBySoftware: false))
  }

  mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void) {
    decoder.decode(bytes) { Self.handOn($0, emit) }
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    decoder.finish { Self.handOn($0, emit) }
    if decoder.statistics.sentences == 0 { throw .unknownKind }
  }

  private static func handOn(_ event: LocationSourceEvent, _ emit: (DecodedRecord) -> Void) {
    switch event {
    case .location(let location): emit(.event(.fix(location)))
    case .noFix: emit(.event(.gap))
    case .heading, .satellites, .status, .failed, .finished: break
    }
  }
}
