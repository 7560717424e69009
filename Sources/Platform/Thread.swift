import Dispatch
import Glibc
import SystemPackage

/// A thread for calls that may block: they never run on Swift's cooperative pool, which has as few threads as the
/// machine has cores.
public enum Thread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a new thread, which ends with it.
  ///
  /// Signals are delivered to the other threads, and a write to a closed pipe is an error here, not SIGPIPE.
  ///
  /// - Throws: The system's error when it has no more threads to give.
  public static func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))

    // A thread inherits the signal mask of the thread that creates it, so the mask is set around the creation.
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

  // Not the global queue: once something ran there, libdispatch wakes once a second to look after its threads.
  private static let timeouts = DispatchQueue(label: "rxlocationd.timeouts")

  /// The result of `body`, which runs on a thread of its own and may block. The caller waits without a thread.
  ///
  /// - Parameter seconds: How long the caller waits; `nil` for no limit. Work that takes longer goes on, and nobody takes its
  ///   result.
  /// - Throws: `ErrandFailure`; `stopped` when the caller's task is cancelled.
  public static func result<Value: Sendable>(
    within seconds: Double? = nil, of body: @escaping @Sendable () -> Value
  ) async throws(ErrandFailure) -> Value {
    let (results, result) = AsyncStream.makeStream(of: Result<Value, ErrandFailure>.self)
    do throws(Errno) {
      try start { result.yield(.success(body())) }
    } catch {
      throw .system(error)
    }
    if let seconds {
      timeouts.asyncAfter(deadline: .now() + seconds) { result.yield(.failure(.timedOut)) }
    }
    // The first one counts.
    for await result in results { return try result.get() }
    throw .stopped
  }
}
