@_exported import Dispatch  // whose intervals are Rx's
import Rx
@_exported import TestSupport  // whose recorder is extended

extension Recorder where Value == String {
  /// Subscribes to `source` and records its events as lines that begin with `name`; an element is its own description.
  @discardableResult
  package func subscribe<Element: Sendable>(to source: Observable<Element>, as name: String = "") -> any Disposable {
    source.subscribe(
      onNext: { self.record("\(name)\($0)") },
      onError: { self.record("\(name)error(\($0))") },
      onCompleted: { self.record("\(name)completed") },
      onDisposed: { self.record("\(name)disposed") })
  }
}

extension Recorder where Value == Bool {
  package func recordWhetherOnMain() { record(MainQueue.isCurrent) }
}

extension ImmediateSchedulerType {
  /// Schedules `action` with `state`. The action has nothing to be disposed of.
  @discardableResult
  package func perform<State: Sendable>(
    _ state: State, _ action: @escaping @Sendable (State) -> Void
  ) -> any Disposable {
    schedule(state) { state in
      action(state)
      return Disposables.create()
    }
  }
}

extension SchedulerType {
  /// Schedules `action` with `state` after `dueTime`. The action has nothing to be disposed of.
  @discardableResult
  package func perform<State: Sendable>(
    _ state: State, after dueTime: RxTimeInterval, _ action: @escaping @Sendable (State) -> Void
  ) -> any Disposable {
    scheduleRelative(state, dueTime: dueTime) { state in
      action(state)
      return Disposables.create()
    }
  }
}

/// Runs `work` on a background queue and waits for it. Meanwhile the caller's thread does nothing else; work that has not
/// ended after two minutes is waiting for it, and ends the tests.
package func onBackgroundQueue<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result {
  let result = Locked<Result?>(nil)
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.global().async {
    let value = work()
    result.withLock { $0 = value }
    done.signal()
  }
  precondition(done.wait(timeout: .now() + 120) == .success, "work in the background waits for its caller")
  return result.withLock { $0 }!
}
