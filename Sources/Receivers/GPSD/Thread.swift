import Glibc

/// A POSIX thread. Blocking work has one of its own, never the cooperative pool's.
struct Thread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let handle: pthread_t

  /// Starts a thread; `nil` when the system has none to give.
  init?(_ run: @escaping @Sendable () -> Void) {
    let body = Unmanaged.passRetained(Body(run))
    var handle = pthread_t()
    let error = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    guard error == 0 else {
      body.release()
      return nil
    }
    self.handle = handle
  }

  /// Lets the thread end by itself. Once; without it, what the system keeps of an ended thread is never released.
  func detach() {
    pthread_detach(handle)
  }
}
