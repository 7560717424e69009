/// Tracks whether there is a fix: by fixes, by reports without a fix, and by silence.
@MainActor
final class FixWatch {
  private(set) var state = FixState.searching
  /// The last fix that counted.
  private(set) var location: Location?

  /// Called with a sentence that gives the reason of a loss.
  var onLoss: (@MainActor (String) -> Void)?
  /// Called when the fix is lost, and when the reason of the loss changes.
  var onChange: (@MainActor () -> Void)?

  private let source: any LocationSource
  private let fixes: StalenessWatch
  /// Exists while the receiver reports that it has no fix, because it may then fall silent.
  private var reports: StalenessWatch?
  private var reportsNoFix = false

  init(source: any LocationSource, limit: Double) {
    self.source = source
    fixes = StalenessWatch(for: "fix", clock: source.clock, limit: limit)
    fixes.onStale = { [unowned self] in lose($0) }
  }

  /// The seconds of silence after which the fix is lost.
  var limit: Double {
    get { fixes.limit }
    set {
      fixes.limit = newValue
      reports?.limit = newValue
    }
  }

  /// Whether `location` is unknown, older than the limit, or was followed by a loss.
  var isStale: Bool { fixes.isStale }

  var hasFix: Bool { if case .current = state { true } else { false } }

  /// Whether a loss has been reported, and no fix has arrived since.
  var hasExpired: Bool { fixes.hasExpired }

  func start() {
    guard !fixes.isRunning else { return }
    fixes.start()
    state = fixes.isStale ? .searching : .current
  }

  func stop() {
    fixes.stop()
    reports = nil
  }

  /// Takes a fix that counts, at `now` on the source's clock. Returns whether it ended a loss.
  func receive(_ fix: Location, at now: Double) -> Bool {
    location = fix
    state = .current
    reportsNoFix = false
    if reports != nil { reports = nil }
    return fixes.refresh(at: now)
  }

  func receiveNoFix() {
    receiveFixThatDoesNotCount()
    fixes.expire()
    updateReason()
  }

  func receiveFixThatDoesNotCount() {
    reportsNoFix = true
    if reports == nil {
      reports = StalenessWatch(for: "report", clock: source.clock, limit: limit)
      reports?.onStale = { [unowned self] _ in fallSilent() }
    }
    reports?.start()
    _ = reports?.refresh(at: source.clock.now)
  }

  func sourceDidChange() { updateReason() }

  private func lose(_ message: String) {
    state = .lost(FixLoss(reason, location: location))
    onLoss?(message)
    onChange?()
  }

  private func fallSilent() {
    reportsNoFix = false
    updateReason()
  }

  private func updateReason() {
    guard let loss = state.loss, loss.reason != reason else { return }
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
