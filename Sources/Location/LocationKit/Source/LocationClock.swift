import Dispatch
import Synchronization

/// The clock of a source: the host's monotonic clock for a live source, the recording's clock for a replay.
@MainActor
public protocol LocationClock: AnyObject, Sendable {
  /// Seconds since an arbitrary start. The time never goes back.
  var now: Double { get }

  /// Runs `action` once on the main actor, `seconds` from now. Cancelling or releasing the timer prevents it.
  func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer
}

/// A pending action of a `LocationClock`.
public final class LocationTimer: Sendable {
  private let onCancel: @Sendable () -> Void

  /// Creates a timer that runs `onCancel` at once when it is cancelled and when it is released, on the thread where
  /// that happens. `onCancel` may run more than once.
  public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

  /// Prevents the action, if it has not run.
  public func cancel() { onCancel() }

  // Not isolated: if another thread than the first serves the main queue, an isolated deinit would run later, and the
  // action might still run.
  deinit { onCancel() }
}

/// Whether a timer was cancelled, for clocks that look when the action is due.
package final class TimerCancellation: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// A timer that sets the flag when it is cancelled or released.
  package func timer() -> LocationTimer { LocationTimer { self.flag.store(true, ordering: .relaxed) } }
}

/// The host's monotonic clock. Its timers fire on the main queue.
@MainActor
public final class SystemClock: LocationClock {
  /// Creates a clock.
  public init() {}

  /// Seconds of the host's monotonic clock, which stops while the host is suspended.
  public var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  /// Runs `action` on the main actor, `seconds` from now.
  public func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    // A dispatch source can be cancelled from any thread; only its Swift type lacks the annotation.
    nonisolated(unsafe) let source = DispatchSource.makeTimerSource(queue: .main)
    source.schedule(deadline: .now() + max(0, seconds))
    source.setEventHandler { MainActor.assumeIsolated { action() } }
    source.activate()
    return LocationTimer { source.cancel() }
  }
}
