import LocationKit

extension NMEADecoder {
  /// PUBX: u-blox's position (00) and time (04).
  mutating func readPUBX(_ f: NMEAFields) -> Bool {
    if f.matches(1, "00"), f.count >= 20 {
      readUbloxPosition(f)
    } else if f.matches(1, "04"), f.count >= 4 {
      readTimeAndDate(f, time: 2, date: 3, isCycleTime: false)
    } else {
      return false
    }
    return true
  }

  private mutating func readUbloxPosition(_ f: NMEAFields) {
    report.contents.formUnion([.mode, .status])
    report.fix.status = .gps
    if f.matches(8, "G3") || f.matches(8, "D3") || f.matches(8, "RK") {
      report.fix.mode = .threeDimensional
    } else if f.matches(8, "G2") || f.matches(8, "D2") || f.matches(8, "DR") {
      report.fix.mode = .twoDimensional
    } else {
      report.fix.mode = .noFix
      report.fix.status = .unknown
    }
    if f.first(8) == UInt8(ascii: "D") { report.fix.status = f.matches(8, "DR") ? .deadReckoning : .differential }
    readTime(f, 2)
    guard report.fix.mode != .noFix, readPosition(f, 3) else { return }
    read(f, 7, .ellipsoidalAltitude, \.ellipsoidalAltitude)
    read(f, 9, .horizontalAccuracy, \.horizontalAccuracy)
    read(f, 10, .verticalAccuracy, \.verticalAccuracy)
    read(f, 11, .speed, \.speed, scale: 1 / 3.6)
    readCourse(f, 12)
    // Positive downwards there.
    read(f, 13, .climb, \.climb, scale: -1)
    readHorizontalDilution(f, 15)
  }

  /// PSTI: Skytraq's position (030) and attitude (036).
  mutating func readPSTI(_ f: NMEAFields) -> Bool {
    if f.matches(1, "030"), f.count == 16 {
      readSkytraqPosition(f)
    } else if f.matches(1, "036"), f.count == 8 {
      readTimeAndDate(f, time: 2, date: 3)
      if f.first(7) != UInt8(ascii: "N"), !f.isEmpty(7) { heading.trueHeading = direction(f, 4) }
    } else {
      return false
    }
    return true
  }

  private mutating func readSkytraqPosition(_ f: NMEAFields) {
    guard f.first(3) == UInt8(ascii: "A"), f.first(13) != UInt8(ascii: "N") else {
      report.fix.mode = .noFix
      report.fix.status = .unknown
      report.contents.formUnion([.mode, .status])
      return
    }
    readTimeAndDate(f, time: 2, date: 12)
    if readPosition(f, 4) {
      report.fix.mode = read(f, 8, .altitude, \.altitude) ? .threeDimensional : .twoDimensional
      report.contents.insert(.mode)
    }
    if read(f, 9, [], \.eastVelocity), read(f, 10, [], \.northVelocity) { report.contents.insert(.velocity) }
    read(f, 11, .climb, \.climb)
    report.fix.status = Self.status(indicator: f.first(13))
    report.contents.insert(.status)
  }
}
