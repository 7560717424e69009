import FoundationEssentials
import LocationKit
import Replay

/// Turns sentences into events: it reads each sentence, keeps the satellites and the current epoch, and counts.
struct SentenceInterpreter: SentenceConsumer, Sendable {
  struct TimedEvent: Sendable {
    let event: LocationSourceEvent
    /// The time of its epoch: seconds since 1970, or since midnight without a date. `nil` for an event without an
    /// epoch.
    let time: Double?
  }

  private(set) var statistics = NMEAStatistics()
  private(set) var problems: [LineProblem] = []
  /// The events that have not been removed.
  private(set) var events: [TimedEvent] = []
  let isStrict: Bool
  var sourceInformation: LocationSourceInformation?
  var interests = LocationSourceInterests.all {
    didSet {
      tracker.keepsPlaces = interests.contains(.satellites)
      // A later subscriber to satellites gets the next series even if it has not changed.
      if !tracker.keepsPlaces { lastSatellites = nil }
    }
  }
  /// Whether a sentence has made an event, or would have with all interests.
  private(set) var hasNews = false

  private var tracker = SatelliteTracker()
  private var assembler = EpochAssembler()
  private var latch = GGALatch()
  private var lastSatellites: [Satellite]?
  /// Whether a GSV has come since the satellites were last compared.
  private var areSatellitesNew = false
  /// Whether a GSA has come since then.
  private var areUsedNew = false

  init(sourceInformation: LocationSourceInformation?, isStrict: Bool) {
    self.sourceInformation = sourceInformation
    self.isStrict = isStrict
  }

  /// The most bad lines that a strict decoder names.
  private static let mostProblems = 10

  var isDone: Bool { problems.count == Self.mostProblems }

  var satellites: [Satellite] { tracker.satellites }

  mutating func removeEvents() { events.removeAll(keepingCapacity: true) }

  mutating func countBytes(_ count: Int) { statistics.bytes += count }

  mutating func endLine() { statistics.lines += 1 }

  /// Notes a pause in a live input, after which the receiver begins another cycle.
  mutating func noteSilence() { assembler.expectNext() }

  mutating func receive(tagTime time: Int64) { assembler.receive(tagTime: time) }

  mutating func refuse(_ kind: LineProblem.Kind, _ reason: StaticString) { note(kind, "\(reason)") }

  /// Emits the last epoch. A strict decoder does so at the first bad line.
  mutating func finish() {
    guard problems.isEmpty else { return }
    if assembler.flush() { emitEpoch() }
    emitSatellites()
  }

  mutating func receive(_ sentence: NMEAFields, hadChecksum: Bool) {
    statistics.sentences += 1
    let kind = sentence.isEncapsulated ? .unsupported : NMEASentenceKind(address: sentence.bytes(0))
    if !sentence.isEncapsulated {
      if areSatellitesNew, kind != .gsv { emitSatellites() }
      tracker.sentence(isGSA: kind == .gsa, isGSV: kind == .gsv)
    }
    guard kind != .unsupported else {
      statistics.unsupported += 1
      return
    }
    guard sentence.count >= kind.minimumFieldCount else {
      note(.malformed, "too few fields")
      return
    }
    if kind == .gsv { readGSV(sentence) } else { read(sentence, kind) }
  }

  private mutating func readGSV(_ f: NMEAFields) {
    if !tracker.readGSV(f) { note(.malformed, "GSV of \(f.count) fields") }
    areSatellitesNew = true
    hasNews = true
  }

