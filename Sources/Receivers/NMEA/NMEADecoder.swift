public import LocationKit
public import Replay

/// Decodes a stream of NMEA 0183 bytes into locations, headings and satellites, by gpsd's rules.
///
/// The bytes may come in pieces of any size; the pieces do not affect the result. The decoder accepts any bytes without
/// failing or growing, and counts what it refuses in `statistics`. It uses no file and no clock, allocates nothing for
/// a sentence and is a plain value: use one decoder for each receiver.
///
///     var decoder = NMEADecoder()
///     decoder.decode(bytes) { event in
///       if case .location(let location) = event { print(location.coordinate) }
///     }
///     decoder.finish { event in … }
///
/// The sentences of one time make one location, whatever their order. It goes out with the last of them once the
/// decoder has learned which sentence that is, and before that with the first of the next time. `finish` emits the last
/// one.
///
/// The decoder reads GGA, RMC, GLL, GNS, VTG, ZDA, GSA, GSV, GBS, HDT, HDG, HDM, THS of any talker; PUBX 00 and 04,
/// PASHR, PGRME, PGRMF, PGRMZ, PSRFEPE, PMGNST, PSTI 030 and 036, PTNTHTM. It accepts GST, which does not change a
/// location, as in gpsd.
public struct NMEADecoder: Sendable {
  /// Events are emitted after at most this many bytes, which bounds their number.
  static let pieceSize = 4096

  private var scanner = SentenceScanner()
  var interpreter: SentenceInterpreter

  /// Creates a decoder whose locations name a source. A strict one emits nothing
  /// after the first bad line, and names bad lines in `problems`.
  public init(sourceInformation: LocationSourceInformation? = nil, isStrict: Bool = false) {
    interpreter = SentenceInterpreter(sourceInformation: sourceInformation, isStrict: isStrict)
  }

  /// The counts so far.
  public var statistics: NMEAStatistics { interpreter.statistics }

  /// Whether the decoder makes no location after the first bad line.
  public var isStrict: Bool { interpreter.isStrict }

  /// The first ten bad lines that a strict decoder met. Always empty for other decoders.
  public var problems: [LineProblem] { interpreter.problems }

  /// The source that locations name.
  public var sourceInformation: LocationSourceInformation? {
    get { interpreter.sourceInformation }
    set { interpreter.sourceInformation = newValue }
  }

  /// Which events are made; all of them at first. Other values are decoded only as far as locations need them.
  public var interests: LocationSourceInterests {
    get { interpreter.interests }
    set { interpreter.interests = newValue }
  }

  /// The satellites of the last GSV series, if the interests included satellites. Making the list allocates.
  public var satellites: [Satellite] { interpreter.satellites }

  /// Decodes the next bytes and calls `emit` for each event that they complete, in order, before it returns.
  public mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (LocationSourceEvent) -> Void) {
    for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
      scan(UnsafeBufferPointer(rebasing: bytes[start..<min(start + Self.pieceSize, bytes.count)]))
      handOut(emit)
    }
  }

  /// Decodes the next bytes and calls `emit` for each event that they complete, in order, before it returns.
  public mutating func decode(_ bytes: Span<UInt8>, _ emit: (LocationSourceEvent) -> Void) {
    bytes.withUnsafeBufferPointer { decode($0, emit) }
  }

  /// Decodes the next bytes and calls `emit` for each event that they complete, in order, before it returns.
  public mutating func decode(_ bytes: some Sequence<UInt8>, _ emit: (LocationSourceEvent) -> Void) {
    let done: Void? = bytes.withContiguousStorageIfAvailable { decode($0, emit) }
    if done == nil { Array(bytes).withUnsafeBufferPointer { decode($0, emit) } }
  }

  /// Ends the input and emits the last epoch. Later bytes are decoded as a new stream with the same date.
  public mutating func finish(_ emit: (LocationSourceEvent) -> Void) {
    finish()
    handOut(emit)
  }

  // MARK: - For NMEASource, which also needs the time of each event

  /// Decodes the next bytes; `interpreter.events` then has the events that they complete.
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !interpreter.isDone else { return }
    interpreter.countBytes(bytes.count)
    scanner.scan(bytes, for: &interpreter)
  }

  /// Ends the input; `interpreter.events` then has the last events.
  mutating func finish() {
    if !interpreter.isDone { scanner.finish(for: &interpreter) }
    interpreter.finish()
  }

  private mutating func handOut(_ emit: (LocationSourceEvent) -> Void) {
    for timed in interpreter.events { emit(timed.event) }
    interpreter.removeEvents()
  }
}
