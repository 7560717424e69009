import LocationKit

extension SentenceReport {
  /// GGA: time, position, quality, satellites, HDOP, altitude, geoid, differential correction.
  mutating func read(gga f: NMEAFields) {
    let quality = f.isEmpty(6) ? nil : f.int(6)
    status = quality.flatMap { Status(quality: $0) }
    losesTime = quality == 0 && f.isEmpty(1)
    readTime(f, 1)
    readFix(f, position: 2, satellites: 7, altitude: 9, geoid: 11)
    if quality == 0 { draft.mode = .noFix }
    if let quality, quality == 0 || draft.latitude != nil { hasFix = quality > 0 }
    draft.dilution.horizontal = dilution(f, 8)
    readCorrection(f, 13)
  }

  /// GNS: like GGA, with a mode letter for each constellation.
  mutating func read(gns f: NMEAFields) {
    readTime(f, 1)
    guard let indicator = Self.bestIndicator(f.bytes(6)) else {
      draft.mode = .noFix
      hasFix = false
      return
    }
    // U means that the navigational status is "unsafe"; V means that the receiver does not provide it.
    if f.letter(13) == "U" { return }
    readFix(f, position: 2, satellites: 7, altitude: 9, geoid: 10)
    if draft.latitude != nil { hasFix = true }
    draft.dilution.horizontal = dilution(f, 8)
    readCorrection(f, 11)
    status = Status(indicator: indicator)
  }

  /// Reads the fields that GGA and GNS share. A position with an altitude is three-dimensional, except with exactly
  /// three satellites. A lower count cannot be that of the fix: a GGA may count GPS satellites alone.
  private mutating func readFix(_ f: NMEAFields, position: Int, satellites: Int, altitude: Int, geoid: Int) {
    draft.mode = .noFix
    guard readPosition(f, position) else { return }
    draft.geoidSeparation = number(f, geoid)
    draft.altitudeMSL = number(f, altitude)
    satelliteCount = f.isEmpty(satellites) || f.int(satellites) < 0 ? nil : f.int(satellites)
    draft.mode = draft.altitudeMSL != nil && satelliteCount != 3 ? .threeDimensional : .twoDimensional
  }

  /// The best of GNS's mode letters, one for each constellation; `nil` when none of them has a fix. GPS may be jammed
  /// while Galileo works.
  private static func bestIndicator(_ letters: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
    for letter in "RFPDAEMS".utf8 where letters.contains(letter) { return Unicode.Scalar(letter) }
    return letters.first { $0 != UInt8(ascii: "N") }.map { Unicode.Scalar($0) }
  }

  /// RMC: time, status, position, speed, course, date.
  mutating func read(rmc f: NMEAFields) {
    guard f.letter(2) == "A" || f.letter(2) == "D" else {
      draft.mode = .noFix
      status = .unknown
      losesTime = f.isEmpty(1)
      losesDate = f.isEmpty(9)
      // The date of a receiver without a fix is unreliable.
      readTime(f, 1)
      return
    }
    // Until the receiver knows the date, the time tells the epochs apart.
    if f.isEmpty(9) { readTime(f, 1) } else { readTime(f, 1, date: 9) }
    if readPosition(f, 3) {
      draft.mode = .twoDimensional
      status = f.letter(2) == "D" ? .differential : .gps
    } else {
      draft.mode = .noFix
      status = .unknown
    }
    draft.speed = knots(f, 7)
    draft.track = number(f, 8)
    if f.count > 12 { status = Status(indicator: f.letter(12)) }
  }

  /// GLL: position, time, status.
  mutating func read(gll f: NMEAFields) {
    readTime(f, 5)
    draft.mode = .noFix
    status = .unknown
    guard f.letter(6) == "A", f.letter(7) != "N", readPosition(f, 1) else { return }
    status = f.count >= 8 ? Status(indicator: f.letter(7)) : .gps
    draft.mode = .twoDimensional
  }
}
