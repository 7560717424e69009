import LocationKit

extension SentenceReport {
  /// PUBX: u-blox's position (00) and time (04).
  mutating func read(pubx f: NMEAFields) {
    if f.matches(1, "00"), f.count >= 20 {
      readUbloxPosition(f)
    } else if f.matches(1, "04"), f.count >= 4 {
      readTime(f, 2, date: 3, role: .moment)
    } else {
      isUnsupported = true
    }
  }

  private mutating func readUbloxPosition(_ f: NMEAFields) {
    status = .gps
    if f.matches(8, "G3") || f.matches(8, "D3") || f.matches(8, "RK") {
      draft.mode = .threeDimensional
    } else if f.matches(8, "G2") || f.matches(8, "D2") || f.matches(8, "DR") {
      draft.mode = .twoDimensional
    } else {
      draft.mode = .noFix
      status = .unknown
    }
    if f.letter(8) == "D" { status = f.matches(8, "DR") ? .deadReckoning : .differential }
    readTime(f, 2)
    guard draft.mode != .noFix, readPosition(f, 3) else { return }
    draft.altitudeHAE = number(f, 7)
    draft.eph = number(f, 9)
    draft.epv = number(f, 10)
    draft.speed = kilometresPerHour(f, 11)
    draft.track = number(f, 12)
    // PUBX has the velocity positive downwards.
    draft.climb = number(f, 13).map { -$0 }
    draft.dilution.horizontal = dilution(f, 15)
  }

  /// PSTI: Skytraq's position (030) and attitude (036).
  mutating func read(psti f: NMEAFields) {
    if f.matches(1, "030"), f.count == 16 {
      readSkytraqPosition(f)
    } else if f.matches(1, "036"), f.count == 8 {
      readTime(f, 2, date: 3)
      if let mode = f.letter(7), mode != "N" { heading = Self.direction(f, 4).map { Heading(trueHeading: $0) } }
    } else {
      isUnsupported = true
    }
  }

  private mutating func readSkytraqPosition(_ f: NMEAFields) {
    guard f.letter(3) == "A", f.letter(13) != "N" else {
      draft.mode = .noFix
      status = .unknown
      return
    }
    readTime(f, 2, date: 12)
    if readPosition(f, 4) {
      draft.altitudeMSL = number(f, 8)
      draft.mode = draft.altitudeMSL == nil ? .twoDimensional : .threeDimensional
    }
    if let east = number(f, 9), let north = number(f, 10) {
      draft.velocityEast = east
      draft.velocityNorth = north
    }
    draft.climb = number(f, 11)
    status = Status(indicator: f.letter(13))
  }

  /// PASHR: Ashtech's POS, and the attitude of OxTS and others.
  mutating func read(pashr f: NMEAFields) {
    if f.matches(1, "POS") {
      readAshtechPosition(f)
    } else if f.matches(3, "T"), let trueHeading = Self.direction(f, 2) {
      heading = Heading(trueHeading: trueHeading, headingAccuracy: f.number(9))
    }
  }

  private mutating func readAshtechPosition(_ f: NMEAFields) {
    guard !f.isEmpty(2) else {
      draft.mode = .noFix
      status = .unknown
      return
    }
    draft.mode = .threeDimensional
    status = f.int(2) >= 1 ? .differential : .gps
    readTime(f, 4)
    if readPosition(f, 5) { draft.altitudeHAE = number(f, 9) }
    draft.track = number(f, 11)
    draft.speed = kilometresPerHour(f, 12)
    draft.climb = number(f, 13)
    draft.dilution.horizontal = dilution(f, 15)
    draft.dilution.vertical = dilution(f, 16)
  }

  /// PGRME: Garmin's error estimates, assumed to be 50 % errors and scaled to gpsd's 95 %.
  mutating func read(pgrme f: NMEAFields) {
    guard f.letter(2) == "M", f.letter(4) == "M", f.letter(6) == "M" else { return }
    let stretch = 1.96 / 0.6745
    if let horizontal = f.number(1) {
      draft.epx = horizontal * 0.5.squareRoot() * stretch
      draft.epy = draft.epx
    }
    draft.epv = f.number(3).map { $0 * stretch }
  }

  /// PGRMF: Garmin's fix with date, time, position, dimension, speed and course.
  mutating func read(pgrmf f: NMEAFields) {
    readTime(f, 4, date: 3, role: .moment)
    guard f.letter(10) == "A" else { return }
    _ = readPosition(f, 6)
    draft.mode = f.isEmpty(11) ? .notSeen : Self.mode(f.int(11) + 1)
    draft.speed = kilometresPerHour(f, 12)
    draft.track = number(f, 13)
  }

  /// PGRMZ: Garmin's altitude above mean sea level in feet, and the dimension.
  mutating func read(pgrmz f: NMEAFields) {
    if f.letter(2) == "f" { draft.altitudeMSL = number(f, 1).map { $0 * 0.3048 } }
    draft.mode = Self.mode(f.int(3))
  }

  /// PMGNST: Magellan's status with the dimension, and T when there is a fix.
  mutating func read(pmgnst f: NMEAFields) {
    draft.mode = f.letter(3) == "T" ? max(.noFix, Self.mode(f.int(2))) : .noFix
  }

  /// PSRFEPE: SiRF's error estimates.
  mutating func read(psrfepe f: NMEAFields) {
    readTime(f, 1)
    guard f.letter(2) == "A" else { return }
    draft.dilution.horizontal = dilution(f, 3)
    draft.eph = number(f, 4)
    draft.epv = number(f, 5)
    draft.eps = number(f, 6)
    draft.epd = number(f, 7)
  }
}
