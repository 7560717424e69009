import Dispatch
import Platform
import SystemPackage

/// Starts threads that run one after the other, because two of them must not share a stream.
struct ThreadSequence {
  /// Signalled when the last thread has ended.
  private var hasEnded: DispatchSemaphore?

  /// Runs `body` on a new thread after the previous thread has ended. The caller does not wait.
  ///
  /// - Throws: The system's error if it cannot create a thread.
  mutating func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    let before = hasEnded
    let ended = DispatchSemaphore(value: 0)
    try Thread.start {
      before?.wait()
      body()
      ended.signal()
    }
    hasEnded = ended
  }
}
