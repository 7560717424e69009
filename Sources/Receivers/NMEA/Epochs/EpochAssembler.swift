import LocationKit

/// Merges sentences of one time into an epoch and finds where epochs end, as gpsd does.
///
/// A sentence whose time differs from the last one's starts an epoch. The sentence kind that carried the last
/// time before that is remembered as one that ends epochs, so that from the second epoch on a location goes
/// out with its last sentence and not with the first of the next epoch. What no such sentence closed, a lost line
/// for one, goes out when the next epoch starts or the input ends.
struct EpochAssembler {
  /// Two times further apart than this belong to two epochs: 10 ms, with which 100 Hz still works.
  private static let epochSeparation: Int64 = 10_000_000

  /// The epoch in the making.
  private(set) var fix = Fix()
  /// The last epoch that had a time, as it was when its last sentence had been merged.
  private(set) var previous = Fix()
  /// The last state of any epoch that had a time, when that is not `fix` itself.
  private var lastTimed = Fix()
  private var isFixLastTimed = false

  private var horizontalDilution = Double.nan
  private var verticalDilution = Double.nan

  private var cycleTime: Int64 = -1
  private var lastTimedKind: NMEASentenceKind = .unsupported
  /// Kinds that end an epoch, by raw value.
  private var enders: UInt64 = 0
  /// Kinds that came with a time in this epoch, and those that came again after another.
  private var timedKinds: UInt64 = 0
  private var recurringKinds: UInt64 = 0

  /// Whether the epoch has said something of position or mode that has not gone out.
  private var hasNews = false
  private var wasEmitted = false
  private var emittedMode = Fix.Mode.notSeen
  private var emittedLatitude = Double.nan
  private var emittedLongitude = Double.nan
  /// The kind that closes epochs while the receiver has no time.
  private var timelessKind = NMEASentenceKind.unsupported
  /// Whether the sentence that `begin` saw last starts an epoch.
  private var isStarting = false
  /// How many epochs in a row had a position but no date.
  private var undatedEpochs = 0

  /// The mode of the newest merged state that had a time, gpsd's `lastfix`.
  @inline(__always)
  var lastMode: Fix.Mode { isFixLastTimed ? fix.mode : lastTimed.mode }

  @inline(__always)
  private var lastHasAltitude: Bool { isFixLastTimed ? fix.hasAltitude : lastTimed.hasAltitude }

  /// Whether this is the time of the epoch in the making, or there is no epoch yet.
  @inline(__always)
  func isCycleTime(_ time: Int64) -> Bool {
    cycleTime < 0 || abs(time - cycleTime) < Self.epochSeparation
  }

  /// Looks at a sentence before it is merged. Returns whether the epoch that `fix` holds goes out now, because the
  /// sentence starts another and nothing closed this one.
  @inline(__always)
  mutating func begin(_ report: inout SentenceReport, of kind: NMEASentenceKind) -> Bool {
    let contents = report.contents
    // An RMC does not know the dimension: it does not take a known one away.
    if contents.contains(.mode), report.fix.mode != .noFix, fix.mode == .threeDimensional,
      lastHasAltitude || previous.hasAltitude
    {
      report.fix.mode = .threeDimensional
    }
    guard contents.contains(.cycleTime) else {
      if kind.continuesCycle { enders = (enders & ~(1 << UInt64(lastTimedKind.rawValue))) | 1 << UInt64(kind.rawValue) }
      return false
    }
    let delta = report.cycleTime - cycleTime
    cycleTime = report.cycleTime
    guard delta >= Self.epochSeparation || delta <= -Self.epochSeparation else { return false }
    // Where GLL usually ends epochs, one that starts one is late and says nothing of the order.
    if !kind.continuesCycle || enders & (1 << UInt64(kind.rawValue)) == 0 { learnEnd() }
    isStarting = true
    return flush()
  }

  /// Merges a sentence. Returns whether the epoch goes out now, because the sentence usually ends it.
  @inline(__always)
  mutating func merge(_ report: SentenceReport, of kind: NMEASentenceKind) -> Bool {
    let contents = report.contents
    if isStarting {
      isStarting = false
      startEpoch()
    }
    merge(report)
    let isTimed = contents.contains(.cycleTime)
    if isTimed { noteTimed(kind) }
    if contents.contains(.closesEpoch) {
      fix.timeOfDay = -1
      return closeTimeless(kind)
    }
    guard isTimed || kind.continuesCycle, enders & (1 << UInt64(kind.rawValue)) != 0 else { return false }
    // A GGA may come before the RMC that has the date; a receiver that never sends one is not waited for.
    return fix.time > 0 || undatedEpochs > 2 ? close() : false
  }

  /// The epoch is over: the kind that came last ends epochs, and those that others followed do not. gpsd never
  /// unlearns; a receiver that starts without a fix sends a GGA alone, which would then end its epochs for ever.
  private mutating func learnEnd() {
    let last: UInt64 = (1 << UInt64(lastTimedKind.rawValue)) & ~1
    enders = (enders & ~timedKinds) | (last & ~recurringKinds)
  }

  @inline(__always)
  private mutating func noteTimed(_ kind: NMEASentenceKind) {
    let bit: UInt64 = 1 << UInt64(kind.rawValue)
    if timedKinds & bit != 0, kind != lastTimedKind { recurringKinds |= bit }
    timedKinds |= bit
    lastTimedKind = kind
  }

