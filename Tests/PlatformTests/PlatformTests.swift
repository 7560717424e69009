import Foundation
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct PlatformTests {
  @Test func civilDatesAgreeWithFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for days in stride(from: -30_000, through: 80_000, by: 17) {
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
      let date = CivilDate(daysSince1970: days)
      #expect(date.year == parts.year && date.month == parts.month && date.day == parts.day)
      #expect(date.daysSince1970 == days)
    }
  }

  @Test(arguments: [(2023, 2, 29), (1900, 2, 29), (2024, 13, 1), (2024, 4, 31), (2024, 1, 0)])
  func refusesDaysThatDoNotExist(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test func hasLeapDays() {
    #expect(CivilDate(year: 2024, month: 2, day: 29)?.daysSince1970 == 19_782)
    #expect(CivilDate(year: 2000, month: 2, day: 29) != nil)
  }

  @Test func aWakeupEndsAWaitAndStaysSignalled() async throws {
    let wakeup = try Wakeup()
    #expect(wakeup.wait(seconds: 0) == .timedOut)
    let outcome = Mutex(Wakeup.Outcome?.none)
    let done = try Wakeup()
    try Thread.start {
      let result = wakeup.wait()
      outcome.withLock { $0 = result }
      done.signal()
    }
    wakeup.signal()
    #expect(await eventually { done.isSignalled })
    #expect(outcome.withLock { $0 } == .signalled)
    #expect(wakeup.isSignalled)
    #expect(wakeup.wait(seconds: 0) == .signalled)
  }

  @Test func aWakeupWatchesADescriptor() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let wakeup = try Wakeup()
    #expect(wakeup.wait(for: ends[0], seconds: 0) == .timedOut)
    #expect(write(ends[1], "x", 1) == 1)
    #expect(wakeup.wait(for: ends[0]) == .ready)
  }
}
