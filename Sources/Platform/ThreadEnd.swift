import Glibc
import Synchronization
import SystemPackage

/// The end of a thread, which any number of tasks can await.
public final class ThreadEnd: Sendable {
  private struct State {
    var isFinished = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Creates the end of a running thread.
  public init() {}

  /// Resumes all waiting tasks; later calls of `wait()` return at once. The thread calls this last.
  public func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Calls `finish()` after `seconds` seconds at the latest, because the thread may hang in a library's call.
  public func finish(within seconds: Double) {
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
      let isFinished = state.withLock { state in
        if !state.isFinished { state.waiters.append(continuation) }
        return state.isFinished
      }
      if isFinished { continuation.resume() }
    }
  }
}
