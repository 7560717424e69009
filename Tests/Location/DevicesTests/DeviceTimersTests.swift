import Foundation
import LocationKit
import Testing

@testable import Devices

/// The one timer that all devices share.
@MainActor @Suite struct DeviceTimersTests {
  private let clock = VirtualClock()
  private let timers: DeviceTimers
  private let start: Double

  init() {
    let (clock, start) = (clock, Date(timeIntervalSince1970: 1_750_000_000))
    timers = DeviceTimers(clock) { start + clock.now }
    self.start = start.timeIntervalSinceReferenceDate
  }

  @Test func actionsRunInTheOrderOfTheirTimes() {
    var ran: [String] = []
    // The earlier ones are scheduled last.
    let scheduled = [("c", 60.0), ("never", .infinity), ("b", 20), ("a", 10), ("overdue", -5)].map { name, seconds in
      timers.schedule(at: start + seconds) { ran.append(name) }
    }
    var seen: [[String]] = []
    for time in [0.0, 10, 15, 20, 59, 61, 1e9] {
      clock.advance(to: time)
      seen.append(ran)
      ran = []
    }
    #expect(seen == [["overdue"], ["a"], [], ["b"], [], ["c"], []])
    withExtendedLifetime(scheduled) {}
  }

  @Test func anActionThatIsCancelledDoesNotRun() {
    var ran: [String] = []
    let scheduled = ["a", "b"].map { name in timers.schedule(at: start + 10) { ran.append(name) } }
    scheduled[0].cancel()
    clock.advance(to: 20)
    #expect(ran == ["b"])
  }
}
