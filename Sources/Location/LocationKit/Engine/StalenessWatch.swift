/// Notices once when values of a kind have not arrived for too long.
///
/// A look at the watch is due at a time that values do not move. If values have arrived by then, the next look is due
/// after the remaining time.
struct StalenessWatch: Sendable {
  /// The extra seconds for a value that was due exactly at the limit.
  private static let grace = 0.25

  /// The time of the next look; infinite without one.
  private(set) var due = Double.infinity
  private(set) var isRunning = false
  /// Whether the loss has been noticed, and no value has arrived since.
  private(set) var hasExpired = false
  private var lastTime: Double?
  private var startTime = 0.0

  /// The seconds of silence that count as a loss. A change takes effect at once.
  var limit: Double { didSet { if isRunning && !hasExpired { arm() } } }

  init(limit: Double) { self.limit = limit }

  /// Whether there was no value, or the last one is older than the limit or was followed by a loss.
  func isStale(at now: Double) -> Bool {
    guard let lastTime, !hasExpired else { return true }
    return now - lastTime > limit
  }

  mutating func start(at now: Double) {
    guard !isRunning else { return }
    // A new start does not end an earlier loss.
    if hasExpired { lastTime = nil }
    (isRunning, hasExpired, startTime) = (true, false, now)
    arm()
  }

  mutating func stop() { (isRunning, due) = (false, .infinity) }

  /// Records a value. Returns whether it ended a loss.
  mutating func refresh(at now: Double) -> Bool {
    lastTime = now
    guard hasExpired else { return false }
    hasExpired = false
    if isRunning { arm() }
    return true
  }

  /// Ends the waiting with a loss, if a value has arrived since the start and no loss has been noticed since. Returns
  /// whether it did.
  mutating func expire() -> Bool {
    guard isRunning, !hasExpired, let lastTime, lastTime >= startTime else { return false }
    (hasExpired, due) = (true, .infinity)
    return true
  }

  /// Returns whether values have now been absent for too long.
  mutating func look(at now: Double) -> Bool {
    guard now >= due else { return false }
    guard now - latest > limit else {
      arm()
      return false
    }
    (hasExpired, due) = (true, .infinity)
    return true
  }

  private mutating func arm() { due = limit < .infinity ? latest + limit + Self.grace : .infinity }

  private var latest: Double { max(startTime, lastTime ?? startTime) }
}
