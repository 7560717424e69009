import Glibc
import Synchronization
import SystemPackage

/// A thread with a wake-up, a stop and state that it shares with its callers. For any thread.
package final class Worker<State: Sendable>: Sendable {
  private struct End {
    var isReached = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  package let bell: Wakeup
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
    let deadline = host.seconds() + seconds
    let patience = Loop(
      step: { host.seconds() < deadline ? .waiting(until: deadline) : .ended },
      wait: { deadline in
        host.sleep(max(0, deadline - host.seconds()))
        return false
      }, onEnd: finish)
    do throws(Errno) {
      try host.run(patience)
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

/// Wakes a thread that waits in `poll`. A signal stays until `reset()`.
public final class Wakeup: Sendable {
  package enum Outcome: Sendable {
    /// The descriptor has an event, or its peer has closed it.
    case ready
    case signalled
    case timedOut
  }

  // `eventfd` would take one descriptor, but Swift's Glibc module does not have it.
  private let readEnd: FileDescriptor
  private let writeEnd: FileDescriptor
  /// Whether the pipe contains a byte. There is never a second one, so the pipe cannot fill up.
  private let hasSignal = Atomic(false)

  package init() throws(Errno) {
    do {
      (readEnd, writeEnd) = try FileDescriptor.pipe()
    } catch {
      throw error as? Errno ?? .tooManyOpenFiles
    }
    for end in [readEnd, writeEnd] {
      _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    try? readEnd.close()
    try? writeEnd.close()
  }

  /// Wakes the waiting thread, or the next one that waits. Any thread.
  package func signal() {
    guard !hasSignal.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var byte: UInt8 = 1
    _ = Glibc.write(writeEnd.rawValue, &byte, 1)
  }

  /// Clears the signal. Returns whether there was one.
  package func reset() -> Bool {
    var bytes: (UInt64, UInt64) = (0, 0)
    let count = withUnsafeMutableBytes(of: &bytes) { Glibc.read(readEnd.rawValue, $0.baseAddress, $0.count) }
    // This follows the read, so that a later `signal()` writes again.
    return hasSignal.exchange(false, ordering: .acquiringAndReleasing) || count > 0
  }

  /// A descriptor that is readable while the wakeup is signalled, for the caller's own `poll`. This object owns it.
  package var descriptor: Int32 { readEnd.rawValue }

  package var isSignalled: Bool { hasSignal.load(ordering: .acquiring) }

  /// Waits until `descriptor` has one of poll's `events`, the wakeup is signalled or `seconds` have passed. Without a
  /// descriptor it is -1; `nil` seconds are no limit.
  package func wait(for descriptor: Int32 = -1, events: Int32 = POLLIN, seconds: Double? = nil) -> Outcome {
    let deadline = seconds.map { monotonicSeconds() + max(0, $0) }
    // poll ignores an entry whose descriptor is negative.
    var entries = [
      pollfd(fd: readEnd.rawValue, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
    ]
    while true {
      // Rounds up, so that the thread does not wake just before the deadline.
      let milliseconds = deadline.map { (($0 - monotonicSeconds()) * 1000).rounded(.up) }
      let count = poll(&entries, 2, milliseconds.map { Int32(max(0, min($0, 1e9))) } ?? -1)
      if count > 0 { return entries[0].revents != 0 ? .signalled : .ready }
      // The kernel is briefly out of memory.
      if count < 0 && errno != EINTR { usleep(10_000) }
      if let deadline, monotonicSeconds() >= deadline { return .timedOut }
    }
  }
}
