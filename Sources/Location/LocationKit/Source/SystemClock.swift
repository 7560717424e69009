import Dispatch

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
