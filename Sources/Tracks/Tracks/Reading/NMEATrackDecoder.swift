import FoundationEssentials
import Glibc
import LocationKit
import NMEA
import Platform

/// NMEA 0183, by `NMEADecoder`. Noise between the sentences is ignored, as in a replay. A line that is a record of another
/// kind, such as a report of gpsd or an element of GPX, is skipped.
///
/// A recording may begin with sentences that have only a time of day, such as GGA. Their day is that of the first date
/// that follows, so the beginning is kept until there is a date.
struct NMEATrackDecoder: TrackDecoder {
  /// The number of bytes in which a date is searched: some hundred fixes.
  private static let longestHead = 1 << 16
  /// The number of bytes that are examined at a time.
  private static let pieceSize = 4096

  private var decoder: NMEADecoder
  /// The beginning, while no fix has a date; `nil` afterwards.
  private var head: [UInt8]? = []
  /// Reads the beginning in advance.
  private var scout = NMEADecoder()
  private var isOfGPSD = false
  /// Whether the scout has seen a fix without a time.
  private var isUndated = false
  private var line = 1
  private var lineHead: [UInt8] = []

  init(device: String) {
    decoder = NMEADecoder(sourceInformation: LocationSourceInformation(device: device, isSimulatedBySoftware: false))
    (decoder.interests, scout.interests) = (.locations, .locations)
  }

  mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void) {
    skipOthers(in: bytes, emit)
    guard head != nil else { return decoder.decode(bytes) { Self.forward($0, emit) } }
    if head?.isEmpty == true {
      isOfGPSD = String(decoding: bytes.prefix(Self.pieceSize), as: UTF8.self).contains(#"{"class":""#)
    }
    head? += bytes
    var date: Date?
    for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) where date == nil {
      date = look(at: UnsafeBufferPointer(rebasing: bytes[start..<min(start + Self.pieceSize, bytes.count)]))
    }
    if date != nil || head?.count ?? 0 > Self.longestHead { endHead(date, emit) }
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    if head != nil {
      var date: Date?
      scout.finish { if case .location(let fix) = $0 { date = date ?? fix.timestamp } }
      endHead(date, emit)
    }
    decoder.finish { Self.forward($0, emit) }
    if decoder.statistics.sentences == 0 { throw isOfGPSD ? .otherKind(TrackInputError.gpsd) : .unknownKind }
  }

  /// What gpspipe -r writes before the sentences.
  private static let greetings = ["VERSION", "DEVICES", "DEVICE", "WATCH"].map { Array(#"{"class":"\#($0)""#.utf8) }

  /// Skips the lines that are records of other kinds.
  private mutating func skipOthers(in bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void) {
    var rest = bytes
    while let start = rest.baseAddress, let first = lineHead.first ?? rest.first {
      let newline = memchr(start, 0x0A, rest.count).map { UnsafeRawPointer(start).distance(to: $0) }
      let isOther = first == UInt8(ascii: "<") || first == UInt8(ascii: "{")
      // The first byte is enough of a sentence that goes on in the next piece.
      if isOther || newline == nil {
        lineHead += rest.prefix(newline ?? rest.count).prefix((isOther ? 20 : 1) - lineHead.count)
      }
      guard let newline else { return }
      if isOther, !Self.greetings.contains(where: { lineHead.starts(with: $0) }) {
        emit(.skipped(RecordFault(.damaged, "is not NMEA 0183"), line: line))
      }
      rest = UnsafeBufferPointer(rebasing: rest[(newline + 1)...])
      line += 1
      lineHead.removeAll(keepingCapacity: true)
    }
  }

  /// Reads on in the beginning; returns the time of the first fix that has one.
  private mutating func look(at bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    var date: Date?
    scout.decode(bytes) { event in
      guard case .location(let fix) = event, date == nil else { return }
      date = fix.timestamp
      if date == nil { isUndated = true }
    }
    return date
  }

  /// Decodes the beginning. Fixes without a date get the day of the first date.
  private mutating func endHead(_ date: Date?, _ emit: (DecodedRecord) -> Void) {
    let bytes = head ?? []
    head = nil
    if let date, isUndated, let time = Self.firstTimeOfDay(bytes) {
      let seconds = date.timeIntervalSince1970
      let midnight = (seconds / 86_400).rounded(.down) * 86_400
      // If the first time of day is later than that of the date, midnight was between them.
      let day = CivilTime(secondsSince1970: midnight + time > seconds ? midnight - 86_400 : midnight).date
      let parts = day.split(separator: "-")
      let clock = CivilTime(secondsSince1970: time).time.filter { $0 != ":" }
      let fields = [clock] + parts.reversed().map(String.init) + ["00", "00"]
      let sentence = NMEASentence(address: "GPZDA", fields: fields)
      decoder.decode("\(sentence)\r\n".utf8) { _ in }
      // The rest is a new stream with the same date.
      decoder.finish { _ in }
    }
    bytes.withUnsafeBufferPointer { decoder.decode($0) { Self.forward($0, emit) } }
  }

  /// Seconds of the day in the first sentence with the time of a fix.
  private static func firstTimeOfDay(_ bytes: [UInt8]) -> Double? {
    var reader = NMEASentenceReader()
    var time: Double?
    func look(at sentence: NMEASentence) {
      guard time == nil, let index = ["GGA": 0, "GNS": 0, "GLL": 4][sentence.formatter],
        index < sentence.fields.count, let number = Double(sentence.fields[index]), (0..<240_000) ~= number
      else { return }
      let whole = Int(number)
      time = Double(whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100)
    }
    for start in stride(from: 0, to: bytes.count, by: pieceSize) where time == nil {
      reader.read(bytes[start..<min(start + pieceSize, bytes.count)], look)
    }
    if time == nil { reader.finish(look) }
    return time
  }

  private static func forward(_ event: LocationSourceEvent, _ emit: (DecodedRecord) -> Void) {
    switch event {
    case .location(let location): emit(.event(.fix(location)))
    case .noFix: emit(.event(.gap))
    case .heading, .satellites, .status, .failed, .finished: break
    }
  }
}
