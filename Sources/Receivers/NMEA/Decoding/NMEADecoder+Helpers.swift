extension NMEADecoder {
  static var metresPerSecondPerKnot: Double { 1852.0 / 3600.0 }

  /// Reads a number into a member of the report; returns whether there was one.
  @inline(__always)
  @discardableResult
  mutating func read(
    _ f: NMEAFields, _ index: Int, _ content: SentenceReport.Contents, _ member: WritableKeyPath<Fix, Double>,
    scale: Double = 1
  ) -> Bool {
    let value = f.number(index)
    guard value.isFinite else {
      if !f.isEmpty(index) { note(.malformed, "field \(index) is no number") }
      return false
    }
    report.fix[keyPath: member] = value * scale
    report.contents.insert(content)
    return true
  }

  @inline(__always)
  mutating func readKnots(_ f: NMEAFields, _ index: Int) {
    let value = f.number(index)
    if value.isFinite {
      report.fix.speed = value * Self.metresPerSecondPerKnot
      report.contents.insert(.speed)
    } else if !f.isEmpty(index) {
      note(.malformed, "field \(index) is no number")
    }
  }

  @inline(__always)
  mutating func readCourse(_ f: NMEAFields, _ index: Int) {
    let value = f.number(index)
    if value.isFinite {
      report.fix.course = value
      report.contents.insert(.course)
    } else if !f.isEmpty(index) {
      note(.malformed, "field \(index) is no number")
    }
  }

  /// Receivers send 99 and more for a dilution that they do not know.
  @inline(__always)
  mutating func readHorizontalDilution(_ f: NMEAFields, _ index: Int) {
    let value = f.number(index)
    if value < 99 {
      report.horizontalDilution = value
      report.contents.insert(.horizontalDilution)
    }
  }

  @inline(__always)
  mutating func readPosition(_ f: NMEAFields, _ index: Int) -> Bool {
    switch f.position(at: index, latitude: &report.fix.latitude, longitude: &report.fix.longitude) {
    case .ok:
      report.contents.insert(.position)
      return true
    case .missing: return false
    case .malformed:
      note(.malformed, "fields \(index) to \(index + 3) are no position")
      return false
    case .outOfRange:
      note(.outOfRange, "no such latitude or longitude in fields \(index) to \(index + 3)")
      return false
    }
  }

  /// Reads the time that the sentence's epoch has; the date comes from elsewhere.
  @inline(__always)
  mutating func readTime(_ f: NMEAFields, _ index: Int) {
    guard setTime(f, index) else { return }
    markCycleTime()
    if clock.day != nil { markTime() }
  }

  @inline(__always)
  mutating func readTimeAndDate(_ f: NMEAFields, time: Int, date: Int, isCycleTime: Bool = true) {
    guard !f.isEmpty(time), !f.isEmpty(date) else { return }
    guard setTime(f, time), setDate(f, date) else { return }
    if isCycleTime {
      markCycleTime()
      markTime()
    } else {
      markTimeOfEpoch()
    }
  }

  @inline(__always)
  mutating func setTime(_ f: NMEAFields, _ index: Int) -> Bool {
    var time: Int64 = 0
    switch f.timeOfDay(index, &time) {
    case .ok:
      clock.set(timeOfDay: time)
      return true
    case .missing: return false
    case .malformed: note(.malformed, "field \(index) is no time")
    case .outOfRange: note(.outOfRange, "no such time in field \(index)")
    }
    return false
  }

  @inline(__always)
  private mutating func setDate(_ f: NMEAFields, _ index: Int) -> Bool {
    var day = 0
    switch f.shortDate(index, &day) {
    case .ok:
      clock.set(day: day)
      return true
    case .missing: return false
    case .malformed: note(.malformed, "field \(index) is no date")
    case .outOfRange: note(.outOfRange, "no such date in field \(index)")
    }
    return false
  }

  @inline(__always)
  mutating func markCycleTime() {
    report.cycleTime = clock.timeOfDay
    report.contents.insert(.cycleTime)
  }

  @inline(__always)
  mutating func markTime() {
    report.fix.time = clock.nanoseconds
    report.contents.insert(.time)
  }

  /// Takes the time of a sentence that starts no epoch. It may be of the next one, or of the moment: then it is
  /// no time of this fix.
  @inline(__always)
  mutating func markTimeOfEpoch() {
    if assembler.isCycleTime(clock.timeOfDay) { markTime() }
  }

  /// The receiver says that it has no time, and so no epoch can end by one.
  mutating func loseTime() {
    clock.reset()
    report.fix.time = 0
    report.contents.formUnion([.time, .closesEpoch])
  }
}
