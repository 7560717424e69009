import Synchronization
import SystemPackage

/// A thread with a wake-up, a stop and state that it shares with its callers. For any thread.
package final class Worker<State: Sendable>: Sendable {
  private struct End {
    var isReached = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Wakes the thread.
  package let bell: Wakeup
  /// Tells the thread to end.
  package let stopping: Wakeup
  private let state: Mutex<State>
  private let end = Mutex(End())

  /// Creates a worker whose thread is not started yet.
  package init(_ state: State) throws(Errno) {
    (bell, stopping) = (try Wakeup(), try Wakeup())
    self.state = Mutex(state)
  }

  /// Runs `body` on a thread of `host`. `onEnd` is called on that thread before `wait()` returns.
  package func start(
    _ body: sending some LoopBody, on host: Host, onEnd: @escaping @Sendable () -> Void = {}
  ) throws(Errno) {
    try host.run(
      Loop(body) { [self] in
        onEnd()
        finish()
      })
  }

  /// Waits for the bell, the stop or the deadline on the host's clock. Returns whether the worker was woken.
  package func wait(until deadline: Double, on host: Host) -> Bool {
    if stopping.isSignalled { return true }
    if bell.isSignalled { return bell.reset() }
    let seconds = deadline < .infinity ? deadline - host.seconds() : nil
    if let seconds, seconds <= 0 { return false }
    switch stopping.wait(for: bell.descriptor, seconds: seconds) {
    case .signalled: return true
    case .ready: return bell.reset()
    case .timedOut: return false
    }
  }

  package func withState<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

  /// Tells the thread to end. `wait()` waits for that no longer than `seconds` from now, because the thread may hang in
  /// a library's call.
  package func stop(within seconds: Double, on host: Host) {
    stopping.signal()
    do throws(Errno) {
      try host.run(Loop(Patience(host: host, deadline: host.seconds() + seconds)) { self.finish() })
    } catch {
      finish()
    }
  }

  /// Returns once the thread has ended.
  package nonisolated(nonsending) func wait() async {
    await withCheckedContinuation { continuation in
      let isReached = end.withLock { end in
        if !end.isReached { end.waiters.append(continuation) }
        return end.isReached
      }
      if isReached { continuation.resume() }
    }
  }

  private func finish() {
    let waiters = end.withLock { end in
      defer { end = End(isReached: true) }
      return end.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

private struct Patience: LoopBody {
  let host: Host
  let deadline: Double

  func step() -> LoopState { host.seconds() < deadline ? .waiting(until: deadline) : .ended }

  func wait(until deadline: Double) -> Bool {
    host.sleep(max(0, deadline - host.seconds()))
    return false
  }
}
