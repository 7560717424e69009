import LocationKit
import NMEA

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
