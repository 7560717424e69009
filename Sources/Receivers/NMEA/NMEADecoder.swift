public import LocationKit
import FoundationEssentials

/// Decodes a stream of NMEA 0183 bytes into locations, headings and satellites, by gpsd's rules.
///
/// The bytes may come in pieces of any size: how they are cut changes nothing. Whatever they are, the decoder
/// neither fails nor grows; what it refuses it counts in `statistics`. It keeps no file and no clock, allocates
/// nothing for a sentence and is a plain value: one decoder for each receiver.
///
///     var decoder = NMEADecoder()
///     decoder.decode(bytes) { event in
///       if case .location(let location) = event { print(location.coordinate) }
///     }
///     decoder.finish { event in … }
///
/// The sentences of one time make one location. It goes out with the last of them, once the decoder has seen
/// which sentence that is; before that, with the first of the next time. `finish` hands out the last one.
///
/// Sentences read: GGA, RMC, GLL, GNS, VTG, ZDA, GSA, GSV, GBS, HDT, HDG, HDM, THS of any talker; PUBX 00 and 04,
/// PASHR, PGRME, PGRMF, PGRMZ, PSRFEPE, PMGNST, PSTI 030 and 036, PTNTHTM. GST is accepted and, as in gpsd, does
/// not change a location.
public struct NMEADecoder: Sendable {
  /// What the decoder has met so far.
  public internal(set) var statistics = NMEAStatistics()

  /// Whether the decoder stops at the first bad line.
  public let isStrict: Bool

  /// The bad line at which a strict decoder stopped; it takes nothing more. Always `nil` otherwise.
  public internal(set) var problem: NMEAProblem?

  /// What the locations say of their source.
  public var sourceInformation: LocationSourceInformation?

  /// The satellites that the last GSV series named. Making the list allocates.
  public var satellites: [NMEASatellite] { tracker.satellites }

  // Framing: what is left of the last piece.
  var pending: [UInt8] = []
  var isOverlong = false
  var lineState = NMEALineState()

  // Meaning.
  var clock = ReceiverClock()
  var tracker = SatelliteTracker()
  var assembler = EpochAssembler()
  var report = SentenceReport()
  var heading = Heading()
  var lastGGATalker: UInt8 = 0
  var lastGGATimestamp: [UInt8] = []
  var isTimeStandingStill = false
  var lastSatellites: (seen: Int, used: Int)?
  var areSatellitesNew = false

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - sourceInformation: What the locations say of their source.
  ///   - isStrict: Whether to stop at the first bad line and name it in `problem`.
  public init(sourceInformation: LocationSourceInformation? = nil, isStrict: Bool = false) {
    self.sourceInformation = sourceInformation
    self.isStrict = isStrict
    pending.reserveCapacity(Self.sentenceLimit + 1)
    lastGGATimestamp.reserveCapacity(32)
  }

  /// Takes the next bytes and calls `emit` for everything they complete, in order, before it returns.
  public mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (LocationSourceEvent) -> Void) {
    consume(bytes) { event, _ in emit(event) }
  }

  /// Takes the next bytes and calls `emit` for everything they complete, in order, before it returns.
  public mutating func decode(_ bytes: Span<UInt8>, _ emit: (LocationSourceEvent) -> Void) {
    bytes.withUnsafeBufferPointer { decode($0, emit) }
  }

  /// Takes the next bytes and calls `emit` for everything they complete, in order, before it returns.
  public mutating func decode(_ bytes: some Sequence<UInt8>, _ emit: (LocationSourceEvent) -> Void) {
    let done: Void? = bytes.withContiguousStorageIfAvailable { decode($0, emit) }
    if done == nil { Array(bytes).withUnsafeBufferPointer { decode($0, emit) } }
  }

  /// Ends the input: hands out the last epoch. What follows is decoded as a new stream with the same date.
  public mutating func finish(_ emit: (LocationSourceEvent) -> Void) {
    end { event, _ in emit(event) }
  }
}
