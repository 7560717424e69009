/// Runs actions on the calling thread, one after the other: the first at once, what it schedules after it has returned
/// (RxSwift). The default of operators that produce elements.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
  /// The scheduler; each thread has its own queue.
  public static let instance = CurrentThreadScheduler()

  init() {}

  /// Whether nothing is running on the calling thread's queue, so that the next action runs at once.
  public static var isScheduleRequired: Bool { !CurrentThread.trampoline.isRunning }

  /// Runs `action` at once, or after the action that is running on this thread.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let trampoline = CurrentThread.trampoline
    if !trampoline.isRunning { return trampoline.start { action(state) } }
    let cancel = SingleAssignmentDisposable()
    trampoline.enqueue {
      if !cancel.isDisposed { cancel.setDisposable(action(state)) }
    }
    return cancel
  }
}

extension CurrentThreadScheduler {
  /// Runs `body` as if nothing were running on the calling thread's queue: what it schedules there runs inside it. For
  /// those who wait on the thread for a sequence.
  package static func separately<Result>(_ body: () -> Result) -> Result { CurrentThread.trampoline.separately(body) }
}

/// A thread's queue of actions: the outermost `start` runs them when its body has returned, so that what is scheduled
/// while a chain is being built runs after it has been built, and recursion does not grow the stack.
///
/// Belongs to one thread.
final class Trampoline {
  private struct Item: Sendable {
    let run: @Sendable () -> Void
  }

  private(set) var isRunning = false
  private var queue = Queue<Item>()

  /// Runs `body`, then everything that was enqueued meanwhile, in order.
  func start<Result>(_ body: () -> Result) -> Result {
    isRunning = true
    defer { isRunning = false }
    let result = body()
    while let item = queue.popFirst() { item.run() }
    return result
  }

  /// Runs `body` with an empty queue in the place of this one.
  func separately<Result>(_ body: () -> Result) -> Result {
    let outer = (isRunning, queue)
    (isRunning, queue) = (false, Queue())
    defer { (isRunning, queue) = outer }
    return body()
  }

  /// Adds an action to run later.
  func enqueue(_ action: @escaping @Sendable () -> Void) { queue.append(Item(run: action)) }
}
