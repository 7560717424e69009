import Glibc
import Synchronization
import SystemPackage

/// Ends the waiting of a thread in `poll`. Once signalled it stays signalled.
public final class Wakeup: Sendable {
  /// How a wait ended.
  public enum Outcome: Sendable {
    /// The descriptor has an event, or its peer has gone.
    case ready
    /// Somebody called `signal()`.
    case signalled
    /// The time is over.
    case timedOut
  }

  /// A pipe whose write end is closed by `signal()`: its read end is readable from then on. `eventfd` would take one
  /// descriptor less, but Swift's Glibc module does not have it.
  private let readEnd: FileDescriptor
  private let writeEnd: Mutex<FileDescriptor?>

  /// Creates one that is not signalled.
  ///
  /// - Throws: The system's error when the process has no descriptors left.
  public init() throws(Errno) {
    do {
      let ends = try FileDescriptor.pipe()
      readEnd = ends.readEnd
      writeEnd = Mutex(ends.writeEnd)
      for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    } catch {
      throw error as? Errno ?? .tooManyOpenFiles
    }
  }

  deinit {
    signal()
    try? readEnd.close()
  }

  /// Wakes whoever waits, now or later. Any thread.
  public func signal() {
    writeEnd.withLock { end in
      try? end?.close()
      end = nil
    }
  }

  /// Readable once `signal()` was called, for a `poll` of one's own. It belongs to this object.
  public var descriptor: Int32 { readEnd.rawValue }

  /// Whether `signal()` was called.
  public var isSignalled: Bool { writeEnd.withLock { $0 == nil } }

  /// Waits until `descriptor` has one of `events`, this is signalled or `seconds` have passed.
  ///
  /// - Parameters:
  ///   - descriptor: What to watch; -1 for nothing.
  ///   - events: Of `poll(2)`: `POLLIN`, `POLLOUT`.
  ///   - seconds: The longest wait; `nil` for no limit.
  public func wait(for descriptor: Int32 = -1, events: Int32 = POLLIN, seconds: Double? = nil) -> Outcome {
    let deadline = seconds.map { monotonicSeconds() + max(0, $0) }
    // poll ignores an entry whose descriptor is negative.
    var entries = [
      pollfd(fd: readEnd.rawValue, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
    ]
    while true {
      // Rounded up, so that the thread does not wake up just before the deadline.
      let milliseconds = deadline.map { (($0 - monotonicSeconds()) * 1000).rounded(.up) }
      let count = poll(&entries, 2, milliseconds.map { Int32(max(0, min($0, 1e9))) } ?? -1)
      if count > 0 { return entries[0].revents != 0 ? .signalled : .ready }
      // The kernel is out of memory for a moment.
      if count < 0 && errno != EINTR { usleep(10_000) }
      if let deadline, monotonicSeconds() >= deadline { return .timedOut }
    }
  }
}

/// Seconds on the clock that no one sets (`CLOCK_MONOTONIC`); its zero means nothing.
public func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
