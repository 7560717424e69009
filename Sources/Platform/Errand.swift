import Synchronization
import SystemPackage

/// Work that may hang and cannot be stopped, such as the lookup of a name or reading a file on a network: it is done on a
/// thread of its own, which is left behind when it hangs. There is never more than one for an errand.
public struct Errand<Value: Sendable> {
  private final class Work: Sendable {
    let done: Wakeup
    let value = Mutex<Value?>(nil)
    init(done: Wakeup) { self.done = done }
  }

  private var pending: Work?

  /// Creates an errand; nothing is done yet.
  public init() {}

  /// Whether work that took too long is not over, or its result was not taken.
  public var isPending: Bool { pending != nil }

  /// Does `body`, or waits for what an earlier call began.
  ///
  /// - Parameters:
  ///   - seconds: How long the caller waits. Work that takes longer goes on, and the next call takes its result.
  ///   - wakeup: Ends the waiting when it is signalled.
  public mutating func run(
    within seconds: Double, wakeup: Wakeup, _ body: @escaping @Sendable () -> Value
  ) throws(ErrandFailure) -> Value {
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

/// Why an errand has no result.
public enum ErrandFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The wakeup was signalled, or the task cancelled.
  case stopped
  /// It takes longer than the caller waits.
  case timedOut
  /// This process is out of threads or descriptors.
  case system(Errno)

  /// What happened, for a person.
  public var description: String {
    switch self {
    case .stopped: "stopped"
    case .timedOut: "no result in time"
    case .system(let error): error.description
    }
  }
}
