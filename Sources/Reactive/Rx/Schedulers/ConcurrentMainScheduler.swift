import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Runs actions on the main queue, at once when already there even if others are waiting (RxSwift's
/// `ConcurrentMainScheduler`); made for `subscribe(on:)`.
public final class ConcurrentMainScheduler: SchedulerType {
  private let main = DispatchQueueConfiguration(queue: .main, leeway: .nanoseconds(0))

  /// The scheduler.
  public static let instance = ConcurrentMainScheduler()

  private init() {}

  /// The wall clock's time.
  public var now: RxTime {
    Date()
  }

  /// Runs `action` at once on the main queue, otherwise later.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    MainQueue.isCurrent ? action(state) : main.schedule(state, action: action)
  }

  /// Runs `action` on the main queue after `dueTime`.
  public func scheduleRelative<StateType: Sendable>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    main.scheduleRelative(state, dueTime: dueTime, action: action)
  }

  /// Runs `action` on the main queue after `startAfter` and then every `period`.
  public func schedulePeriodic<StateType: Sendable>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    main.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
  }
}
