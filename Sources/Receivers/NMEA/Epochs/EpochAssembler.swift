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

  /// What tells the epochs of the receiver apart.
  private enum Cycle {
    case unknown
    /// The time of day of the epoch in nanoseconds.
    case timed(Int64)
    /// The receiver has no time. A sentence of this kind, which came first, starts each epoch.
    case timeless(NMEASentenceKind)
  }

  /// What has gone out of the current epoch.
  private enum Output {
    /// Nothing yet. `hasNews`: the epoch has a position or a mode.
    case pending(hasNews: Bool)
    /// The epoch went out with a sentence of this kind, in this state. `hasNews`: a position or a mode has come since.
    case sent(NMEASentenceKind, mode: LocationDraft.Mode, LocationCoordinate2D?, hasNews: Bool)
    /// The epoch has ended. The next merged sentence starts another one.
    case ended
  }

  private(set) var epoch = Epoch()
  /// The last epoch that had a time, complete with its last sentence.
  private(set) var previous = Epoch()
  /// The last epoch before this one that had a time.
  private var lastTimed = Epoch()
  /// Values of sentences without a time that belong to the next epoch; `nil` until `expectNext`.
  private var next: Epoch?

  private var cycle = Cycle.unknown
  private var output = Output.pending(hasNews: false)
  private var clock = ReceiverClock()
  private var end = EpochEnd()
  private var lastDilution = DilutionOfPrecision()
  /// The mode of the last epoch that had one.
  private var lastMode = LocationDraft.Mode.notSeen
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
  mutating func receive(tagTime time: Int64) { clock.tagTime = time }

  mutating func place(_ report: inout SentenceReport) {
    if report.losesTime || report.losesDate {
      clock = ReceiverClock()
      report.fixTime = 0
    }
    guard let time = report.time else { return }
    if time.role != .errors { clock.set(timeOfDay: time.timeOfDay, day: time.day) }
    switch time.role {
    case .epoch:
      report.cycleTime = time.timeOfDay
      report.fixTime = clock.nanoseconds ?? report.fixTime
    case .moment: if isNow(time.timeOfDay) { report.fixTime = clock.nanoseconds }
    case .errors: report.cycleTime = time.timeOfDay
    case .clock: break
    }
  }

  /// Whether this is the time of the current epoch, or there is no epoch with a time yet.
  private func isNow(_ time: Int64) -> Bool {
    if case .timed(let now) = cycle { abs(time - now) < Self.epochSeparation } else { true }
  }

  /// Looks at a sentence before it is merged. Returns whether the current epoch goes out now, because the sentence
  /// starts another epoch and no sentence has closed this one.
  mutating func begin(_ report: inout SentenceReport, of kind: NMEASentenceKind) -> Bool {
    if report.losesTime {
      if case .timeless(let first) = cycle, kind != first { return false }
      end.forget()
      next = nil
      return startCycle(.timeless(kind))
    }
    guard let time = report.cycleTime else {
      if let time = report.time, time.role == .moment { noteMoment(time.timeOfDay) }
      return false
    }
    guard case .timed = cycle else {
      end.forget()
      return startCycle(.timed(time))
    }
    if !isNow(time) {
      end.learn()
      return startCycle(.timed(time))
    }
    cycle = .timed(time)
    next = nil
    return false
  }

  private mutating func startCycle(_ new: Cycle) -> Bool {
    cycle = new
    defer { output = .ended }
    return flush()
  }

  /// Some receivers begin a cycle with a sending time, for example in ZDA, and VTG may follow before the first sentence
  /// that has the time of the fix.
  private mutating func noteMoment(_ time: Int64) {
    guard case .timed(let cycleTime) = cycle else { return }
    let ahead = (time - cycleTime + Self.day) % Self.day
    if Self.second...Self.day / 2 ~= ahead { expectNext() }
  }

  /// Called when the receiver begins another cycle: later sentences without a time belong to the next epoch.
  mutating func expectNext() {
    if case .timed = cycle, next == nil { next = Epoch() }
  }

  /// Merges a sentence. Returns whether the epoch goes out now, because the sentence usually ends it.
  mutating func merge(_ report: inout SentenceReport, of kind: NMEASentenceKind, satellitesUsed: Int?) -> Bool {
    if case .ended = output { startEpoch() }
    if next != nil, report.cycleTime == nil, !report.losesTime {
      next?.add(&report, of: kind, satellitesUsed: satellitesUsed)
      return false
    }
    if let time = report.fixTime { setTime(time) }
    epoch.add(&report, of: kind, satellitesUsed: satellitesUsed)
    if report.draft.latitude != nil || report.draft.mode != .notSeen { noteNews() }

    if report.losesTime {
      if case .timeless(kind) = cycle { return close(with: kind) }
      return false
    }
    guard kind.isOfFix, report.heading == nil, !report.isUnsupported, end.receive(kind) else { return false }
    // A GGA may come before the RMC with the date. A receiver that never sends a date is not waited for.
    return epoch.time > 0 || undatedEpochs > 2 ? close(with: kind) : false
  }

  /// Returns whether the current epoch has not gone out and has anything to send, and marks it as sent.
  mutating func flush() -> Bool {
    if case .pending = output { close(with: .unsupported) } else { false }
  }

  private mutating func setTime(_ time: Int64) {
    guard time != epoch.time else { return }
    if time > 0 {
      // The time has moved, so the last known state is now the previous epoch.
      if epoch.isTimed { previous = epoch } else if lastTimed.time != time { previous = lastTimed }
    }
    epoch.set(time: time)
  }

  private mutating func startEpoch() {
    if epoch.isTimed { lastTimed = epoch }
    undatedEpochs = epoch.isTimed || epoch.coordinate == nil ? 0 : undatedEpochs + 1
    lastDilution = dilution
    let mode = epoch.mode
    if mode != .notSeen { lastMode = mode }
    epoch = next ?? Epoch()
    let timeOfDay: Int64? = if case .timed(let time) = cycle { time } else { nil }
    epoch.start(timeOfDay: timeOfDay, after: lastMode)
    next = nil
    output = .pending(hasNews: false)
  }

  private mutating func noteNews() {
    switch output {
    case .pending, .ended: output = .pending(hasNews: true)
    case .sent(let kind, let mode, let coordinate, _): output = .sent(kind, mode: mode, coordinate, hasNews: true)
    }
  }

  /// Called for the sentence that usually ends an epoch. If it comes again in the same epoch, as from a receiver that
  /// sends whole seconds five times a second, it only counts if the position moved. A different kind may repeat the
  /// same position with other decimals.
  private mutating func close(with kind: NMEASentenceKind) -> Bool {
    let (mode, coordinate) = (epoch.mode, epoch.coordinate)
    switch output {
    case .pending(hasNews: false), .ended, .sent(_, _, _, hasNews: false): return false
    case .sent(let closingKind, let sentMode, let sentCoordinate, hasNews: true):
      if kind != closingKind || (mode == sentMode && coordinate == sentCoordinate) { return false }
    case .pending(hasNews: true): break
    }
    output = .sent(kind, mode: mode, coordinate, hasNews: false)
    return true
  }
}
