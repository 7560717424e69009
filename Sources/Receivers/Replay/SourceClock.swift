import LocationKit
import Platform

/// The host's monotonic clock for a source whose events may be recorded, in whole microseconds since the source was
/// started.
///
/// It stands still while events are passed on, and the timers that are due run before them, not when the host finds the
/// time. So the events and their times determine what the timers do, and a replay does the same.
@MainActor
package final class SourceClock: LocationClock {
  /// Called after timers have run while no event was passed on.
  package var onSilence: (@MainActor () -> Void)?

  private let timers = VirtualClock()
  /// Wakes this clock when a timer is due.
  private let alarm: any LocationClock
  private let seconds: @Sendable () -> Double
  /// The host's time at which this clock was at 0; `nil` before the first start, when it stands at 0.
  private var origin: Double?
  private var isStanding = false
  /// This clock minus that of a recording, while it follows one.
  private var offset: Double?
  /// The number of timers that have run.
  private var runs = 0

  package init(_ host: Host, alarm: any LocationClock = SystemClock()) { (seconds, self.alarm) = (host.seconds, alarm) }

  package var now: Double { isStanding || offset != nil ? timers.now : max(timers.now, hostTime) }

  /// The time up to which timers have run.
  package var past: Double { timers.now }

  /// The seconds from a time of this clock to `seconds` on the host's.
  package func age(of time: Double, at seconds: Double) -> Double { origin.map { seconds - $0 - time } ?? 0 }

  /// Begins at 0, where the time stands until the first event, because a replay's does.
  package func start() {
    guard origin == nil else { return }
    origin = seconds()
    isStanding = true
  }

  /// Follows the clock of a recording that another program plays: runs the timers that are due by `time`.
  package func follow(_ time: Double) {
    let difference = offset ?? now - time
    offset = difference
    timers.advance(to: time + difference)
  }

  /// Goes by the host's time again, after the end of that recording.
  package func leaveRecording() {
    if offset != nil { origin = seconds() - timers.now }
    offset = nil
  }

  /// Runs the timers that are due, and then `body`, during which the time does not pass.
  package func pass(_ body: @MainActor () -> Void) {
    let time = now
    isStanding = true
    defer { isStanding = false }
    timers.advance(to: time)
    body()
  }

  package func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    let wait = max(0, seconds)
    let due = now + wait
    let timer = timers.schedule(after: wait + (now - timers.now)) { [weak self] in
      self?.runs += 1
      action()
    }
    let wake = alarm.schedule(after: wait) { [weak self] in self?.wake(at: due) }
    return LocationTimer {
      timer.cancel()
      wake.cancel()
    }
  }

  private func wake(at due: Double) {
    if offset != nil { return timers.advance(to: timers.now) }
    let before = runs
    isStanding = true
    // The whole microsecond at which the timer is due, at the earliest.
    timers.advance(to: max(timers.now, hostTime, (due * 1e6).rounded(.up) / 1e6))
    isStanding = false
    if runs != before { onSilence?() }
  }

  private var hostTime: Double { origin.map { ((seconds() - $0) * 1e6).rounded(.down) / 1e6 } ?? 0 }
}
