/// Knows whether there is a fix: from fixes, from the receiver's word that it has none, and from silence.
@MainActor
final class FixWatch {
  private(set) var state = FixState.searching
  /// The last fix that counted.
  private(set) var location: Location?

  /// Takes one sentence that says why the fix is lost.
  var onLoss: (@MainActor (String) -> Void)?
  /// Called when there is no fix any more, and when there is none for another reason than before.
  var onChange: (@MainActor () -> Void)?

  private let source: any LocationSource
  private let fixes: StalenessWatch
  /// Runs while the receiver says that it has no fix, since it may fall silent then.
  private let reports: StalenessWatch
  private var reportsNoFix = false

  init(source: any LocationSource, limit: Double) {
    self.source = source
    fixes = StalenessWatch(for: "fix", clock: source.clock, limit: limit)
    reports = StalenessWatch(for: "report", clock: source.clock, limit: limit)
    fixes.onStale = { [unowned self] in lose($0) }
    reports.onStale = { [unowned self] _ in fallSilent() }
  }

  /// Seconds of silence after which there is no fix any more.
  var limit: Double {
    get { fixes.limit }
    set { (fixes.limit, reports.limit) = (newValue, newValue) }
  }

  /// Whether `location` is unknown, older than the limit or followed by a loss, to the second.
  var isStale: Bool { fixes.isStale }

  /// Whether there is a fix, as `state` says.
  var hasFix: Bool { if case .current = state { true } else { false } }

  /// Whether a loss has been reported, and no fix came since.
  var hasExpired: Bool { fixes.hasExpired }

  /// Begins to wait for a fix; does nothing when that has been started already.
  func start() {
    guard !fixes.isRunning else { return }
    fixes.start()
    state = fixes.isStale ? .searching : .current
  }

  /// Reports nothing any more.
  func stop() {
    fixes.stop()
    reports.stop()
  }

  /// Takes a fix that counts, at `now` on the source's clock. Returns whether it ended a loss.
  func receive(_ fix: Location, at now: Double) -> Bool {
    location = fix
    state = .current
    reportsNoFix = false
    if reports.isRunning { reports.stop() }
    return fixes.refresh(at: now)
  }

  /// Takes the receiver's word that it has no fix.
  func receiveNoFix() {
    receiveFixThatDoesNotCount()
    fixes.expire()
    if state.loss != nil { change(to: reason) }
  }

  /// Takes a report of a fix that is less accurate than is asked for.
  func receiveFixThatDoesNotCount() {
    reportsNoFix = true
    reports.start()
    _ = reports.refresh(at: source.clock.now)
  }

  /// Looks at the source again, of which the status has changed.
  func sourceDidChange() {
    if state.loss != nil { change(to: reason) }
  }

  private func lose(_ message: String) {
    state = .lost(FixLoss(reason, location: location))
    onLoss?(message)
    onChange?()
  }

  private func fallSilent() {
    reportsNoFix = false
    if state.loss != nil { change(to: reason) }
  }

  private func change(to reason: FixLoss.Reason) {
    guard state.loss?.reason != reason else { return }
    state = .lost(FixLoss(reason, location: location))
    onChange?()
  }

  private var reason: FixLoss.Reason {
    switch source.status {
    case .connected, .finished: reportsNoFix ? .receiver : .silence
    case .idle, .connecting, .waiting: .source
    }
  }
}
