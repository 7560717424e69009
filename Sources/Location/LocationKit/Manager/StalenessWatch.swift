/// Reports once when values of a kind have not arrived for too long.
///
/// The watch uses one timer at a time, and does not reset it for each value. If values have arrived when it fires, it
/// is set again for the remaining time.
@MainActor
final class StalenessWatch {
  /// The extra seconds for a value that was due exactly at the limit.
  private static let grace = 0.25

  private let name: String
  private let clock: any LocationClock
  private var lastTime: Double?
  private var startTime = 0.0
  private var timer: LocationTimer?

  /// The seconds of silence that count as a loss. A change takes effect at once.
  var limit: Double { didSet { if isRunning && !hasExpired { arm() } } }
  private(set) var isRunning = false
  /// Whether the loss has been reported, and no value has arrived since.
  private(set) var hasExpired = false

  /// Called with a sentence that gives the reason of the loss.
  var onStale: (@MainActor (String) -> Void)?

  /// Creates a watch for values that messages call `name`.
  init(for name: String, clock: any LocationClock, limit: Double) {
    self.name = name
    self.clock = clock
    self.limit = limit
  }

  /// Whether there was no value, or the last one is older than the limit or was followed by a loss.
  var isStale: Bool {
    guard let lastTime, !hasExpired else { return true }
    return clock.now - lastTime > limit
  }

  func start() {
    guard !isRunning else { return }
    // A new start does not end an earlier loss.
    if hasExpired { lastTime = nil }
    (isRunning, hasExpired, startTime) = (true, false, clock.now)
    arm()
  }

  func stop() {
    isRunning = false
    timer = nil
  }

  /// Records a value at `now`. Returns whether it ended a loss.
  func refresh(at now: Double) -> Bool {
    lastTime = now
    guard hasExpired else { return false }
    hasExpired = false
    if isRunning { arm() }
    return true
  }

  /// Reports the loss now, if a value has arrived since the start and no loss has been reported since.
  func expire() {
    if isRunning, !hasExpired, let lastTime, lastTime >= startTime { fail("the receiver has no \(name)") }
  }

  private func arm() {
    guard limit < .infinity else { return timer = nil }
    let wait = latest + limit + Self.grace - clock.now
    // The timer belongs to this object and ends with it. A weak reference would slow down every use of the object.
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
