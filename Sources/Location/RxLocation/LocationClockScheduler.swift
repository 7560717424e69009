public import FoundationEssentials
public import LocationKit
public import Rx

/// A scheduler on the clock of a location source: the host's clock for a live source, the recording's for a replay.
///
///     manager.rx.didUpdateLocations
///       .throttle(.seconds(5), scheduler: manager.rx.clock)
///
/// A replay therefore gives the same elements at any speed. Actions run on the main actor. A recording's clock stops at
/// its end, so actions that are due later never run.
public final class LocationClockScheduler: SchedulerType {
  private let clock: any LocationClock

  /// Creates a scheduler on `clock`.
  public init(_ clock: any LocationClock) { self.clock = clock }

  /// The clock's time, counted from 1970; only differences are meaningful. It must be read on the main actor and traps
  /// elsewhere.
  public var now: RxTime {
    MainScheduler.ensureRunningOnMainThread(
      errorMessage: "The time of a location source is the main actor's: write observe(on: MainScheduler.instance) first"
    )
    return MainActor.assumeIsolated { Date(timeIntervalSince1970: clock.now) }
  }

  /// Runs `action` as soon as possible, as `MainScheduler` does: at once on the main actor. The clock need not advance.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    MainScheduler.instance.schedule(state, action: action)
  }

  /// Runs `action` when the clock has advanced by `dueTime`; `.never` means never. The time starts when the main actor
  /// handles the call, which is at once if the caller is on the main actor.
  public func scheduleRelative<StateType: Sendable>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    // The timer at first, then the disposable that the action returned.
    let current = SerialDisposable()
    let seconds = dueTime.seconds
    guard seconds.isFinite else { return current }
    MainQueue.run { [clock] in
      guard !current.isDisposed else { return }
      let timer = clock.schedule(after: seconds) {
        if !current.isDisposed { current.disposable = action(state) }
      }
      current.disposable = Disposables.create { timer.cancel() }
    }
    return current
  }
}

extension Reactive where Base: LocationManager {
  /// A scheduler on the time of the manager's source, for operators such as `throttle`, `debounce` and `timeout`. It
  /// does not keep the manager alive.
  @MainActor
  public var clock: LocationClockScheduler { LocationClockScheduler(base.source.clock) }
}
