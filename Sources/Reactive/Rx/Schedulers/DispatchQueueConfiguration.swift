import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A dispatch queue and how precisely its timers must fire: what the schedulers on queues are made of.
struct DispatchQueueConfiguration: Sendable {
  let queue: DispatchQueue
  let leeway: DispatchTimeInterval

  func schedule<State: Sendable>(
    _ state: State, action: @escaping @Sendable (State) -> any Disposable
  ) -> any Disposable {
    let cancel = SingleAssignmentDisposable()
    queue.async {
      if !cancel.isDisposed { cancel.setDisposable(action(state)) }
    }
    return cancel
  }

  func scheduleRelative<State: Sendable>(
    _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
  ) -> any Disposable {
    let timer = DispatchTimer(queue: queue)
    let result = SingleAssignmentDisposable()
    timer.start(after: dueTime, repeating: .never, leeway: leeway) {
      result.setDisposable(action(state))
      timer.dispose()
    }
    return Disposables.create(timer, result)
  }

  func schedulePeriodic<State: Sendable>(
    _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval, action: @escaping @Sendable (State) -> State
  ) -> any Disposable {
    let timer = DispatchTimer(queue: queue)
    let periodic = PeriodicAction(state, action)
    timer.start(after: startAfter, repeating: period, leeway: leeway) {
      periodic.tick { timer.isDisposed }
    }
    return timer
  }
}

/// A dispatch timer that disposal cancels. It keeps itself until then.
private final class DispatchTimer: Cancelable {
  // The source's own handler cannot be taken from an active source, and what this one captures has to go as soon as the
  // timer is disposed of. In a structure, because a bare closure in a mutex would be wrapped once more at each access.
  private struct Handler: Sendable {
    var run: @Sendable () -> Void
  }

  // It is set up before `start` returns, and may then be cancelled from any thread.
  private nonisolated(unsafe) let source: any DispatchSourceTimer
  private let handler = Locked<Handler?>(nil)

  init(queue: DispatchQueue) {
    source = DispatchSource.makeTimerSource(queue: queue)
  }

  /// Arms the timer, once.
  func start(
    after delay: DispatchTimeInterval, repeating period: DispatchTimeInterval, leeway: DispatchTimeInterval,
    handler: @escaping @Sendable () -> Void
  ) {
    self.handler.withLock { $0 = Handler(run: handler) }
    source.schedule(deadline: .now() + delay, repeating: period, leeway: leeway)
    source.setEventHandler { self.handler.withLock { $0 }?.run() }
    source.resume()
  }

  var isDisposed: Bool {
    handler.withLock { $0 == nil }
  }

  func dispose() {
    guard let handler = handler.withLock({ $0.take() }) else { return }
    source.cancel()
    // Released here, outside of the lock: it may own what disposes of something else.
    withExtendedLifetime(handler) {}
  }
}
