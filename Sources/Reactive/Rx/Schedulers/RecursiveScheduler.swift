import Synchronization

/// The pending steps of an action that schedules itself again: at most a few at a time, all cancelled together.
final class RecursiveSteps: Sendable {
  private let group = CompositeDisposable()

  var isDisposed: Bool {
    group.isDisposed
  }

  /// Schedules one step with `schedule`, which is given what to run, and forgets the step when it has run.
  func add(_ schedule: (@escaping @Sendable () -> Void) -> any Disposable) {
    let step = Step()
    let disposable = schedule { [group] in
      if let key = step.finish() { group.remove(for: key) }
    }
    guard !step.isFinished, let key = group.insert(disposable) else { return }
    // The step may have run between the two lines above and this one.
    if !step.added(key) { group.remove(for: key) }
  }

  func dispose() {
    group.dispose()
  }

  private final class Step: Sendable {
    private enum State: Sendable {
      case scheduled
      case added(CompositeDisposable.DisposeKey)
      case finished
    }

    private let state = Locked(State.scheduled)

    var isFinished: Bool {
      state.withLock { if case .finished = $0 { true } else { false } }
    }

    /// Says that the step has begun to run; returns the key it was added with, if any.
    func finish() -> CompositeDisposable.DisposeKey? {
      state.withLock { state in
        defer { state = .finished }
        return if case .added(let key) = state { key } else { nil }
      }
    }

    /// Remembers the key, unless the step has begun to run.
    func added(_ key: CompositeDisposable.DisposeKey) -> Bool {
      state.withLock { state in
        if case .finished = state { return false }
        state = .added(key)
        return true
      }
    }
  }
}

/// Schedules an action again and again, on a scheduler with time (RxSwift's `AnyRecursiveScheduler`).
public final class AnyRecursiveScheduler<State: Sendable>: Sendable {
  typealias Action = @Sendable (_ state: State, _ scheduler: AnyRecursiveScheduler<State>) -> Void

  private struct Work: Sendable {
    var action: Action?
  }

  private let scheduler: any SchedulerType
  private let steps = RecursiveSteps()
  private let work: Locked<Work>

  init(scheduler: any SchedulerType, action: @escaping Action) {
    self.scheduler = scheduler
    work = Locked(Work(action: action))
  }

  /// Runs the action with `state` after `dueTime`.
  public func schedule(_ state: State, dueTime: RxTimeInterval) {
    steps.add { begin in
      scheduler.scheduleRelative(state, dueTime: dueTime) { state in
        self.run(state, begin)
      }
    }
  }

  /// Runs the action with `state` as soon as the scheduler can.
  public func schedule(_ state: State) {
    steps.add { begin in
      scheduler.schedule(state) { state in
        self.run(state, begin)
      }
    }
  }

  /// Cancels what is scheduled and lets go of the action.
  public func dispose() {
    work.withLock { $0.action = nil }
    steps.dispose()
  }

  private func run(_ state: State, _ begin: @Sendable () -> Void) -> any Disposable {
    if !steps.isDisposed {
      begin()
      work.withLock { $0.action }?(state, self)
    }
    return Disposables.create()
  }
}

/// Runs an action again and again, each time as soon as the scheduler can.
final class RecursiveImmediateScheduler<State: Sendable>: Sendable {
  typealias Action = @Sendable (_ state: State, _ recurse: @escaping @Sendable (State) -> Void) -> Void

  private struct Work: Sendable {
    var action: Action?
  }

  private let scheduler: any ImmediateSchedulerType
  private let steps = RecursiveSteps()
  private let work: Locked<Work>

  init(scheduler: any ImmediateSchedulerType, action: @escaping Action) {
    self.scheduler = scheduler
    work = Locked(Work(action: action))
  }

  func schedule(_ state: State) {
    steps.add { begin in
      scheduler.schedule(state) { state in
        if !self.steps.isDisposed {
          begin()
          self.work.withLock { $0.action }?(state, self.schedule)
        }
        return Disposables.create()
      }
    }
  }

  func dispose() {
    work.withLock { $0.action = nil }
    steps.dispose()
  }
}
