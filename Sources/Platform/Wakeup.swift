import Glibc
import Synchronization
import SystemPackage

/// Ends the waiting of a thread in `poll`. Once signalled it stays signalled until it is reset.
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

  // `eventfd` would take one descriptor, but Swift's Glibc module does not have it.
  private let readEnd: FileDescriptor
  private let writeEnd: FileDescriptor
  /// Whether there is a byte in the pipe, which must not fill up.
  private let hasSignal = Atomic(false)

  /// Creates one that is not signalled.
  ///
  /// - Throws: The system's error when the process has no descriptors left.
  public init() throws(Errno) {
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

  /// Wakes the thread that waits, now or later. Any thread.
  public func signal() {
    guard !hasSignal.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var byte: UInt8 = 1
    _ = Glibc.write(writeEnd.rawValue, &byte, 1)
  }

  /// Whether it was signalled; it is not any more then.
  public func reset() -> Bool {
    var bytes: (UInt64, UInt64) = (0, 0)
    let count = withUnsafeMutableBytes(of: &bytes) { Glibc.read(readEnd.rawValue, $0.baseAddress, $0.count) }
    // After the read: who signals from here on writes again.
    return hasSignal.exchange(false, ordering: .acquiringAndReleasing) || count > 0
  }

  /// Readable while it is signalled, for a `poll` of one's own. It belongs to this object.
  public var descriptor: Int32 { readEnd.rawValue }

  /// Whether `signal()` was called.
  public var isSignalled: Bool { hasSignal.load(ordering: .acquiring) }

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
