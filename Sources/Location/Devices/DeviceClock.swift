import FoundationEssentials
import LocationKit
import Synchronization

/// The time of a device: that of its fix while one is delivered, and the host's in between.
///
/// So a fence's dwell is counted by the device's clock when it sends all that it has kept while it was offline, and a fix
/// that was old when it came is stale at once. The timers of all devices share one of the host's.
@MainActor
final class DeviceClock: LocationClock {
  private let timers: DeviceTimers
  /// When the fix that is being delivered was made.
  var fixTime: Date?

  init(_ timers: DeviceTimers) {
    self.timers = timers
  }

  /// Seconds since 2001. It may go back from the host's time to that of a fix, and nowhere else.
  var now: Double { fixTime?.timeIntervalSinceReferenceDate ?? timers.hostTime }

  func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    timers.schedule(at: now + seconds, action)
  }
}

/// The timers of all devices, by whole seconds: one of the host's at a time, however many devices there are.
@MainActor
final class DeviceTimers {
  private final class Cancellation: Sendable {
    let isCancelled = Atomic(false)
  }

  private typealias Entry = (cancellation: Cancellation, action: @MainActor () -> Void)

  private let clock: any LocationClock
  private let date: @MainActor () -> Date
  private var seconds: [Int: [Entry]] = [:]
  private var next: (second: Int, timer: LocationTimer)?

  init(_ clock: any LocationClock, date: @escaping @MainActor () -> Date) {
    (self.clock, self.date) = (clock, date)
  }

  /// Seconds since 2001, by the host.
  var hostTime: Double { date().timeIntervalSinceReferenceDate }

  func schedule(at time: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    // What is due already runs on the next turn; what is never due, in a thousand years.
    let second = Int(max(hostTime.rounded(.down), min(time.rounded(.up), 32e9)))
    let cancellation = Cancellation()
    seconds[second, default: []].append((cancellation, action))
    if next.map({ second < $0.second }) ?? true { arm(second) }
    return LocationTimer { cancellation.isCancelled.store(true, ordering: .relaxed) }
  }

  private func arm(_ second: Int) {
    next = (second, clock.schedule(after: max(0, Double(second) - hostTime)) { [weak self] in self?.run() })
  }

  private func run() {
    next = nil
    let now = hostTime
    for second in seconds.keys.filter({ Double($0) <= now }).sorted() {
      for entry in seconds.removeValue(forKey: second) ?? []
      where !entry.cancellation.isCancelled.load(ordering: .relaxed) {
        entry.action()
      }
    }
    if next == nil, let first = seconds.keys.min() { arm(first) }
  }
}
