/// A clock that moves only when it is told to: the time of a recording or a test.
@MainActor
public final class VirtualClock: LocationClock {
  private struct Entry {
    var due: Double
    var cancellation: TimerCancellation
    var action: @MainActor () -> Void
  }

  /// Seconds since this clock's start.
  public var now: Double { current }

  // A private variable: the compiler sees all its uses, and omits the checks for overlapping accesses.
  private var current = 0.0
  // The next due entry is the last element, so that advancing costs nothing while no entry is due.
  private var entries: [Entry] = []

  /// Creates a clock at 0 s.
  public init() {}

  /// Moves the clock to `time` and runs the actions that become due, by due time and then by the order of scheduling.
  /// The clock never goes back.
  public func advance(to time: Double) {
    while let next = entries.last, next.due <= time {
      entries.removeLast()
      if next.cancellation.isCancelled { continue }
      current = max(current, next.due)
      next.action()
    }
    current = max(current, time)
  }

  /// Moves the clock ahead by `seconds`.
  public func advance(by seconds: Double) { advance(to: now + seconds) }

  /// Runs `action` when the clock has moved ahead by `seconds` or more.
  public func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    let due = now + max(0, seconds)
    let cancellation = TimerCancellation()
    // Cancelled entries are removed when they are due, or when there are many entries.
    if entries.count == entries.capacity { entries.removeAll { $0.cancellation.isCancelled } }
    // After the entries that are due later, and before those of the same time, which run first.
    let index = entries.lastIndex { $0.due > due }.map { $0 + 1 } ?? 0
    entries.insert(Entry(due: due, cancellation: cancellation, action: action), at: index)
    return cancellation.timer()
  }
}
