import FoundationEssentials
import LocationKit

extension NMEADecoder {
  /// PASHR: Ashtech's POS, and the attitude of OxTS and others.
  mutating func readPASHR(_ f: NMEAFields) {
    if f.matches(1, "POS") {
      readAshtechPosition(f)
    } else if f.matches(3, "T"), let trueHeading = direction(f, 2) {
      heading.trueHeading = trueHeading
      heading.headingAccuracy = f.number(9).isFinite ? f.number(9) : nil
    }
  }

  private mutating func readAshtechPosition(_ f: NMEAFields) {
    report.contents.formUnion([.mode, .status])
    guard !f.isEmpty(2) else {
      report.fix.mode = .noFix
      report.fix.status = .unknown
      return
    }
    report.fix.mode = .threeDimensional
    report.fix.status = f.int(2) >= 1 ? .differential : .gps
    readTime(f, 4)
    if readPosition(f, 5) { read(f, 9, .ellipsoidalAltitude, \.ellipsoidalAltitude) }
    readCourse(f, 11)
    read(f, 12, .speed, \.speed, scale: 1 / 3.6)
    read(f, 13, .climb, \.climb)
    readHorizontalDilution(f, 15)
    let vertical = f.number(16)
    if vertical < 99 {
      report.verticalDilution = vertical
      report.contents.insert(.verticalDilution)
    }
  }

  /// PGRME, Garmin's error estimates: taken for 50 % and stretched to gpsd's 95 %.
  mutating func readPGRME(_ f: NMEAFields) {
    let metres = UInt8(ascii: "M")
    guard f.first(2) == metres, f.first(4) == metres, f.first(6) == metres else { return }
    let stretch = 1.96 / 0.6745
    let horizontal = f.number(1)
    let vertical = f.number(3)
    if horizontal.isFinite {
      report.fix.eastAccuracy = horizontal * 0.5.squareRoot() * stretch
      report.fix.northAccuracy = report.fix.eastAccuracy
      report.contents.insert(.axisAccuracies)
    }
    if vertical.isFinite {
      report.fix.verticalAccuracy = vertical * stretch
      report.contents.insert(.verticalAccuracy)
    }
  }

  /// PGRMF, Garmin's fix: date, time, position, dimension, speed, course.
  mutating func readPGRMF(_ f: NMEAFields) {
    readTimeAndDate(f, time: 4, date: 3, isCycleTime: false)
    guard f.first(10) == UInt8(ascii: "A") else { return }
    _ = readPosition(f, 6)
    switch f.first(11) {
    case UInt8(ascii: "0"): setMode(.noFix)
    case UInt8(ascii: "1"): setMode(.twoDimensional)
    case UInt8(ascii: "2"): setMode(.threeDimensional)
    default: break
    }
    read(f, 12, .speed, \.speed, scale: 1 / 3.6)
    readCourse(f, 13)
  }

  /// PGRMZ, Garmin's altitude above mean sea level in feet, and the dimension.
  mutating func readPGRMZ(_ f: NMEAFields) {
    if f.first(2) == UInt8(ascii: "f"), !f.isEmpty(1) { read(f, 1, .altitude, \.altitude, scale: 0.3048) }
    switch f.first(3) {
    case UInt8(ascii: "1"): setMode(.noFix)
    case UInt8(ascii: "2"): setMode(.twoDimensional)
    case UInt8(ascii: "3"): setMode(.threeDimensional)
    default: break
    }
  }

  /// PMGNST, Magellan's status: the dimension, and T when there is a fix.
  mutating func readPMGNST(_ f: NMEAFields) {
    guard f.first(3) == UInt8(ascii: "T") else {
      setMode(.noFix)
      return
    }
    setMode(f.int(2) == 3 ? .threeDimensional : f.int(2) == 2 ? .twoDimensional : .noFix)
  }

  /// PSRFEPE, SiRF's error estimates.
  mutating func readPSRFEPE(_ f: NMEAFields) {
    readTime(f, 1)
    guard f.first(2) == UInt8(ascii: "A") else { return }
    readHorizontalDilution(f, 3)
    read(f, 4, .horizontalAccuracy, \.horizontalAccuracy)
    read(f, 5, .verticalAccuracy, \.verticalAccuracy)
    read(f, 6, .speedAccuracy, \.speedAccuracy)
    read(f, 7, .courseAccuracy, \.courseAccuracy)
  }

  private mutating func setMode(_ mode: Fix.Mode) {
    report.fix.mode = mode
    report.contents.insert(.mode)
  }
}
