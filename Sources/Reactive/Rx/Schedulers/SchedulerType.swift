public import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Something that runs actions as soon as it can (RxSwift).
public protocol ImmediateSchedulerType: Sendable {
  /// Runs `action` with `state`. The result cancels it, or disposes what `action` returned.
  func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable
}

/// Something that runs actions now or later (RxSwift).
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
  /// The wall clock's time.
  public var now: RxTime { Date() }

  /// Runs `action` periodically by scheduling each tick from the one before it.
  public func schedulePeriodic<StateType: Sendable>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    let periodic = PeriodicAction(state, action)
    return scheduleRecursive((), dueTime: startAfter) { _, scheduler in
      // The next tick first, so that its time does not depend on how long this one takes.
      scheduler.schedule((), dueTime: period)
      periodic.tick { scheduler.isDisposed }
    }
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
    let scheduler = AnyRecursiveScheduler<State>(scheduler: self) { state, scheduler in
      action(state) { scheduler.schedule($0) }
    }
    scheduler.schedule(state)
    return Disposables.create(with: scheduler.dispose)
  }
}

/// Runs a periodic action, one tick at a time: the missed ticks follow one that takes longer than the period.
final class PeriodicAction<State: Sendable>: Sendable {
  private let state: Locked<State>
  private let action: @Sendable (State) -> State
  private let steps = SerialSteps()

  init(_ state: State, _ action: @escaping @Sendable (State) -> State) {
    self.state = Locked(state)
    self.action = action
  }

  /// Runs the action with what it returned the last time, unless `isDisposed`.
  func tick(_ isDisposed: () -> Bool) {
    steps.run {
      if isDisposed() { return }
      state.replace(with: action(state.withLock { $0 }))
    }
  }
}

/// A span of time (RxSwift).
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time (RxSwift).
public typealias RxTime = Date

extension DispatchTimeInterval {
  /// The span in seconds; infinite for `.never`.
  package var seconds: Double {
    switch self {
    case .seconds(let value): Double(value)
    case .milliseconds(let value): Double(value) / 1e3
    case .microseconds(let value): Double(value) / 1e6
    case .nanoseconds(let value): Double(value) / 1e9
    case .never: .infinity
    @unknown default: .infinity
    }
  }

  /// The rest of this span at `now`, if it began at `start`; zero if it is over.
  ///
  /// To the nanosecond, where RxSwift rounds to the unit of the span.
  func remaining(since start: RxTime, at now: RxTime) -> RxTimeInterval {
    let nanoseconds = ((seconds - now.timeIntervalSince(start)) * 1e9).rounded()
    if nanoseconds <= 0 { return .nanoseconds(0) }
    return Int(exactly: nanoseconds).map { .nanoseconds($0) } ?? .never
  }
}
