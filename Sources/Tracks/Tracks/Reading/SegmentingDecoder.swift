/// A decoder with the gaps that the times of a recording show, or with its silences where it says itself where its gaps are.
struct SegmentingDecoder<Base: TrackDecoder>: TrackDecoder {
  private var base: Base
  private var gaps: GapFinder

  init(_ base: Base, gapAfter: Double?, knowsSegments: Bool = false) {
    (self.base, gaps) = (base, GapFinder(gapAfter: gapAfter, knowsSegments: knowsSegments))
  }

  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void
  ) throws(TrackInputError.Reason) {
    try base.decode(bytes) { Self.handOn($0, &gaps, emit) }
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    defer { gaps.finish { emit(.event($0)) } }
    try base.finish { Self.handOn($0, &gaps, emit) }
  }

  private static func handOn(_ record: DecodedRecord, _ gaps: inout GapFinder, _ emit: (DecodedRecord) -> Void) {
    switch record {
    case .event(let event): gaps.add(event) { emit(.event($0)) }
    case .skipped(let fault, _):
      // A record stays between the events around it. What a value says of the pace is known.
      if !fault.kind.isValue { gaps.settle { emit(.event($0)) } }
      emit(record)
    }
  }
}
