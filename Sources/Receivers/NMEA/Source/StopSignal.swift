import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Tells a reading thread to end, even while it sleeps or waits for input.
final class StopSignal: Sendable {
  private let isSet = Atomic(false)
  /// Readable from `stop` on; -1 when the process is out of descriptors, in which case a wait lasts its time.
  let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (readEnd, writeEnd) = (ends[0], ends[1])
    } else {
      (readEnd, writeEnd) = (-1, -1)
    }
  }

  deinit {
    if readEnd >= 0 { close(readEnd) }
    if writeEnd >= 0 { close(writeEnd) }
  }

  var isStopped: Bool { isSet.load(ordering: .acquiring) }

  func stop() {
    guard !isSet.exchange(true, ordering: .acquiringAndReleasing), writeEnd >= 0 else { return }
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// Waits for input on `descriptor` (-1: none), for the stop or for the time, whichever is first.
  /// Returns whether there is input, or the end of it.
  func wait(for descriptor: Int32, seconds: Double) -> Bool {
    var entries = [
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = (min(max(seconds, 0), 1e6) * 1000).rounded(.up)
    guard poll(&entries, 2, Int32(milliseconds)) > 0 else { return false }
    return entries[1].revents != 0
  }
}
