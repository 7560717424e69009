import Dispatch

/// The time a source runs on: the host's monotonic clock for a live source, the recording's own for a replay.
@MainActor
public protocol LocationClock: AnyObject, Sendable {
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