  /// A receiver without time repeats its empty GGA and RMC: the one that came first makes the epochs.
  private mutating func closeTimeless(_ kind: NMEASentenceKind) -> Bool {
    if kind == timelessKind { wasEmitted = false }
    guard flush() else { return false }
    timelessKind = kind
    return true
  }

  /// Whether the epoch in the making has anything that has not gone out; then it has from now on.
  @inline(__always)
  mutating func flush() -> Bool {
    wasEmitted ? false : close()
  }

  /// The sentence that usually ends an epoch has come. When it comes again in the same epoch, as from a receiver
  /// that sends whole seconds five times a second, it only counts if the position moved.
  @inline(__always)
  private mutating func close() -> Bool {
    guard hasNews else { return false }
    if wasEmitted, fix.mode == emittedMode, fix.latitude == emittedLatitude, fix.longitude == emittedLongitude {
      return false
    }
    hasNews = false
    wasEmitted = true
    emittedMode = fix.mode
    emittedLatitude = fix.latitude
    emittedLongitude = fix.longitude
    return true
  }

  @inline(__always)
  private mutating func startEpoch() {
    if isFixLastTimed { lastTimed = fix }
    undatedEpochs = isFixLastTimed || !fix.hasPosition ? 0 : undatedEpochs + 1
    isFixLastTimed = false
    fix = Fix()
    fix.timeOfDay = cycleTime
    timelessKind = .unsupported
    timedKinds = 0
    recurringKinds = 0
    hasNews = false
    wasEmitted = false
  }
}

// MARK: - Merging

extension EpochAssembler {
  @inline(__always)
  private mutating func merge(_ report: SentenceReport) {
    let contents = report.contents
    if contents.contains(.time), report.fix.time != fix.time {
      if report.fix.time > 0 {
        // The time moved: what was last known is the previous epoch now.
        if isFixLastTimed { previous = fix } else if lastTimed.time != report.fix.time { previous = lastTimed }
      }
      fix.time = report.fix.time
    }
    if contents.contains(.position) {
      fix.latitude = report.fix.latitude
      fix.longitude = report.fix.longitude
    }
    if contents.contains(.mode) { fix.mode = report.fix.mode }
    if contents.contains(.status) { fix.status = max(fix.status, report.fix.status) }
    if contents.contains(.altitude) { fix.altitude = report.fix.altitude }
    if contents.contains(.ellipsoidalAltitude) { fix.ellipsoidalAltitude = report.fix.ellipsoidalAltitude }
    if contents.contains(.geoidSeparation) { fix.geoidSeparation = report.fix.geoidSeparation }
    if contents.contains(.speed) { fix.speed = report.fix.speed }
    if contents.contains(.course) { fix.course = report.fix.course }
    if contents.rawValue & ~0xFFF != 0 || contents.contains(.climb) || contents.contains(.courseAccuracy)
      || contents.contains(.speedAccuracy)
    {
      mergeAccuracies(report)
    }
    if contents.contains(.position) || contents.contains(.mode) { hasNews = true }
    estimateAccuracies()
    if fix.time > 0 { isFixLastTimed = true }
  }

  private mutating func mergeAccuracies(_ report: SentenceReport) {
    let contents = report.contents
    if contents.contains(.climb) { fix.climb = report.fix.climb }
    if contents.contains(.velocity) {
      fix.eastVelocity = report.fix.eastVelocity
      fix.northVelocity = report.fix.northVelocity
    }
    if contents.contains(.courseAccuracy) { fix.courseAccuracy = report.fix.courseAccuracy }
    if contents.contains(.speedAccuracy) { fix.speedAccuracy = report.fix.speedAccuracy }
    if contents.contains(.horizontalAccuracy) { fix.horizontalAccuracy = report.fix.horizontalAccuracy }
    if contents.contains(.verticalAccuracy) { fix.verticalAccuracy = report.fix.verticalAccuracy }
    if contents.contains(.axisAccuracies) {
      fix.eastAccuracy = report.fix.eastAccuracy
      fix.northAccuracy = report.fix.northAccuracy
    }
    if contents.contains(.satelliteCount) { fix.satelliteCount = report.fix.satelliteCount }
    if contents.contains(.horizontalDilution) { horizontalDilution = report.horizontalDilution }
    if contents.contains(.verticalDilution) { verticalDilution = report.verticalDilution }
  }

  /// gpsd's error model, its dilution part: metres of a 95 % error per unit of dilution, 19 horizontally and 23
  /// vertically, a quarter of that with differential corrections. The first dilution of an epoch counts; where an epoch
  /// goes out before its GSA, the last one's does, as in gpsd.
  @inline(__always)
  private mutating func estimateAccuracies() {
    guard fix.mode >= .twoDimensional else { return }
    if !fix.horizontalAccuracy.isFinite, horizontalDilution.isFinite {
      fix.horizontalAccuracy = horizontalDilution * (fix.status == .differential ? 4.75 : 19)
    }
    if fix.mode == .threeDimensional, !fix.verticalAccuracy.isFinite, verticalDilution.isFinite {
      fix.verticalAccuracy = verticalDilution * (fix.status == .differential ? 5.75 : 23)
    }
  }
}
