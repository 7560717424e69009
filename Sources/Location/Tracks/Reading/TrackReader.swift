import Gzip
import SystemPackage

/// Reads recordings as tracks: NMEA 0183, this program's JSON lines, GPX 1.0 and 1.1, each also gzipped. The kind is
/// recognised by the content, not by the name.
public enum TrackReader {
  /// Reads one input to its end, on the calling thread, in constant memory.
  ///
  /// - Parameters:
  ///   - input: What to read. Several make one track when they are read in a row with a `.gap` between them.
  ///   - progress: Counts the bytes, and can end the reading early.
  ///   - body: Called for each event, in order, before the call returns or throws.
  /// - Throws: Why it was not read, or not to its end; the body has had everything good before that.
  public static func read(
    _ input: TrackInput, progress: TrackProgress? = nil, _ body: (TrackEvent) -> Void
  ) throws(TrackInputError) {
    var content = TrackContent(device: input.device)
    do {
      try InputBytes(input, progress: progress).read { try content.take($0, body) }
      if progress?.isCancelled == true { return content.endEarly(body) }
      try content.end(body)
      if !content.hasFix { throw TrackInputError.Reason.noFixes }
    } catch let reason as TrackInputError.Reason {
      content.endEarly(body)
      throw TrackInputError(input: input.name, reason: reason)
    } catch {
      content.endEarly(body)
      let problem = error as? GzipError ?? .damaged
      throw TrackInputError(input: input.name, reason: .badGzip(problem.description))
    }
  }
}

/// The bytes of one input on their way to the decoder of their kind.
private struct TrackContent {
  /// Whether there was a fix.
  private(set) var hasFix = false
  private let device: String
  private var head: [UInt8] = []
  private var decoder: (any TrackDecoder)?
  private var hasFailed = false

  init(device: String) { self.device = device }

  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (TrackEvent) -> Void) throws(TrackInputError.Reason) {
    if decoder != nil { return try decode(bytes, body) }
    head += bytes
    guard let kind = TrackKind(head: head) else { return }
    try begin(kind, body)
  }

  mutating func end(_ body: (TrackEvent) -> Void) throws(TrackInputError.Reason) {
    if decoder == nil { try begin(.nmea, body) }
    guard var decoder else { return }
    var hasFix = hasFix
    defer { self.hasFix = hasFix }
    try decoder.finish {
      if case .fix = $0 { hasFix = true }
      body($0)
    }
  }

  /// Hands out what was complete when the bytes ended too early; the decoder's own complaint adds nothing then.
  mutating func endEarly(_ body: (TrackEvent) -> Void) {
    if !hasFailed { try? end(body) }
  }

  private mutating func begin(_ kind: TrackKind, _ body: (TrackEvent) -> Void) throws(TrackInputError.Reason) {
    switch kind {
    case .nmea: decoder = NMEATrackDecoder(device: device)
    case .jsonLines: decoder = NDJSONTrackDecoder()
    case .gpx: decoder = try GPXTrackDecoder()
    }
    let start = head
    head = []
    try start.withUnsafeBufferPointer { (bytes) throws(TrackInputError.Reason) in try decode(bytes, body) }
  }

  private mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (TrackEvent) -> Void
  ) throws(TrackInputError.Reason) {
    var hasFix = hasFix
    defer { self.hasFix = hasFix }
    do {
      try decoder?.decode(bytes) {
        if case .fix = $0 { hasFix = true }
        body($0)
      }
    } catch {
      hasFailed = true
      throw error
    }
  }
}

/// The kinds of recordings.
private enum TrackKind {
  case nmea
  case jsonLines
  case gpx

  /// Recognises a kind by the first bytes; `nil` while there are too few.
  init?(head: [UInt8]) {
    var rest = head[...]
    // The byte order marks of UTF-16.
    if rest.starts(with: [0xFE, 0xFF]) || rest.starts(with: [0xFF, 0xFE]) {
      self = .gpx
      return
    }
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    switch rest.first {
    case nil: return nil
    case UInt8(ascii: "<"): self = .gpx
    case UInt8(ascii: "{"):
      // gpspipe -r writes gpsd's greeting before the sentences.
      let greeting = Array(#"{"class":"#.utf8)
      if rest.count < greeting.count, greeting.starts(with: rest) { return nil }
      self = rest.starts(with: greeting) ? .nmea : .jsonLines
    default: self = .nmea
    }
  }
}