  private mutating func read(_ f: NMEAFields, _ kind: NMEASentenceKind) {
    var report = SentenceReport()
    switch kind {
    case .gga:
      latch.look(atGGA: f)
      report.read(gga: f)
    case .rmc: report.read(rmc: f)
    case .gsa:
      // If the GGA's time stands still, its GSA is unreliable, too.
      if latch.isTimeStandingStill { return }
      tracker.readGSA(f)
      areUsedNew = true
      report.read(gsa: f)
    case .gll: report.read(gll: f)
    case .gns: report.read(gns: f)
    case .vtg: report.read(vtg: f)
    case .zda: report.read(zda: f)
    case .gbs: report.read(gbs: f)
    case .bwc: report.read(bwc: f)
    case .hdt, .ptnthtm: report.read(hdt: f)
    case .hdg: report.read(hdg: f)
    case .hdm: report.read(hdm: f)
    case .ths: report.read(ths: f)
    case .pashr: report.read(pashr: f)
    case .psti: report.read(psti: f)
    case .pubx: report.read(pubx: f)
    case .pgrme: report.read(pgrme: f)
    case .pgrmf: report.read(pgrmf: f)
    case .pgrmz: report.read(pgrmz: f)
    case .pmgnst: report.read(pmgnst: f)
    case .psrfepe: report.read(psrfepe: f)
    // As in gpsd, GST and ACCURACY do not change a location.
    case .gst, .accuracy: break
    case .gsv, .unsupported: return
    }
    add(&report, of: kind)
  }

  private mutating func add(_ report: inout SentenceReport, of kind: NMEASentenceKind) {
    for problem in report.problems { note(problem.kind, problem.description) }
    if report.isUnsupported { statistics.unsupported += 1 }
    if !problems.isEmpty { return }
    assembler.place(&report)
    if report.heading != nil { hasNews = true }
    if interests.contains(.headings), var heading = report.heading {
      heading.timestamp = report.fixTime.map { Date(timeIntervalSince1970: Double($0) / 1e9) }
      events.append(TimedEvent(event: .heading(heading), time: nil))
    }
    if assembler.begin(&report, of: kind) { emitEpoch() }
    if assembler.merge(&report, of: kind, satellitesUsed: tracker.usedCount) { emitEpoch() }
  }

  private mutating func emitEpoch() {
    emitSatellites()
    let location = assembler.epoch.location(
      after: assembler.previous, dilution: assembler.dilution, satellitesUsed: tracker.usedCount,
      satellitesSeen: tracker.seenCount, source: sourceInformation)
    if let location {
      statistics.locations += 1
      events.append(TimedEvent(event: .location(location), time: assembler.epoch.seconds))
    } else if assembler.epoch.mode == .noFix {
      statistics.epochsWithoutFix += 1
      events.append(TimedEvent(event: .noFix, time: assembler.epoch.seconds))
    }
  }

  private mutating func emitSatellites() {
    guard problems.isEmpty, areSatellitesNew || areUsedNew, tracker.seenCount != nil, tracker.hasAllPlaces else {
      return
    }
    (areSatellitesNew, areUsedNew) = (false, false)
    let satellites = tracker.satellites
    guard satellites != lastSatellites else { return }
    lastSatellites = satellites
    events.append(TimedEvent(event: .satellites(satellites), time: nil))
  }

  /// Counts a problem. A strict decoder remembers it and emits nothing more.
  private mutating func note(_ kind: LineProblem.Kind, _ reason: @autoclosure () -> String) {
    switch kind {
    case .checksum: statistics.checksum += 1
    case .malformed: statistics.malformed += 1
    case .outOfRange: statistics.outOfRange += 1
    }
    if isStrict, !isDone, problems.last?.line != statistics.lines + 1 {
      finish()
      problems.append(LineProblem(kind: kind, line: statistics.lines + 1, reason: reason()))
    }
  }
}

/// Detects a GGA that repeats the time of the one before it.
///
/// A receiver that has lost its satellites may repeat its last GGA and GSA, so a time that stands still is unreliable.
/// Some receivers send a GGA for each talker, all with one time. gpsd calls this the latch mode.
private struct GGALatch {
  private var talker: UInt8?
  private var timestamp: [UInt8] = []
  private(set) var isTimeStandingStill = false

  mutating func look(atGGA f: NMEAFields) {
    let isOtherTalker = talker != nil && talker != f.talker
    isTimeStandingStill = !isOtherTalker && f.bytes(1).elementsEqual(timestamp)
    talker = f.talker
    if !isTimeStandingStill {
      timestamp.removeAll(keepingCapacity: true)
      timestamp.append(contentsOf: f.bytes(1))
    }
  }
}
