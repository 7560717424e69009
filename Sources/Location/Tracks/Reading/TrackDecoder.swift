import LocationKit
import NMEA

/// Makes events of the bytes of one kind of recording, in pieces of any size.
protocol TrackDecoder {
  /// Takes the next bytes; hands out what they complete before it returns or throws.
  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ emit: (TrackEvent) -> Void
  ) throws(TrackInputError.Reason)

  /// Ends the input.
  mutating func finish(_ emit: (TrackEvent) -> Void) throws(TrackInputError.Reason)
}

/// NMEA 0183, by `NMEADecoder`. Lines that are no sentences are passed over, as in a replay.
struct NMEATrackDecoder: TrackDecoder {
  private var decoder: NMEADecoder

  init(device: String) {
    decoder = NMEADecoder(
      sourceInformation: LocationSourceInformation(device: device, isSimulatedBySoftware: false))
  }

  mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (TrackEvent) -> Void) {
    decoder.decode(bytes) { Self.handOn($0, emit) }
  }

  mutating func finish(_ emit: (TrackEvent) -> Void) throws(TrackInputError.Reason) {
    decoder.finish { Self.handOn($0, emit) }
    if decoder.statistics.sentences == 0 { throw .unknownKind }
  }

  private static func handOn(_ event: LocationSourceEvent, _ emit: (TrackEvent) -> Void) {
    switch event {
    case .location(let location): emit(.fix(location))
    case .noFix: emit(.gap)
    case .heading, .satellites, .status, .failed, .finished: break
    }
  }
}
