import FoundationEssentials
import LocationKit

/// The timers of all devices, in whole seconds. They use one timer of the host at a time, regardless of their number.
@MainActor
final class DeviceTimers {
  private typealias Entry = (cancellation: TimerCancellation, action: @MainActor () -> Void)

  private let clock: any LocationClock
  private let date: @MainActor () -> Date
  private var seconds: [Int: [Entry]] = [:]
  private var next: (second: Int, timer: LocationTimer)?

  init(_ clock: any LocationClock, date: @escaping @MainActor () -> Date) { (self.clock, self.date) = (clock, date) }

  /// The host's time in seconds since 2001.
  var hostTime: Double { date().timeIntervalSinceReferenceDate }

  func schedule(at time: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    // Overdue actions run on the next turn. Actions that are never due get a date a thousand years ahead.
    let second = Int(max(hostTime.rounded(.down), min(time.rounded(.up), 32e9)))
    let cancellation = TimerCancellation()
    seconds[second, default: []].append((cancellation, action))
    if next.map({ second < $0.second }) ?? true { arm(second) }
    return cancellation.timer()
  }

  private func arm(_ second: Int) {
    next = (second, clock.schedule(after: max(0, Double(second) - hostTime)) { [weak self] in self?.run() })
  }

  private func run() {
    next = nil
    let now = hostTime
    for second in seconds.keys.filter({ Double($0) <= now }).sorted() {
      for entry in seconds.removeValue(forKey: second) ?? [] where !entry.cancellation.isCancelled { entry.action() }
    }
    if next == nil, let first = seconds.keys.min() { arm(first) }
  }
}
