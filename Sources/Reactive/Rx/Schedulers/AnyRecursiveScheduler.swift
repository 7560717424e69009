/// Schedules an action again and again, and cancels all of it at once (RxSwift).
public final class AnyRecursiveScheduler<State: Sendable>: Sendable {
  typealias Action = @Sendable (_ state: State, _ scheduler: AnyRecursiveScheduler<State>) -> Void

  private struct Work: Sendable {
    var action: Action?
  }

  private let scheduler: any ImmediateSchedulerType
  /// The steps that are scheduled and have not begun.
  private let steps = CompositeDisposable()
  private let work: Locked<Work>

  init(scheduler: any ImmediateSchedulerType, action: @escaping Action) {
    self.scheduler = scheduler
    work = Locked(Work(action: action))
  }

  var isDisposed: Bool { steps.isDisposed }

  /// Runs the action with `state` after `dueTime`.
  public func schedule(_ state: State, dueTime: RxTimeInterval) {
    // Callers that schedule steps with a delay use a scheduler that supports it.
    guard let scheduler = scheduler as? any SchedulerType else { return schedule(state) }
    addStep { run in scheduler.scheduleRelative(state, dueTime: dueTime, action: run) }
  }

  /// Runs the action with `state` as soon as the scheduler can.
  public func schedule(_ state: State) { addStep { run in scheduler.schedule(state, action: run) } }

  /// Cancels the scheduled actions and releases the action.
  public func dispose() {
    let action = work.withLock { $0.action.take() }
    steps.dispose()
    // Released here, outside of the lock: it may own what disposes of something else.
    withExtendedLifetime(action) {}
  }

  private func addStep(_ schedule: (@escaping @Sendable (State) -> any Disposable) -> any Disposable) {
    let step = SingleAssignmentDisposable()
    guard let key = steps.insert(step) else { return }
    step.setDisposable(
      schedule { [self] state in
        steps.remove(for: key)
        work.withLock { $0.action }?(state, self)
        return Disposables.create()
      })
  }
}
