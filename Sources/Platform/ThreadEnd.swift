import Glibc
import Synchronization
import SystemPackage

/// The end of a thread, for which any number of tasks wait.
public final class ThreadEnd: Sendable {
  private struct State {
    var isReached = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// The end of a thread that runs.
  public init() {}

  /// Has all who wait go on, now and later. The thread calls it last of all.
  public func reach() {
    let waiters = state.withLock { state in
      state.isReached = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Has them go on after so many seconds at the latest: a thread that is to stop may hang in a library's call.
  public func reach(within seconds: Double) {
    do throws(Errno) {
      try Thread.start { [self] in
        usleep(UInt32(seconds * 1e6))
        reach()
      }
    } catch {
      reach()
    }
  }

  /// Returns when the end is reached.
  public func wait() async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if !state.isReached { state.waiters.append(continuation) }
        return state.isReached
      }
      if isReached { continuation.resume() }
    }
  }
}
