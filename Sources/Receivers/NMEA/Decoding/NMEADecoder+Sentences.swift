import FoundationEssentials
import LocationKit

extension NMEADecoder {
  /// Judges one framed sentence and, if it is good, reads it.
  @inline(__always)
  mutating func takeSentence(
    _ base: UnsafePointer<UInt8>, _ frame: SentenceFrame, terminator: UInt8, _ table: UnsafeMutablePointer<UInt16>,
    _ emit: Emit
  ) {
    lineState.isAfterCarriageReturn = false
    let fields = NMEAFields(base: base + 1, starts: UnsafePointer(table), count: frame.fieldCount)
    let addressLength = fields.length(0)
    // Binary data has dollars too. Without an address it is not a sentence gone bad but no sentence at all.
    guard addressLength >= 3, frame.fieldCount >= 2 || frame.checksum == .good, Self.isAddress(fields.bytes(0)) else {
      if lineState.content != .comment { lineState.content = .noise }
      return
    }
    if lineState.content == .empty || lineState.content == .tagBlock { lineState.content = .known }
    switch frame.checksum {
    case .good: break
    case .missing:
      guard Self.isAcceptable(frame, endedBy: terminator) else {
        note(.malformed, "sentence is cut off")
        return
      }
    case .cutOff:
      note(.malformed, "checksum is cut off")
      return
    case .bad:
      note(.checksum, "checksum does not fit the sentence")
      return
    }
    statistics.sentences += 1
    guard base[0] == UInt8(ascii: "$") else {
      statistics.unsupported += 1
      return
    }
    read(fields, addressLength, emit)
  }

  /// Whether a sentence is whole: by its checksum or, as gpsd has it, without one by its line end.
  static func isAcceptable(_ frame: SentenceFrame, endedBy byte: UInt8) -> Bool {
    switch frame.checksum {
    case .good: true
    case .missing: byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    case .bad, .cutOff: false
    }
  }

  @inline(__always)
  private static func isAddress(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    for byte in bytes where (byte | 0x20) &- 0x61 >= 26 && byte &- 0x30 >= 10 && byte != UInt8(ascii: " ") {
      return false
    }
    return true
  }

  @inline(__always)
  private mutating func read(_ f: NMEAFields, _ addressLength: Int, _ emit: Emit) {
    let kind = NMEASentenceKind.of(f.base, length: addressLength)
    let isGSV = kind == .gsv
    if areSatellitesNew, !isGSV { emitSatellites(emit) }
    tracker.sentence(isGSA: kind == .gsa, isGSV: isGSV)
    guard kind != .unsupported else {
      statistics.unsupported += 1
      return
    }
    guard f.count >= kind.minimumFieldCount else {
      note(.malformed, "too few fields")
      return
    }
    report.contents = []
    switch kind {
    case .gga: readGGA(f)
    case .rmc: readRMC(f)
    case .gsa: readGSA(f)
    case .gsv:
      readGSV(f)
      areSatellitesNew = true
    case .vtg: readVTG(f)
    case .gll: readGLL(f)
    case .zda: readZDA(f)
    case .gns: readGNS(f)
    case .gbs: readGBS(f)
    case .bwc: readBWC(f)
    case .gst, .accuracy: break
    case .hdt, .hdg, .hdm, .ths, .ptnthtm, .pashr, .psti, .pubx: readOther(f, kind, emit)
    case .pgrme: readPGRME(f)
    case .pgrmf: readPGRMF(f)
    case .pgrmz: readPGRMZ(f)
    case .pmgnst: readPMGNST(f)
    case .psrfepe: readPSRFEPE(f)
    case .unsupported: break
    }
    if problem != nil { return }
    if report.contents.isEmpty, !kind.continuesCycle { return }
    if report.contents.contains(.seriesContinues) { return }
    merge(kind, emit)
  }

  /// The ones that may carry a heading, or be of an unknown subtype.
  private mutating func readOther(_ f: NMEAFields, _ kind: NMEASentenceKind, _ emit: Emit) {
    heading = Heading()
    switch kind {
    case .hdt: readHDT(f)
    case .hdg: readHDG(f)
    case .hdm: readHDM(f)
    case .ths: readTHS(f)
    case .ptnthtm: readPTNTHTM(f)
    case .pashr: readPASHR(f)
    case .psti: if !readPSTI(f) { statistics.unsupported += 1 }
    case .pubx: if !readPUBX(f) { statistics.unsupported += 1 }
    default: break
    }
    if heading.trueHeading != nil || heading.magneticHeading != nil {
      if report.contents.contains(.time), report.fix.time > 0 {
        heading.timestamp = Date(timeIntervalSince1970: Double(report.fix.time) / 1e9)
      }
      emit(.heading(heading), nil)
    }
  }

  @inline(__always)
  private mutating func merge(_ kind: NMEASentenceKind, _ emit: Emit) {
    if assembler.begin(&report, of: kind) { emitEpoch(emit) }
    if assembler.merge(report, of: kind) { emitEpoch(emit) }
  }

  /// Hands one epoch out.
  @inline(never)
  mutating func emitEpoch(_ emit: Emit) {
    emitSatellites(emit)
    let fix = assembler.fix
    let seconds = fix.time > 0 ? Double(fix.time) / 1e9 : fix.timeOfDay >= 0 ? Double(fix.timeOfDay) / 1e9 : nil
    let location = fix.location(
      after: assembler.previous, satellitesUsed: fix.satelliteCount >= 0 ? Int(fix.satelliteCount) : tracker.usedCount,
      satellitesSeen: tracker.seenCount,
      source: sourceInformation)
    if let location {
      statistics.locations += 1
      emit(.location(location), seconds)
    } else if fix.mode == .noFix {
      statistics.epochsWithoutFix += 1
      emit(.noFix, seconds)
    }
  }

  /// Says how many satellites there are, when that changed.
  mutating func emitSatellites(_ emit: Emit) {
    areSatellitesNew = false
    guard let seen = tracker.seenCount else { return }
    let used = tracker.usedCount ?? 0
    if let last = lastSatellites, last == (seen, used) { return }
    lastSatellites = (seen, used)
    emit(.satellites(seen: seen, used: used), nil)
  }
}
