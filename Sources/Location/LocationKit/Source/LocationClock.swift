import Dispatch
import Synchronization

/// The time a source runs on: the host's monotonic clock for a live source, the recording's own for a replay.
@MainActor
public protocol LocationClock: AnyObject {
  /// Seconds since an arbitrary start; never runs backwards.
  var now: Double { get }

  /// Runs `action` once on the main actor, `seconds` from now. Release or cancel the token to prevent it.
  func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer
}

/// A pending action of a `LocationClock`.
public final class LocationTimer: Sendable {
  private let onCancel: @Sendable () -> Void

  /// Creates a timer that runs `onCancel` when it is cancelled, and when it is released: at once, on whichever thread
  /// that happens. It may run more than once.
  public init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = onCancel
  }

  /// Prevents the action, if it has not run.
  public func cancel() {
    onCancel()
  }

  // Not isolated: an isolated deinit would run later when the main queue is served by another thread than the
  // first, and the action with it.
  deinit {
    onCancel()
  }
}

/// The host's monotonic clock; its timers fire on the main queue.
@MainActor
public final class SystemClock: LocationClock {
  /// Creates a clock.
  public init() {}

  /// Seconds of the host's monotonic clock, which stands still while the host is suspended.
  public var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  /// Runs `action` on the main actor, `seconds` from now.
  public func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    // Cancelling a dispatch source is safe from any thread; only its Swift type does not say so.
    nonisolated(unsafe) let source = DispatchSource.makeTimerSource(queue: .main)
    source.schedule(deadline: .now() + max(0, seconds))
    source.setEventHandler { MainActor.assumeIsolated { action() } }
    source.activate()
    return LocationTimer { source.cancel() }
  }
}

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
  public private(set) var now: Double = 0
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
      now = max(now, next.due)
      next.action()
    }
    now = max(now, time)
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
