import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A dispatch queue and how precisely its timers must fire.
struct DispatchQueueConfiguration: Sendable {
  let queue: DispatchQueue
  let leeway: DispatchTimeInterval

  func schedule<State: Sendable>(
    _ state: State, action: @escaping @Sendable (State) -> any Disposable
  ) -> any Disposable {
    let cancel = SingleAssignmentDisposable()
    queue.async {
      if cancel.isDisposed { return }
      cancel.setDisposable(action(state))
    }
    return cancel
  }

  func scheduleRelative<State: Sendable>(
    _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
  ) -> any Disposable {
    let timer = DispatchTimer(queue: queue)
    let composite = CompositeDisposable()
    timer.start(after: dueTime, repeating: .never, leeway: leeway) {
      if composite.isDisposed { return }
      _ = composite.insert(action(state))
      timer.dispose()
    }
    _ = composite.insert(timer)
    return composite
  }

  func schedulePeriodic<State: Sendable>(
    _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval, action: @escaping @Sendable (State) -> State
  ) -> any Disposable {
    let timer = DispatchTimer(queue: queue)
    let progress = PeriodicState(state)
    timer.start(after: startAfter, repeating: period, leeway: leeway) {
      if timer.isDisposed { return }
      progress.advance(action)
    }
    return timer
  }
}
