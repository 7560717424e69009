import Dispatch
import Synchronization

/// A dispatch timer that disposal cancels.
///
/// `@unchecked Sendable`: the source is set up before `start` returns; dispatch sources may be cancelled from any
/// thread.
final class DispatchTimer: DisposeBase, Cancelable, @unchecked Sendable {
  private let source: any DispatchSourceTimer
  private let disposed = Atomic<Bool>(false)
  // Not the source's own handler: taking that from an active source is deprecated, and what it captures has to go at
  // once.
  private let handler = Mutex<(@Sendable () -> Void)?>(nil)

  init(queue: DispatchQueue) {
    source = DispatchSource.makeTimerSource(queue: queue)
  }

  /// Arms the timer, once. Its handler keeps whatever it captures until the timer is disposed.
  func start(
    after delay: DispatchTimeInterval, repeating period: DispatchTimeInterval, leeway: DispatchTimeInterval,
    handler: @escaping @Sendable () -> Void
  ) {
    source.schedule(deadline: .now() + delay, repeating: period, leeway: leeway)
    self.handler.withLock { $0 = handler }
    source.setEventHandler { [weak self] in
      let handler = self?.handler.withLock { $0 }
      handler?()
    }
    source.resume()
  }

  var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  func dispose() {
    guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    source.cancel()
    // Released outside of the lock: it may own what disposes something else.
    _ = handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
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
