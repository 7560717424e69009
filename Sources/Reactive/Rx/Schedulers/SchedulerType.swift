public import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A span of time (RxSwift's `RxTimeInterval`).
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time (RxSwift's `RxTime`).
public typealias RxTime = Date

/// Something that runs actions as soon as it can (RxSwift's `ImmediateSchedulerType`).
public protocol ImmediateSchedulerType: Sendable {
  /// Runs `action` with `state`. The result cancels it, or disposes what `action` returned.
  func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable
}

/// Something that runs actions now or later (RxSwift's `SchedulerType`).
public protocol SchedulerType: ImmediateSchedulerType {
  /// The scheduler's time.
  var now: RxTime { get }

  /// Runs `action` with `state` after `dueTime`. The result cancels it, or disposes what `action` returned.
  func scheduleRelative<StateType: Sendable>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable

  /// Runs `action` after `startAfter` and then every `period`, each time with what it returned the last time.
  func schedulePeriodic<StateType: Sendable>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable
}

extension SchedulerType {
  /// Runs `action` periodically by scheduling each tick from the one before it.
  public func schedulePeriodic<StateType: Sendable>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    PeriodicRecursion(scheduler: self, state: state, period: period, action: action).start(after: startAfter)
  }

  /// Runs `action` after `dueTime`; it may schedule itself again with the scheduler it is given.
  public func scheduleRecursive<State: Sendable>(
    _ state: State, dueTime: RxTimeInterval,
    action: @escaping @Sendable (_ state: State, _ scheduler: AnyRecursiveScheduler<State>) -> Void
  ) -> any Disposable {
    let scheduler = AnyRecursiveScheduler(scheduler: self, action: action)
    scheduler.schedule(state, dueTime: dueTime)
    return Disposables.create(with: scheduler.dispose)
  }
}

extension ImmediateSchedulerType {
  /// Runs `action`; it may run itself again by calling `recurse` with the next state.
  public func scheduleRecursive<State: Sendable>(
    _ state: State,
    action: @escaping @Sendable (_ state: State, _ recurse: @escaping @Sendable (State) -> Void) -> Void
  ) -> any Disposable {
    let scheduler = RecursiveImmediateScheduler(scheduler: self, action: action)
    scheduler.schedule(state)
    return Disposables.create(with: scheduler.dispose)
  }
}
