import LocationKit
import Platform
import Records
import SystemPackage

/// Reads recordings as tracks: NMEA 0183, records of gpsd, GPX 1.0 and 1.1, KML, GeoJSON, this program's JSON lines and
/// CSV, and files of OwnTracks Recorder, each also gzipped. The kind is recognised by the content, not by the name.
public enum TrackReader {
  /// Reads one input to its end, on the calling thread, in constant memory.
  ///
  /// A record that cannot be used is skipped, such as a line torn by a crash or a latitude of 95. An unreadable value,
  /// such as the time `0000-00-00`, costs that value alone. The error that is thrown at the end counts both.
  ///
  /// - Parameters:
  ///   - input: What to read. Several make one track when they are read in a row with a `.gap` between them.
  ///   - gapAfter: Seconds between two fixes beyond which there is a gap, as in `GapFinder`. A segment of GPX, KML,
  ///     GeoJSON or CSV is a continuous way, whatever the times are; there it is a silence.
  ///   - progress: Counts the bytes, and can end the reading early.
  ///   - onSkip: Called for each record that is skipped, between the events around it, and for each such value.
  ///   - onName: Called for the name of each track and waypoint of GPX.
  ///   - body: Called for each event, in order, before the call returns or throws.
  /// - Throws: Why the input was not read, not to its end, or not with every record; the body has received all good
  ///   events.
  public static func read(
    _ input: TrackInput, gapAfter: Double? = nil, progress: TrackProgress? = nil,
    onSkip: (SkippedRecord) -> Void = { _ in }, onName: (TrackName) -> Void = { _ in },
    _ body: (TrackEvent) -> Void
  ) throws(TrackInputError) {
    var content = TrackContent(device: input.device, gapAfter: gapAfter)
    var (skipped, hasFix) = (SkippedRecords(), false)
    func handle(_ record: DecodedRecord) {
      switch record {
      case .event(let event):
        if case .fix = event { hasFix = true }
        body(event)
      case .skipped(let fault, let line):
        let record = SkippedRecord(fault.kind, input: input.device, line: line, problem: fault.words)
        skipped.add(record)
        onSkip(record)
      case .name(let name): onName(name)
      }
    }
    do {
      try InputBytes(input: input, progress: progress).read { try content.read($0, handle) }
      if progress?.isCancelled == true { return content.endEarly(body) }
      try content.end(handle)
      if !hasFix { throw TrackInputError.Reason.noFixes }
      if !skipped.isEmpty { throw TrackInputError.Reason.skippedRecords }
    } catch let reason as TrackInputError.Reason {
      content.endEarly(body)
      throw TrackInputError(input: input.name, reason: reason, skipped: skipped)
    } catch {
      content.endEarly(body)
      let problem = error as? GzipError ?? .damaged
      throw TrackInputError(input: input.name, reason: .badGzip(problem.description), skipped: skipped)
    }
  }
}

/// Passes the bytes of one input to the decoder of their kind.
private struct TrackContent {
  private let device: String
  private let gapAfter: Double?
  private var head: [UInt8] = []
  private var decoder: (any TrackDecoder)?
  /// Whether the decoder has ended the input, or has refused it.
  private var hasEnded = false

  init(device: String, gapAfter: Double?) { (self.device, self.gapAfter) = (device, gapAfter) }

  mutating func read(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (DecodedRecord) -> Void
  ) throws(TrackInputError.Reason) {
    hasEnded = true
    if decoder != nil {
      try decoder?.decode(bytes, body)
    } else {
      head += bytes
      if let kind = TrackKind(head: head) { try begin(kind, body) }
    }
    hasEnded = false
  }

  mutating func end(_ body: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    hasEnded = true
    // The last line counts even if its end is missing.
    if decoder == nil { try begin(TrackKind(head: head + [0x0A], isWhole: true) ?? .nmea, body) }
    try decoder?.finish(body)
  }

  /// Emits the records that were complete when the bytes ended too early. The decoder's own complaint is about that
  /// end, so it is ignored.
  mutating func endEarly(_ body: (TrackEvent) -> Void) {
    if !hasEnded { try? end { if case .event(let event) = $0 { body(event) } } }
  }

  private mutating func begin(_ kind: TrackKind, _ body: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    switch kind {
    case .nmea: decoder = SegmentingDecoder(NMEATrackDecoder(device: device), gapAfter: gapAfter)
    case .jsonLines: decoder = SegmentingDecoder(LineDecoder(NDJSONLines()), gapAfter: gapAfter)
    case .csv:
      let knowsSegments = CSVLines.knowsSegments(head)
      decoder = SegmentingDecoder(LineDecoder(CSVLines()), gapAfter: gapAfter, knowsSegments: knowsSegments)
    case .recorder: decoder = SegmentingDecoder(LineDecoder(RecorderLines()), gapAfter: gapAfter)
    case .gpsd: decoder = SegmentingDecoder(LineDecoder(GPSDLines()), gapAfter: gapAfter)
    case .xml(let wideEncoding):
      decoder = SegmentingDecoder(
        try XMLTrackDecoder(wideEncoding: wideEncoding), gapAfter: gapAfter, knowsSegments: true)
    case .geoJSON: decoder = GeoJSONTrackDecoder()
    case .text(let encoding): throw .encoding(encoding)
    case .other(let words): throw .otherKind(words)
    }
    let start = head
    head = []
    try start.withUnsafeBufferPointer { (bytes) throws(TrackInputError.Reason) in try decoder?.decode(bytes, body) }
  }
}

/// A decoder that adds the gaps that the times of a recording show, or silences if the recording marks its own gaps.
struct SegmentingDecoder<Base: TrackDecoder>: TrackDecoder {
  private var base: Base
  private var gaps: GapFinder

  init(_ base: Base, gapAfter: Double?, knowsSegments: Bool = false) {
    (self.base, gaps) = (base, GapFinder(gapAfter: gapAfter, knowsSegments: knowsSegments))
  }

  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void
  ) throws(TrackInputError.Reason) {
    do {
      try base.decode(bytes) { Self.forward($0, &gaps, emit) }
    } catch {
      gaps.finish { emit(.event($0)) }
      throw error
    }
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    defer { gaps.finish { emit(.event($0)) } }
    try base.finish { Self.forward($0, &gaps, emit) }
  }

  private static func forward(_ record: DecodedRecord, _ gaps: inout GapFinder, _ emit: (DecodedRecord) -> Void) {
    switch record {
    case .event(let event): gaps.add(event) { emit(.event($0)) }
    case .skipped(let fault, _):
      // A record stays between the events around it. A faulty value does not affect the pace.
      if !fault.kind.isValue { gaps.settle { emit(.event($0)) } }
      emit(record)
    case .name: emit(record)
    }
  }
}

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
