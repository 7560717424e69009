import CGPS
import Glibc

/// Ends the waiting of a thread in `poll`: once signalled, its descriptor is readable for good.
final class Wakeup: Sendable {
  /// What to poll.
  let descriptor: Int32

  /// Creates one; `nil` when the process is out of descriptors.
  init?() {
    descriptor = cgps_wakeup_create()
    if descriptor < 0 { return nil }
  }

  deinit {
    close(descriptor)
  }

  /// Wakes whoever polls, now or later. Any thread.
  func signal() {
    cgps_wakeup_signal(descriptor)
  }

  /// Waits until `descriptor` has one of `events`, this is signalled or `seconds` have passed (`nil`: for ever).
  func wait(for descriptor: Int32 = -1, events: Int32 = POLLIN, seconds: Double? = nil) -> Outcome {
    let deadline = seconds.map { monotonicSeconds() + max(0, $0) }
    // poll ignores an entry whose descriptor is negative.
    var entries = [
      pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
    ]
    while true {
      // Rounded up, so that it does not wake up just before the deadline.
      let left = deadline.map { ($0 - monotonicSeconds()) * 1000 }
      let count = poll(&entries, 2, left.map { Int32(max(0, min($0.rounded(.up), 1e9))) } ?? -1)
      if count > 0 { return entries[0].revents != 0 ? .signalled : .ready }
      // The kernel is out of memory for a moment.
      if count < 0 && errno != EINTR { usleep(10_000) }
      if let deadline, monotonicSeconds() >= deadline { return .timedOut }
    }
  }

  /// How a wait ended.
  enum Outcome {
    /// The descriptor has an event.
    case ready
    /// Somebody called `signal`.
    case signalled
    /// The time is over.
    case timedOut
  }
}
