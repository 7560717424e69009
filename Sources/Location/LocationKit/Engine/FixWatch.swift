/// Tracks whether there is a fix: by fixes, by reports without a fix, and by silence.
struct FixWatch: Sendable {
  enum Change {
    /// The fix was lost, for the reason in this sentence.
    case lost(String)
    /// Another reason applies to a loss.
    case reason
  }

  private(set) var state = FixState.searching
  /// The last fix that counted.
  private(set) var location: Location?
  /// Whether the source is connected, or a recording that has ended.
  var isConnected = true
  private var fixes: StalenessWatch
  /// Exists while the receiver reports that it has no fix, because it may then fall silent.
  private var reports: StalenessWatch?
  private var reportsNoFix = false

  init(limit: Double) { fixes = StalenessWatch(limit: limit) }

  /// The seconds of silence after which the fix is lost.
  var limit: Double {
    get { fixes.limit }
    set {
      fixes.limit = newValue
      reports?.limit = newValue
    }
  }

  var due: Double { min(fixes.due, reports?.due ?? .infinity) }

  func isStale(at now: Double) -> Bool { fixes.isStale(at: now) }

  var hasExpired: Bool { fixes.hasExpired }

  mutating func start(at now: Double) {
    guard !fixes.isRunning else { return }
    fixes.start(at: now)
    state = fixes.isStale(at: now) ? .searching : .current
  }

  mutating func stop() {
    fixes.stop()
    reports = nil
  }

  /// Takes a fix that counts. Returns whether it ended a loss.
  mutating func receive(_ fix: Location, at now: Double) -> Bool {
    (location, state, reportsNoFix) = (fix, .current, false)
    if reports != nil { reports = nil }
    return fixes.refresh(at: now)
  }

  mutating func receiveNoFix(at now: Double) -> Change? {
    receiveFixThatDoesNotCount(at: now)
    return fixes.expire() ? lose("the receiver has no fix") : updateReason()
  }

  mutating func receiveFixThatDoesNotCount(at now: Double) {
    reportsNoFix = true
    var watch = reports ?? StalenessWatch(limit: limit)
    watch.start(at: now)
    _ = watch.refresh(at: now)
    reports = watch
  }

  mutating func lookAtFixes(at now: Double) -> Change? { fixes.look(at: now) ? lose("no fix for \(limit) s") : nil }

  mutating func lookAtReports(at now: Double) -> Change? {
    guard reports?.look(at: now) == true else { return nil }
    reportsNoFix = false
    return updateReason()
  }

  mutating func updateReason() -> Change? {
    guard let loss = state.loss, loss.reason != reason else { return nil }
    state = .lost(FixLoss(reason, location: location))
    return .reason
  }

  private mutating func lose(_ message: String) -> Change {
    state = .lost(FixLoss(reason, location: location))
    return .lost(message)
  }

  private var reason: FixLoss.Reason { !isConnected ? .source : reportsNoFix ? .receiver : .silence }
}
