import Dispatch
import Synchronization

/// A dispatch timer that disposal cancels.
///
/// `@unchecked Sendable`: the source is set up before `start` returns; dispatch sources may be cancelled from any
/// thread.
final class DispatchTimer: DisposeBase, Cancelable, @unchecked Sendable {
  private let source: any DispatchSourceTimer
  private let disposed = Atomic<Bool>(false)
  private let handler = TimerHandler()

  init(queue: DispatchQueue) {
    source = DispatchSource.makeTimerSource(queue: queue)
  }

  /// Arms the timer, once. Its handler keeps whatever it captures until the timer is disposed.
  func start(
    after delay: DispatchTimeInterval, repeating period: DispatchTimeInterval, leeway: DispatchTimeInterval,
    handler: @escaping @Sendable () -> Void
  ) {
    source.schedule(deadline: .now() + delay, repeating: period, leeway: leeway)
    self.handler.set(handler)
    source.setEventHandler { [handler = self.handler] in handler.run() }
    source.resume()
  }

  var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  func dispose() {
    guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    source.cancel()
    handler.set(nil)
  }
}

/// What a timer runs. Not the source's own handler: that cannot be taken from an active source, and what it captures has
/// to go as soon as the timer is disposed.
private final class TimerHandler: Sendable {
  // A bare closure in a mutex would be wrapped once more at each access.
  private struct Action {
    var run: @Sendable () -> Void
  }

  private let action = Mutex<Action?>(nil)

  func set(_ handler: (@Sendable () -> Void)?) {
    // The old one is released outside of the lock: it may own what disposes something else.
    _ = action.withLock { action in
      defer { action = handler.map(Action.init) }
      return action
    }
  }

  func run() {
    let action = action.withLock { $0 }
    action?.run()
  }
}

/// The state that a periodic action hands from one call to the next.
///
/// `@unchecked Sendable`: a timer's handler never runs twice at the same time, and each run sees the last one.
final class PeriodicState<State: Sendable>: @unchecked Sendable {
  private var state: State

  init(_ state: State) {
    self.state = state
  }

  func advance(_ action: (State) -> State) {
    state = action(state)
  }
}
