public import LocationKit

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
/// The sentences of one time make one location, whatever their order. It goes out with the last of them, once the decoder
/// has learned which sentence that is; before that, with the first of the next time. `finish` hands out the last one.
///
/// Sentences read: GGA, RMC, GLL, GNS, VTG, ZDA, GSA, GSV, GBS, HDT, HDG, HDM, THS of any talker; PUBX 00 and 04,
/// PASHR, PGRME, PGRMF, PGRMZ, PSRFEPE, PMGNST, PSTI 030 and 036, PTNTHTM. GST is accepted and, as in gpsd, does
/// not change a location.
public struct NMEADecoder: Sendable {
  /// Bytes after which events are handed out, so that few of them wait.
  private static let pieceSize = 4096

  private var scanner = SentenceScanner()
  private var interpreter: SentenceInterpreter

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - sourceInformation: What the locations say of their source.
  ///   - isStrict: Whether to stop at the first bad line and name it in `problem`.
  public init(sourceInformation: LocationSourceInformation? = nil, isStrict: Bool = false) {
    interpreter = SentenceInterpreter(sourceInformation: sourceInformation, isStrict: isStrict)
  }

  /// What the decoder has met so far.
  public var statistics: NMEAStatistics { interpreter.statistics }

  /// Whether the decoder stops at the first bad line.
  public var isStrict: Bool { interpreter.isStrict }

  /// The bad line at which a strict decoder stopped; it takes nothing more. Always `nil` otherwise.
  public var problem: NMEAProblem? { interpreter.problem }

  /// What the locations say of their source.
  public var sourceInformation: LocationSourceInformation? {
    get { interpreter.sourceInformation }
    set { interpreter.sourceInformation = newValue }
  }

  /// Which events are made; all of them at first. What nobody wants is not decoded further than locations need.
  public var interests: LocationSourceInterests {
    get { interpreter.interests }
    set { interpreter.interests = newValue }
  }

  /// The satellites that the last GSV series named while the interests had satellites. Making the list allocates.
  public var satellites: [Satellite] { interpreter.satellites }

  /// Takes the next bytes and calls `emit` for everything they complete, in order, before it returns.
  public mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (LocationSourceEvent) -> Void) {
    for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
      scan(UnsafeBufferPointer(rebasing: bytes[start..<min(start + Self.pieceSize, bytes.count)]))
      handOut(emit)
    }
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
    finish()
    handOut(emit)
  }

  // MARK: - For NMEASource, which wants the time of each event, too

  /// What has come up and has not been removed.
  var events: [SentenceInterpreter.TimedEvent] { interpreter.events }

  /// Whether any event has come up, or would have if somebody had wanted it.
  var hasNews: Bool { interpreter.hasNews }

  mutating func removeEvents() {
    interpreter.removeEvents()
  }

  /// Takes the next bytes; what they complete is in `events` then.
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !interpreter.isDone else { return }
    interpreter.countBytes(bytes.count)
    scanner.scan(bytes, for: &interpreter)
  }

  /// Takes note of a pause in a live input: what follows begins another cycle of the receiver.
  mutating func noteSilence() {
    interpreter.noteSilence()
  }

  /// Ends the input; the last events are in `events` then.
  mutating func finish() {
    if !interpreter.isDone { scanner.finish(for: &interpreter) }
    interpreter.finish()
  }

  private mutating func handOut(_ emit: (LocationSourceEvent) -> Void) {
    for timed in events { emit(timed.event) }
    removeEvents()
  }
}
