import LocationKit

/// Merges sentences of one time into an epoch and finds where epochs end, as gpsd does.
///
/// A sentence whose time differs from the last one's starts an epoch. The sentence kind that carried the last
/// time before that is remembered as one that ends epochs, so that from the second epoch on a location goes
/// out with its last sentence and not with the first of the next epoch. What no such sentence closed, a lost line
/// for one, goes out when the next epoch starts or the input ends.
///
/// For each sentence: `place`, which says what its time and its dimension are, then `begin`, then `merge`. The epoch goes
/// out when one of the latter two says so.
struct EpochAssembler {
  /// Two times further apart than this belong to two epochs: 10 ms, with which 100 Hz still works.
  private static let epochSeparation: Int64 = 10_000_000

  /// The epoch in the making.
  private(set) var epoch = Epoch()
  /// The last epoch that had a time, as it was when its last sentence had been merged.
  private(set) var previous = Epoch()
  /// The last state of any epoch that had a time, when that is not `epoch` itself.
  private var lastTimed = Epoch()
  private var isEpochTimed = false

  private var clock = ReceiverClock()
  /// The newest dilutions.
  private(set) var dilution = DilutionOfPrecision()

  private var cycleTime: Int64?
  private var lastTimedKind = NMEASentenceKind.unsupported
  /// Kinds that end an epoch.
  private var enders: NMEASentenceKind.Set = []
  /// Kinds that came with a time in this epoch, and those that came again after another.
  private var timedKinds: NMEASentenceKind.Set = []
  private var recurringKinds: NMEASentenceKind.Set = []

  /// Whether the epoch has said something of position or mode that has not gone out.
  private var hasNews = false
  private var wasEmitted = false
  /// The kind that the epoch went out with.
  private var closingKind = NMEASentenceKind.unsupported
  private var emitted: (mode: LocationDraft.Mode, latitude: Double?, longitude: Double?) = (.notSeen, nil, nil)
  /// The kind that closes epochs while the receiver has no time.
  private var timelessKind = NMEASentenceKind.unsupported
  /// Whether the sentence that `begin` saw last starts an epoch.
  private var isStarting = false
  /// How many epochs in a row had a position but no date.
  private var undatedEpochs = 0

  // Of the newest merged state that had a time, gpsd's `lastfix`.
  private var lastMode: LocationDraft.Mode { isEpochTimed ? epoch.mode : lastTimed.mode }
  private var lastHasAltitude: Bool { isEpochTimed ? epoch.hasAltitude : lastTimed.hasAltitude }

  /// Finds the time and the dimension of what a sentence says.
  ///
  /// - Parameter satellitesUsed: How many satellites GSA names.
  mutating func place(_ report: inout SentenceReport, satellitesUsed: Int?) {
    if report.losesTime {
      clock.reset()
      report.fixTime = 0
    }
    if let time = report.time { place(time, &report) }
    switch report.dimension {
    case .known: break
    case .asInRMC:
      // RMC does not say the dimension; the last epoch's is the best guess. Some receivers send nothing but RMC, or
      // RMC and GSA.
      if report.draft.mode == .twoDimensional && lastMode == .threeDimensional
        || (satellitesUsed ?? 0) > 3 || epoch.hasAltitude
      {
        report.draft.mode = .threeDimensional
      }
    case .asInGLL:
      // A GLL does not know the dimension: it keeps the one there was.
      if epoch.hasAltitude || (satellitesUsed ?? 0) > 3 {
        report.draft.mode = .threeDimensional
      } else if epoch.mode >= .twoDimensional, previous.hasAltitude {
        report.draft.mode = epoch.mode
      }
    }
  }

  private mutating func place(_ time: SentenceReport.Time, _ report: inout SentenceReport) {
    if time.role == .errors {
      report.cycleTime = time.timeOfDay
      // Only those of the epoch at hand.
      if time.timeOfDay / 1_000_000_000 != clock.timeOfDay / 1_000_000_000 { report.draft = LocationDraft() }
      return
    }
    clock.set(timeOfDay: time.timeOfDay, day: time.day)
    switch time.role {
    case .epoch:
      report.cycleTime = time.timeOfDay
      report.fixTime = clock.nanoseconds
    case .moment: if isNow(time.timeOfDay) { report.fixTime = clock.nanoseconds }
    case .clock, .errors: break
    }
  }

  /// Whether this is the time of the epoch in the making, or there is no epoch yet.
  private func isNow(_ time: Int64) -> Bool {
    cycleTime.map { abs(time - $0) < Self.epochSeparation } ?? true
  }

