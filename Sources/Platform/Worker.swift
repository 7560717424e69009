import Glibc
import Synchronization
public import SystemPackage

/// A thread with a wake-up, a stop and state that it shares with its callers. For any thread.
public final class Worker<State: Sendable>: Sendable {
  private struct End {
    var isReached = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Wakes the thread.
  public let bell: Wakeup
  /// Tells the thread to end.
  public let stopping: Wakeup
  private let state: Mutex<State>
  private let end = Mutex(End())

  /// Creates a worker whose thread is not started yet.
  ///
  /// - Throws: The system's error if the process has no descriptors left.
  public init(_ state: State) throws(Errno) {
    (bell, stopping) = (try Wakeup(), try Wakeup())
    self.state = Mutex(state)
  }

  /// Runs `body` on a new thread, which ends when `body` returns.
  ///
  /// - Throws: The system's error if it cannot create a thread.
  public func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    try Thread.start { [self] in
      body()
      finish()
    }
  }

  /// Reads or changes the shared state.
  public func withState<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

  /// Tells the thread to end. `wait()` waits for that no longer than `seconds` from now, because the thread may hang in
  /// a library's call.
  public func stop(within seconds: Double) {
    stopping.signal()
    do throws(Errno) {
      try Thread.start { [self] in
        usleep(UInt32(seconds * 1e6))
        finish()
      }
    } catch {
      finish()
    }
  }

  /// Returns once the thread has ended.
  public func wait() async {
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
