import LocationKit

/// Merges sentences of one time into an epoch and finds the ends of epochs.
///
/// A sentence whose time differs from the last one's starts an epoch. Sentences without a time, such as GSA and VTG,
/// belong to the current epoch. `EpochEnd` learns which sentence is usually the last. From the second epoch on, a
/// location therefore goes out with its last sentence rather than the first of the next epoch. If a line is lost and
/// that sentence is missing, the epoch goes out when the next epoch starts or the input ends.
///
/// Each sentence passes through `place`, which finds its time, then `begin`, then `merge`. The epoch goes out when
/// `begin` or `merge` returns true.
struct EpochAssembler {
  /// Times that differ by more than this belong to different epochs: 10 ms, which still allows 100 Hz.
  private static let epochSeparation: Int64 = 10_000_000
  private static let second: Int64 = 1_000_000_000
  private static let day = 86_400 * second

  /// The current epoch.
  private(set) var epoch = Epoch()
  /// The last epoch that had a time, complete with its last sentence.
  private(set) var previous = Epoch()
  /// The last state of an epoch that had a time, when that is not `epoch` itself.
  private var lastTimed = Epoch()
  private var isEpochTimed = false

  private var clock = ReceiverClock()
  private var lastDilution = DilutionOfPrecision()

  private var cycleTime: Int64?
  private var end = EpochEnd()
  /// The mode of the last epoch that had one.
  private var lastMode = LocationDraft.Mode.notSeen
  /// Values of sentences without a time that belong to the next epoch; `nil` until `expectNext`.
  private var next: Epoch?

  /// Whether the epoch has a position or mode that has not gone out.
  private var hasNews = false
  private var wasEmitted = false
  /// The kind of sentence with which the epoch went out.
  private var closingKind = NMEASentenceKind.unsupported
  private var emitted: (mode: LocationDraft.Mode, coordinate: LocationCoordinate2D?) = (.notSeen, nil)
  /// The kind of sentence that starts epochs while the receiver has no time.
  private var timelessKind = NMEASentenceKind.unsupported
  /// Whether the last sentence given to `begin` starts an epoch.
  private var isStarting = false
  /// How many epochs in a row had a position but no date.
  private var undatedEpochs = 0

  /// The newest dilutions: those of the epoch, completed by those of an earlier one.
  var dilution: DilutionOfPrecision {
    if epoch.deniesDilution { return epoch.dilution }
    var dilution = lastDilution
    dilution.update(with: epoch.dilution)
    return dilution
  }

  /// Notes the Unix time of a TAG block, in nanoseconds. It dates sentences until a sentence has a date.
  mutating func take(tagTime time: Int64) {
    clock.set(tagTime: time)
  }

  /// Finds the time of a report.
  mutating func place(_ report: inout SentenceReport) {
    if report.losesTime || report.losesDate {
      clock.reset()
      report.fixTime = 0
    }
    guard let time = report.time else { return }
    if time.role == .errors {
      report.cycleTime = time.timeOfDay
      return
    }
    clock.set(timeOfDay: time.timeOfDay, day: time.day)
    switch time.role {
    case .epoch:
      report.cycleTime = time.timeOfDay
      report.fixTime = clock.nanoseconds ?? report.fixTime
    case .moment: if isNow(time.timeOfDay) { report.fixTime = clock.nanoseconds }
    case .clock, .errors: break
    }
  }

  /// Whether this is the time of the current epoch, or there is no epoch yet.
  private func isNow(_ time: Int64) -> Bool {
    cycleTime.map { abs(time - $0) < Self.epochSeparation } ?? true
  }

  /// Looks at a sentence before it is merged. Returns whether the current epoch goes out now, because the sentence
  /// starts another epoch and no sentence has closed this one.
  mutating func begin(_ report: inout SentenceReport, of kind: NMEASentenceKind) -> Bool {
    if report.losesTime { return beginWithoutTime(kind) }
    guard let time = report.cycleTime else {
      if let time = report.time, time.role == .moment { noteMoment(time.timeOfDay) }
      return false
    }
    let isOfThisEpoch = cycleTime != nil && isNow(time)
    if !isOfThisEpoch {
      if cycleTime != nil { end.learn() } else { end.forget() }
      isStarting = true
    }
    cycleTime = time
    if isOfThisEpoch { next = nil }
    return isOfThisEpoch ? false : flush()
  }

