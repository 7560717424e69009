public import FoundationEssentials
public import LocationKit
public import Rx

/// Runs timed operators on the time of a location source: the host's for a live one, the recording's for a replay.
///
///     manager.rx.didUpdateLocations
///       .throttle(.seconds(5), scheduler: manager.rx.clock)
///
/// So a replay gives the same elements at any speed. Actions run on the main actor. After its end a recording's clock stands
/// still: what would be due later does not run any more.
public final class LocationClockScheduler: SchedulerType {
  private let clock: any LocationClock

  /// A scheduler on the time of `clock`.
  public init(_ clock: any LocationClock) {
    self.clock = clock
  }

  /// The clock's time, as if it had begun in 1970: only differences of it mean something. To be asked for on the main
  /// actor, where the clock is; elsewhere it traps.
  public var now: RxTime {
    MainScheduler.ensureRunningOnMainThread(
      errorMessage: "The time of a location source is the main actor's: write observe(on: MainScheduler.instance) first"
    )
    return MainActor.assumeIsolated { Date(timeIntervalSince1970: clock.now) }
  }

  /// Runs `action` as soon as possible, as `MainScheduler` does: at once on the main actor. The clock need not move.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    MainScheduler.instance.schedule(state, action: action)
  }

  /// Runs `action` when the clock has moved on by `dueTime`; after `.never`, never. The span begins when the main actor
  /// learns of it: at once for a caller that is there.
  public func scheduleRelative<StateType: Sendable>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    // What has been scheduled, and then what the action has returned.
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
  /// The time of the manager's source, for operators such as `throttle`, `debounce` and `timeout`. It does not keep the
  /// manager alive.
  @MainActor
  public var clock: LocationClockScheduler { LocationClockScheduler(base.source.clock) }
}
