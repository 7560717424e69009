import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// Runs calls that may block on threads of their own. They must not run on Swift's cooperative pool, which has only as
/// many threads as the machine has cores.
package enum Thread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a new thread, which ends when `body` returns.
  ///
  /// The other threads receive the signals. On this thread a write to a closed pipe fails and raises no SIGPIPE.
  package static func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))

    // A new thread inherits its creator's signal mask, so the mask is set around the creation.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    let retained = Unmanaged.passRetained(Body(body))
    var handle = pthread_t()
    let error = pthread_create(
      &handle, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, retained.toOpaque())
    if error != 0 {
      retained.release()
      throw Errno(rawValue: error)
    }
  }

  /// Checks that the process may have so many more threads at once.
  package static func check(_ count: Int) throws(Errno) {
    let gate = DispatchSemaphore(value: 0)
    var threads: [pthread_t] = []
    defer {
      for _ in threads { gate.signal() }
      for thread in threads { pthread_join(thread, nil) }
    }
    for _ in 0..<count {
      var thread = pthread_t()
      let error = pthread_create(
        &thread, nil,
        { argument in
          if let argument { Unmanaged<DispatchSemaphore>.fromOpaque(argument).takeUnretainedValue().wait() }
          return nil
        }, Unmanaged.passUnretained(gate).toOpaque())
      guard error == 0 else { throw Errno(rawValue: error) }
      threads.append(thread)
    }
  }

  // Not the global queue: after its first use, libdispatch wakes every second to look after its threads.
  private static let timeouts = DispatchQueue(label: "rxlocationd.timeouts")

  /// Runs `body`, which may block, on a thread of its own and returns its result. The caller suspends meanwhile.
  ///
  /// - Parameter seconds: The longest wait in seconds; `nil` for no limit. Slower work goes on, and its result is
  ///   dropped.
  /// - Throws: `BlockingWorkFailure`; `stopped` if the caller's task is cancelled.
  package static func result<Value: Sendable>(
    within seconds: Double? = nil, of body: @escaping @Sendable () -> Value
  ) async throws(BlockingWorkFailure) -> Value {
    let (results, result) = AsyncStream.makeStream(of: Result<Value, BlockingWorkFailure>.self)
    do throws(Errno) {
      try start { result.yield(.success(body())) }
    } catch {
      throw .system(error)
    }
    if let seconds { timeouts.asyncAfter(deadline: .now() + seconds) { result.yield(.failure(.timedOut)) } }
    // The first result counts.
    for await result in results { return try result.get() }
    throw .stopped
  }
}

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
