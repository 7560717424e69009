import Synchronization

/// A clock that moves only when somebody moves it: a recording's time, or a test's.
@MainActor
public final class VirtualClock: LocationClock {
  private final class Cancellation: Sendable {
    let isCancelled = Atomic(false)
  }

  private struct Entry {
    var due: Double
    var id: Int
    var cancellation: Cancellation
    var action: @MainActor () -> Void
  }

  /// Seconds since this clock's start.
  public var now: Double { current }

  // Not public itself: the compiler sees all uses, and that none needs a check for overlapping accesses.
  private var current = 0.0
  // The next one due is the last, so that a clock with nothing to run advances at no cost.
  private var entries: [Entry] = []
  private var nextID = 0

  /// Creates a clock at 0 s.
  public init() {}

  /// Moves the clock to `time`, running on the way what is due, in order of due time, and in order of
  /// scheduling where that is equal. The clock itself does not move back when `time` is not ahead of `now`.
  public func advance(to time: Double) {
    while let next = entries.last, next.due <= time {
      entries.removeLast()
      if next.cancellation.isCancelled.load(ordering: .relaxed) { continue }
      current = max(current, next.due)
      next.action()
    }
    current = max(current, time)
  }

  /// Moves the clock on by `seconds`.
  public func advance(by seconds: Double) {
    advance(to: now + seconds)
  }

  /// Runs `action` when the clock is moved `seconds` ahead or further.
  public func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    nextID += 1
    let (due, id) = (now + max(0, seconds), nextID)
    let cancellation = Cancellation()
    // Cancelled entries go when they are due, or when there are many.
    if entries.count == entries.capacity {
      entries.removeAll { $0.cancellation.isCancelled.load(ordering: .relaxed) }
    }
    entries.insert(
      Entry(due: due, id: id, cancellation: cancellation, action: action), at: position(due: due, id: id))
    return LocationTimer { cancellation.isCancelled.store(true, ordering: .relaxed) }
  }

  /// Where an entry is or belongs: behind all that are due later.
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
