/// Runs actions on the calling thread, one after the other: the first at once, what it schedules after it has returned
/// (RxSwift's `CurrentThreadScheduler`). The default of operators that produce elements.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
  /// The scheduler; each thread has its own queue.
  public static let instance = CurrentThreadScheduler()

  init() {}

  /// Whether nothing is running on the calling thread's queue, so that the next action runs at once.
  public static var isScheduleRequired: Bool {
    !Trampoline.current.isRunning
  }

  /// Runs `action` at once, or after what is running on this thread.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let trampoline = Trampoline.current
    if !trampoline.isRunning {
      return trampoline.start { action(state) }
    }
    let item = ScheduledStateItem(state: state, action: action)
    trampoline.enqueue(item)
    return item
  }
}