  /// A receiver without time repeats its empty GGA and RMC, so the kind that came first starts each epoch.
  private mutating func beginWithoutTime(_ kind: NMEASentenceKind) -> Bool {
    guard kind == timelessKind || timelessKind == .unsupported else { return false }
    end.forget()
    cycleTime = nil
    next = nil
    isStarting = true
    return flush()
  }

  /// Some receivers begin a cycle with a sending time, for example in ZDA, and VTG may follow before the first sentence
  /// that has the time of the fix.
  private mutating func noteMoment(_ time: Int64) {
    guard let cycleTime else { return }
    let ahead = (time - cycleTime + Self.day) % Self.day
    if Self.second...Self.day / 2 ~= ahead { expectNext() }
  }

  /// Called when the receiver begins another cycle: later sentences without a time belong to the next epoch.
  mutating func expectNext() {
    if cycleTime != nil, next == nil { next = Epoch() }
  }

  /// Merges a sentence. `inout` avoids a copy; the report is not changed. Returns whether the epoch goes out now,
  /// because the sentence usually ends it.
  ///
  /// - Parameter satellitesUsed: How many satellites GSA names.
  mutating func merge(_ report: inout SentenceReport, of kind: NMEASentenceKind, satellitesUsed: Int?) -> Bool {
    if isStarting { startEpoch(report.losesTime ? kind : .unsupported) }
    if next != nil, report.cycleTime == nil, !report.losesTime {
      next?.add(&report, of: kind, satellitesUsed: satellitesUsed)
      return false
    }
    if let time = report.fixTime { setTime(time) }
    epoch.add(&report, of: kind, satellitesUsed: satellitesUsed)
    if report.draft.latitude != nil || report.draft.mode != .notSeen { hasNews = true }
    if epoch.time > 0 { isEpochTimed = true }

    if report.losesTime { return kind == timelessKind && close(with: kind) }
    guard kind.isOfFix, report.heading == nil, !report.isUnsupported, end.take(kind) else { return false }
    // A GGA may come before the RMC with the date. A receiver that never sends a date is not waited for.
    return epoch.time > 0 || undatedEpochs > 2 ? close(with: kind) : false
  }

  /// Returns whether the current epoch has anything that has not gone out, and marks it as sent.
  mutating func flush() -> Bool {
    wasEmitted ? false : close(with: .unsupported)
  }

  private mutating func setTime(_ time: Int64) {
    guard time != epoch.time else { return }
    if time > 0 {
      // The time has moved, so the last known state is now the previous epoch.
      if isEpochTimed { previous = epoch } else if lastTimed.time != time { previous = lastTimed }
    }
    epoch.set(time: time)
  }

  private mutating func startEpoch(_ timelessKind: NMEASentenceKind) {
    isStarting = false
    if isEpochTimed { lastTimed = epoch }
    undatedEpochs = isEpochTimed || epoch.coordinate == nil ? 0 : undatedEpochs + 1
    isEpochTimed = false
    lastDilution = dilution
    if epoch.mode != .notSeen { lastMode = epoch.mode }
    epoch = next ?? Epoch()
    epoch.start(timeOfDay: cycleTime, after: lastMode)
    next = nil
    self.timelessKind = timelessKind
    hasNews = false
    wasEmitted = false
  }

  /// Called for the sentence that usually ends an epoch. If it comes again in the same epoch, as from a receiver that
  /// sends whole seconds five times a second, it only counts if the position moved. A different kind may repeat the
  /// same position with other decimals.
  private mutating func close(with kind: NMEASentenceKind) -> Bool {
    guard hasNews else { return false }
    let state = (mode: epoch.mode, coordinate: epoch.coordinate)
    if wasEmitted, state == emitted || kind != closingKind { return false }
    hasNews = false
    wasEmitted = true
    closingKind = kind
    emitted = state
    return true
  }
}