  /// Looks at a sentence before it is merged. Returns whether the epoch in the making goes out now, because the
  /// sentence starts another and nothing closed this one.
  mutating func begin(_ report: inout SentenceReport, of kind: NMEASentenceKind) -> Bool {
    // What does not know the dimension does not take a known one away.
    if report.draft.mode >= .twoDimensional, epoch.mode == .threeDimensional,
      lastHasAltitude || previous.hasAltitude
    {
      report.draft.mode = .threeDimensional
    }
    guard let time = report.cycleTime else {
      if kind.continuesCycle {
        enders.remove(NMEASentenceKind.Set(lastTimedKind))
        enders.insert(NMEASentenceKind.Set(kind))
      }
      return false
    }
    let isOfThisEpoch = cycleTime != nil && isNow(time)
    cycleTime = time
    if isOfThisEpoch { return false }
    // Where GLL usually ends epochs, one that starts one is late and says nothing of the order.
    if !kind.continuesCycle || !enders.contains(NMEASentenceKind.Set(kind)) { learnEnd() }
    isStarting = true
    return flush(with: .unsupported)
  }

  /// Merges a sentence, whose report stays as it is and is not copied. Returns whether the epoch goes out now, because the
  /// sentence usually ends it.
  mutating func merge(_ report: inout SentenceReport, of kind: NMEASentenceKind) -> Bool {
    if isStarting { startEpoch() }
    if let time = report.fixTime { setTime(time) }
    epoch.add(&report)
    if report.draft.latitude != nil || report.draft.mode != .notSeen { hasNews = true }
    // The first dilution of an epoch counts; where an epoch goes out before its GSA, the last one's does, as in gpsd.
    dilution.update(with: report.draft.dilution)
    epoch.estimateAccuracies(dilution)
    if epoch.time > 0 { isEpochTimed = true }

    let isTimed = report.cycleTime != nil
    if isTimed { noteTimed(kind) }
    if report.losesTime {
      epoch.loseTimeOfDay()
      return closeTimeless(kind)
    }
    guard isTimed || kind.continuesCycle, enders.contains(NMEASentenceKind.Set(kind)) else { return false }
    // A GGA may come before the RMC that has the date; a receiver that never sends one is not waited for.
    return epoch.time > 0 || undatedEpochs > 2 ? close(with: kind) : false
  }

  /// Whether the epoch in the making has anything that has not gone out; then it has from now on.
  mutating func flush() -> Bool { flush(with: .unsupported) }

  private mutating func flush(with kind: NMEASentenceKind) -> Bool {
    wasEmitted ? false : close(with: kind)
  }

  private mutating func setTime(_ time: Int64) {
    guard time != epoch.time else { return }
    if time > 0 {
      // The time moved: what was last known is the previous epoch now.
      if isEpochTimed { previous = epoch } else if lastTimed.time != time { previous = lastTimed }
    }
    epoch.set(time: time)
  }

  private mutating func startEpoch() {
    isStarting = false
    if isEpochTimed { lastTimed = epoch }
    undatedEpochs = isEpochTimed || !epoch.hasPosition ? 0 : undatedEpochs + 1
    isEpochTimed = false
    epoch = Epoch(timeOfDay: cycleTime)
    timelessKind = .unsupported
    timedKinds = []
    recurringKinds = []
    hasNews = false
    wasEmitted = false
  }

  /// The epoch is over: the kind that came last ends epochs, and those that others followed do not. gpsd never
  /// unlearns; a receiver that starts without a fix sends a GGA alone, which would then end its epochs for ever.
  private mutating func learnEnd() {
    enders.subtract(timedKinds)
    if lastTimedKind != .unsupported {
      enders.formUnion(NMEASentenceKind.Set(lastTimedKind).subtracting(recurringKinds))
    }
  }

  private mutating func noteTimed(_ kind: NMEASentenceKind) {
    let bit = NMEASentenceKind.Set(kind)
    if timedKinds.contains(bit), kind != lastTimedKind { recurringKinds.insert(bit) }
    timedKinds.insert(bit)
    lastTimedKind = kind
  }

  /// A receiver without time repeats its empty GGA and RMC: the one that came first makes the epochs. When it had a time
  /// before, the first of them is no more of the epoch that went out.
  private mutating func closeTimeless(_ kind: NMEASentenceKind) -> Bool {
    if kind == timelessKind || timelessKind == .unsupported && isEpochTimed { wasEmitted = false }
    guard flush(with: kind) else { return false }
    timelessKind = kind
    return true
  }

  /// The sentence that usually ends an epoch has come. When it comes again in the same epoch, as from a receiver
  /// that sends whole seconds five times a second, it only counts if the position moved. Another kind has the same
  /// position with other decimals.
  private mutating func close(with kind: NMEASentenceKind) -> Bool {
    guard hasNews else { return false }
    let state = (epoch.mode, epoch.draft.latitude, epoch.draft.longitude)
    if wasEmitted, state == emitted || kind != closingKind { return false }
    hasNews = false
    wasEmitted = true
    closingKind = kind
    emitted = state
    return true
  }
}
