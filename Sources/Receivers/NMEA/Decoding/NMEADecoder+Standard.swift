extension NMEADecoder {
  /// VTG: course and speed over ground.
  mutating func readVTG(_ f: NMEAFields) {
    // gpsd takes both or none; an estimated or invalid course is none.
    guard !f.isEmpty(1), !f.isEmpty(5) else { return }
    if f.first(9) == UInt8(ascii: "E") || f.first(9) == UInt8(ascii: "N") { return }
    readCourse(f, 1)
    readKnots(f, 5)
  }

  /// ZDA: time and full date. It does not start an epoch: some receivers send it only now and then.
  mutating func readZDA(_ f: NMEAFields) {
    guard !f.isEmpty(1), !f.isEmpty(2), !f.isEmpty(3), !f.isEmpty(4) else { return }
    guard setTime(f, 1) else { return }
    guard let day = CivilDate.days(year: f.int(4), month: f.int(3), day: f.int(2)) else {
      note(.outOfRange, "no such date in fields 2 to 4")
      return
    }
    clock.set(day: day)
    markTimeOfEpoch()
  }

  /// GSA: dimension, satellites used, dilutions.
  mutating func readGSA(_ f: NMEAFields) {
    let talker = f.base[1]
    let hadOther = tracker.hasOtherGSA
    // After a GGA whose time stands still, its GSA is not to be trusted either.
    if isTimeStandingStill { return }
    tracker.readGSA(f, talker: talker)
    report.fix.satelliteCount = -1
    report.contents.insert(.satelliteCount)
    // Those of 30 fields have their dilutions elsewhere.
    if f.count <= 19 {
      readHorizontalDilution(f, 16)
      let value = f.number(17)
      if value < 99 {
        report.verticalDilution = value
        report.contents.insert(.verticalDilution)
      }
    }
    // Where other talkers' GSA follow GP's, theirs count.
    if talker == UInt8(ascii: "P"), hadOther { return }
    // Antaris sends E for dead reckoning.
    switch f.int(2) {
    case 1: report.fix.mode = .noFix
    case 2: report.fix.mode = .twoDimensional
    case 3: report.fix.mode = .threeDimensional
    default: return
    }
    report.contents.insert(.mode)
  }

  /// GSV: satellites in view.
  mutating func readGSV(_ f: NMEAFields) {
    guard tracker.readGSV(f, talker: f.base[1]) else {
      note(.malformed, "GSV of \(f.count) fields")
      return
    }
    if f.int(2) < f.int(1) { report.contents.insert(.seriesContinues) }
  }

  /// GBS: expected errors to the north, the east and up, one standard deviation.
  mutating func readGBS(_ f: NMEAFields) {
    var time: Int64 = 0
    guard f.timeOfDay(1, &time) == .ok else { return }
    report.cycleTime = time
    report.contents.insert(.cycleTime)
    // Only those of the epoch at hand.
    guard time / 1_000_000_000 == clock.timeOfDay / 1_000_000_000 else { return }
    let north = f.number(2)
    let east = f.number(3)
    if north.isFinite, east.isFinite {
      report.fix.northAccuracy = north
      report.fix.eastAccuracy = east
      report.contents.insert(.axisAccuracies)
    }
    read(f, 4, .verticalAccuracy, \.verticalAccuracy)
  }

  /// BWC: only its time, which helps to know the hour.
  mutating func readBWC(_ f: NMEAFields) {
    if setTime(f, 1), clock.day != nil { markTimeOfEpoch() }
  }
}
