import LocationKit
import Platform

/// The sentences of NMEA 0183 that have no position: velocity, date, satellites, errors, headings.
extension SentenceReport {
  /// VTG: course and speed over ground.
  mutating func read(vtg f: NMEAFields) {
    guard f.letter(9) != "N" else { return }
    draft.track = number(f, 1)
    draft.speed = knots(f, 5)
  }

  /// ZDA: time and full date. It does not start an epoch, because some receivers send it only now and then.
  mutating func read(zda f: NMEAFields) {
    guard !f.isEmpty(1), !f.isEmpty(2), !f.isEmpty(3), !f.isEmpty(4) else { return }
    readTime(f, 1, role: .moment)
    guard time != nil else { return }
    if let date = CivilDate(year: f.int(4), month: f.int(3), day: f.int(2)), 1900...2200 ~= date.year {
      time?.day = date.daysSince1970
    } else {
      problems.append(FieldProblem(content: .date, field: 2, isOutOfRange: true))
      time?.role = .clock
    }
  }

  /// GSA: dimension, satellites used, dilutions.
  mutating func read(gsa f: NMEAFields) {
    namesSatellites = true
    // Sentences of 30 fields have their dilutions elsewhere.
    if f.count <= 19 {
      draft.dilution.position = dilution(f, 15)
      draft.dilution.horizontal = dilution(f, 16)
      draft.dilution.vertical = dilution(f, 17)
    }
    // Antaris sends E for dead reckoning, which is not a dimension.
    draft.mode = Self.mode(f.int(2))
  }

  /// GBS: expected errors to the north, to the east and up, one standard deviation.
  mutating func read(gbs f: NMEAFields) {
    guard case .value(let timeOfDay) = f.timeOfDay(1) else { return }
    time = Time(timeOfDay: timeOfDay, role: .errors)
    if let north = f.number(2), let east = f.number(3) {
      draft.epy = north
      draft.epx = east
    }
    draft.epv = number(f, 4)
  }

  /// BWC: only its time, which helps to know the hour.
  mutating func read(bwc f: NMEAFields) { readTime(f, 1, role: .moment) }

  /// HDT, and PTNTHTM of True North's compass: true heading.
  mutating func read(hdt f: NMEAFields) { heading = Self.direction(f, 1).map { Heading(trueHeading: $0) } }

  /// HDM: magnetic heading.
  mutating func read(hdm f: NMEAFields) { heading = Self.direction(f, 1).map { Heading(magneticHeading: $0) } }

  /// THS: true heading with a mode, V for invalid.
  mutating func read(ths f: NMEAFields) {
    guard let mode = f.letter(2), mode != "V" else { return }
    heading = Self.direction(f, 1).map { Heading(trueHeading: $0) }
  }

  /// HDG: sensor reading, deviation and variation, both to the east or to the west.
  ///
  /// The deviation corrects the reading to the magnetic heading, the variation corrects that to the true heading.
  mutating func read(hdg f: NMEAFields) {
    guard let sensor = Self.direction(f, 1) else { return }
    let magnetic = sensor + (Self.eastward(f, 2) ?? 0)
    heading = Heading(
      magneticHeading: LocationDraft.normalized(magnetic),
      trueHeading: Self.eastward(f, 4).map { LocationDraft.normalized(magnetic + $0) })
  }

  /// Degrees from 0 up to but not including 360; `nil` when empty or out of range.
  static func direction(_ f: NMEAFields, _ index: Int) -> Double? {
    guard let degrees = f.number(index), 0...360 ~= degrees else { return nil }
    return LocationDraft.normalized(degrees)
  }

  /// An angle and the E or W after it; west is negative.
  private static func eastward(_ f: NMEAFields, _ index: Int) -> Double? {
    guard let degrees = f.number(index), 0...180 ~= degrees else { return nil }
    switch f.letter(index + 1) {
    case "E": return degrees
    case "W": return -degrees
    default: return nil
    }
  }
}
