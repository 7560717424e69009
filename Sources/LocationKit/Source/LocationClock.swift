/// The time a source runs on: the host's monotonic clock for a live source, the recording's own for a replay.
@MainActor
public protocol LocationClock: AnyObject {
  /// Seconds since an arbitrary start; never runs backwards.
  var now: Double { get }

  /// Runs `action` once on the main actor, `seconds` from now. Release or cancel the token to prevent it.
  func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer
}

/// A pending action of a `LocationClock`.
@MainActor
public final class LocationTimer {
  private var onCancel: (() -> Void)?

  /// Creates a timer that runs `onCancel` when it is cancelled or released.
  public init(onCancel: @escaping () -> Void) {
    self.onCancel = onCancel
  }

  /// Prevents the action, if it has not run.
  public func cancel() {
    onCancel?()
    onCancel = nil
  }

  isolated deinit {
    onCancel?()
  }
}
