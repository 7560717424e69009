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
