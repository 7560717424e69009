import Synchronization
import SystemPackage

/// Runs work that may hang and cannot be stopped, such as a name lookup or reading a file on a network. The work runs
/// on a thread of its own, which is left behind if it hangs. An instance has at most one such thread.
package struct BlockingWork<Value: Sendable> {
  private final class Work: Sendable {
    let done: Wakeup
    let value = Mutex<Value?>(nil)
    init(done: Wakeup) { self.done = done }
  }

  private var pending: Work?

  package init() {}

  /// Whether earlier work is still running, or its result has not been returned.
  package var isPending: Bool { pending != nil }

  /// Runs `body` and returns its result, or waits for the work of an earlier call. Work that takes longer than `seconds`
  /// goes on, and the next call returns its result. A signal of `wakeup` ends the wait.
  package mutating func run(
    within seconds: Double, wakeup: Wakeup, _ body: @escaping @Sendable () -> Value
  ) throws(BlockingWorkFailure) -> Value {
    let work: Work
    if let pending {
      work = pending
    } else {
      do throws(Errno) {
        work = Work(done: try Wakeup())
        try Thread.start { [work] in
          let value = body()
          work.value.withLock { $0 = value }
          work.done.signal()
        }
      } catch {
        throw .system(error)
      }
      pending = work
    }
    switch wakeup.wait(for: work.done.descriptor, seconds: seconds) {
    case .signalled: throw .stopped
    case .timedOut: throw .timedOut
    case .ready: break
    }
    pending = nil
    guard let value = work.value.withLock({ $0 }) else { throw .stopped }
    return value
  }
}

package enum BlockingWorkFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The wakeup was signalled, or the task was cancelled.
  case stopped
  case timedOut
  case system(Errno)

  package var description: String {
    switch self {
    case .stopped: "stopped"
    case .timedOut: "no result in time"
    case .system(let error): error.description
    }
  }
}
