/// A clock that moves only when it is told to: the time of a recording or a test.
@MainActor
public final class VirtualClock: LocationClock {
  private struct Entry {
    var due: Double
    var id: Int
    var cancellation: TimerCancellation
    var action: @MainActor () -> Void
  }

  /// Seconds since this clock's start.
  public var now: Double { current }

  // A private variable: the compiler sees all its uses, and omits the checks for overlapping accesses.
  private var current = 0.0
  // The next due entry is the last element, so that advancing costs nothing while no entry is due.
  private var entries: [Entry] = []
  private var nextID = 0

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
    nextID += 1
    let (due, id) = (now + max(0, seconds), nextID)
    let cancellation = TimerCancellation()
    // Cancelled entries are removed when they are due, or when there are many entries.
    if entries.count == entries.capacity { entries.removeAll { $0.cancellation.isCancelled } }
    entries.insert(Entry(due: due, id: id, cancellation: cancellation, action: action), at: position(due: due, id: id))
    return cancellation.timer()
  }

  /// Returns the index of an entry, which is after all entries that are due later.
  private func position(due: Double, id: Int) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      let entry = entries[middle]
      if entry.due > due || (entry.due == due && entry.id > id) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
