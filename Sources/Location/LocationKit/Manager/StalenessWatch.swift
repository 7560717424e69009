/// Reports once when something that should keep coming has not come for too long.
///
/// One timer at a time, and none per value: when it fires too early because values came meanwhile, it is set
/// again for the rest.
@MainActor
final class StalenessWatch {
  /// How long after the limit a value that was due at that very moment may still come.
  private static let grace = 0.25

  private let name: String
  private let clock: any LocationClock
  private var lastTime: Double?
  private var startTime = 0.0
  private var timer: LocationTimer?

  /// Seconds until silence counts; a change counts at once.
  var limit: Double {
    didSet { if isRunning && !hasExpired { arm() } }
  }
  /// Whether somebody wants to know.
  private(set) var isRunning = false
  /// Whether the loss has been reported, and nothing came since.
  private(set) var hasExpired = false

  /// Takes one sentence that says why the value is lost.
  var onStale: (@MainActor (String) -> Void)?

  /// Creates a watch for what a person calls `name`.
  init(for name: String, clock: any LocationClock, limit: Double) {
    self.name = name
    self.clock = clock
    self.limit = limit
  }

  /// Whether the last value, if there was one, is older than the limit or followed by a loss.
  var isStale: Bool {
    guard let lastTime, !hasExpired else { return true }
    return clock.now - lastTime > limit
  }

  /// Begins to wait for a first value.
  func start() {
    guard !isRunning else { return }
    // What was lost before is not there again because somebody begins to wait.
    if hasExpired { lastTime = nil }
    (isRunning, hasExpired, startTime) = (true, false, clock.now)
    arm()
  }

  /// Reports nothing any more.
  func stop() {
    isRunning = false
    timer = nil
  }

  /// Notes that a value came at `now`. Returns whether it ended a loss.
  func refresh(at now: Double) -> Bool {
    lastTime = now
    guard hasExpired else { return false }
    hasExpired = false
    if isRunning { arm() }
    return true
  }

  /// Reports the loss now, if a value has come since the start and no loss has been reported since.
  func expire() {
    if isRunning, !hasExpired, let lastTime, lastTime >= startTime { fail("the receiver has no \(name)") }
  }

  private func arm() {
    guard limit < .infinity else { return timer = nil }
    let wait = latest + limit + Self.grace - clock.now
    // The timer is this object's own and ends with it. A weak reference would make each use of the object slower.
    timer = clock.schedule(after: wait) { [unowned self] in check() }
  }

  private func check() {
    if clock.now - latest > limit { fail("no \(name) for \(limit) s") } else { arm() }
  }

  private func fail(_ reason: String) {
    hasExpired = true
    timer = nil
    onStale?(reason)
  }

  private var latest: Double { max(startTime, lastTime ?? startTime) }
}
