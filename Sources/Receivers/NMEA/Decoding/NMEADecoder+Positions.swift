extension NMEADecoder {
  /// GGA: time, position, quality, satellites, HDOP, altitude, geoid.
  mutating func readGGA(_ f: NMEAFields) {
    let quality = f.isEmpty(6) ? -1 : f.int(6)
    let talker = f.base[1]
    // A receiver that lost its satellites may repeat its last GGA and GSA: a time that stands still
    // is not to be trusted. Some send one GGA a talker, all of one time.
    let timestamp = f.bytes(1)
    let isOtherTalker = lastGGATalker != 0 && lastGGATalker != talker
    isTimeStandingStill = !isOtherTalker && timestamp.elementsEqual(lastGGATimestamp)
    lastGGATalker = talker
    if !isTimeStandingStill {
      lastGGATimestamp.removeAll(keepingCapacity: true)
      lastGGATimestamp.append(contentsOf: timestamp)
    }
    switch quality {
    case 0:
      report.fix.status = .unknown
      report.contents.insert(.status)
      if f.isEmpty(1) { loseTime() }
    case 1...8:
      report.fix.status = Self.status(quality: quality)
      report.contents.insert(.status)
    default: break
    }
    readTime(f, 1)
    report.fix.mode = .noFix
    if readPosition(f, 2) {
      let satellites = f.int(7)
      report.fix.mode = .twoDimensional
      read(f, 11, .geoidSeparation, \.geoidSeparation)
      if read(f, 9, .altitude, \.altitude), satellites >= 4 { report.fix.mode = .threeDimensional }
      if satellites < 3 || quality == 0 { report.fix.mode = .noFix }
      report.fix.satelliteCount = Int32(truncatingIfNeeded: satellites)
      report.contents.insert(.satelliteCount)
    }
    report.contents.insert(.mode)
    readHorizontalDilution(f, 8)
  }

  /// GNS: as GGA, with a mode letter for each constellation.
  mutating func readGNS(_ f: NMEAFields) {
    readTime(f, 1)
    guard let indicator = Self.bestIndicator(f.bytes(6)) else {
      report.fix.mode = .noFix
      report.contents.insert(.mode)
      return
    }
    // Navigational status: unsafe, or not valid.
    if f.first(13) == UInt8(ascii: "U") || f.first(13) == UInt8(ascii: "V") { return }
    report.fix.mode = .noFix
    if readPosition(f, 2) {
      let satellites = f.int(7)
      report.fix.mode = .twoDimensional
      if read(f, 9, .altitude, \.altitude) {
        if satellites > 3 { report.fix.mode = .threeDimensional }
        read(f, 10, .geoidSeparation, \.geoidSeparation)
      }
      report.fix.satelliteCount = Int32(truncatingIfNeeded: satellites)
      report.contents.insert(.satelliteCount)
    }
    readHorizontalDilution(f, 8)
    report.fix.status = Self.status(indicator: indicator)
    report.contents.formUnion([.mode, .status])
  }

  /// RMC: time, status, position, speed, course, date.
  mutating func readRMC(_ f: NMEAFields) {
    guard f.first(2) == UInt8(ascii: "A") || f.first(2) == UInt8(ascii: "D") else {
      report.fix.mode = .noFix
      report.fix.status = .unknown
      report.contents.formUnion([.mode, .status])
      if f.isEmpty(1) || f.isEmpty(9) { loseTime() }
      return
    }
    readTimeAndDate(f, time: 1, date: 9)
    report.fix.status = f.first(2) == UInt8(ascii: "D") ? .differential : .gps
    if readPosition(f, 3) {
      // RMC does not tell the dimension; the last epoch's is the best guess.
      report.fix.mode = assembler.lastMode == .threeDimensional ? .threeDimensional : .twoDimensional
    } else {
      report.fix.mode = .noFix
      report.fix.status = .unknown
    }
    readKnots(f, 7)
    readCourse(f, 8)
    if f.count > 12 { report.fix.status = Self.status(indicator: f.first(12)) }
    // Some receivers send nothing but RMC, or RMC and GSA.
    if (tracker.usedCount ?? 0) > 3 || assembler.fix.hasAltitude { report.fix.mode = .threeDimensional }
    report.contents.formUnion([.mode, .status])
  }

  /// GLL: position, time, status.
  mutating func readGLL(_ f: NMEAFields) {
    readTime(f, 5)
    report.contents.formUnion([.mode, .status])
    report.fix.mode = .noFix
    report.fix.status = .unknown
    guard f.first(6) == UInt8(ascii: "A"), f.first(7) != UInt8(ascii: "N"), readPosition(f, 1) else { return }
    report.fix.status = f.count >= 8 ? Self.status(indicator: f.first(7)) : .gps
    if assembler.fix.hasAltitude || (tracker.usedCount ?? 0) > 3 {
      report.fix.mode = .threeDimensional
    } else if assembler.fix.mode < .twoDimensional || !assembler.previous.hasAltitude {
      report.fix.mode = .twoDimensional
    } else {
      // A GLL does not know the dimension: it keeps the one there was.
      report.fix.mode = assembler.fix.mode
    }
  }

  private static func status(quality: Int) -> Fix.Status {
    switch quality {
    case 1: .gps
    case 2: .differential
    case 3: .precise
    case 4: .rtkFixed
    case 5: .rtkFloat
    case 6: .deadReckoning
    case 7: .surveyed
    default: .simulated
    }
  }

  /// The best of GNS's mode letters, one for each constellation; `nil` when none of them has a fix. GPS may be
  /// jammed while Galileo is fine.
  private static func bestIndicator(_ letters: UnsafeBufferPointer<UInt8>) -> UInt8? {
    let bestFirst = Array("RFPDAEMS".utf8)
    let rank = { (letter: UInt8) in bestFirst.firstIndex(of: letter) ?? bestFirst.count }
    return letters.filter { $0 != UInt8(ascii: "N") }.min { rank($0) < rank($1) }
  }

  /// The FAA mode indicator of RMC, GLL, GNS and VTG.
  static func status(indicator: UInt8) -> Fix.Status {
    switch indicator {
    case 0, UInt8(ascii: "C"), UInt8(ascii: "N"), UInt8(ascii: "U"): .unknown
    case UInt8(ascii: "D"), UInt8(ascii: "P"): .differential
    case UInt8(ascii: "E"): .deadReckoning
    case UInt8(ascii: "F"): .rtkFloat
    case UInt8(ascii: "R"): .rtkFixed
    case UInt8(ascii: "M"), UInt8(ascii: "S"): .simulated
    default: .gps
    }
  }
}
