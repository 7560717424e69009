import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct VirtualClockTests {
  let clock = VirtualClock()

  @Test func runsWhatIsDueInOrder() {
    var log: [String] = []
    let timers = [("c", 3.0), ("a", 1), ("b1", 2), ("b2", 2), ("now", 0), ("past", -5), ("nan", .nan), ("d", 4)]
      .map { name, time in
        clock.schedule(after: time) { [clock] in log.append("\(name)@\(clock.now)") }
      }
    #expect(log.isEmpty)
    clock.advance(by: 0)
    #expect(log == ["now@0.0", "past@0.0", "nan@0.0"])
    clock.advance(to: 3)
    #expect(log == ["now@0.0", "past@0.0", "nan@0.0", "a@1.0", "b1@2.0", "b2@2.0", "c@3.0"])
    clock.advance(to: 2)
    #expect(clock.now == 3)
    clock.advance(to: .infinity)
    #expect(log.last == "d@4.0")
    withExtendedLifetime(timers) {}
  }

  @Test func cancelledAndReleasedTimersDoNotRun() {
    var log: [Int] = []
    let kept = clock.schedule(after: 1) { log.append(0) }
    let cancelled = clock.schedule(after: 1) { log.append(1) }
    _ = clock.schedule(after: 1) { log.append(2) }
    cancelled.cancel()
    cancelled.cancel()
    clock.advance(by: 2)
    #expect(log == [0])
    kept.cancel()
  }

  @Test func actionsMayScheduleAndCancel() {
    var log: [Double] = []
    var timers: [LocationTimer] = []
    let victim = clock.schedule(after: 1.5) { log.append(-1) }
    timers.append(
      clock.schedule(after: 1) { [clock] in
        log.append(clock.now)
        victim.cancel()
        timers.append(clock.schedule(after: 1) { log.append(clock.now) })
        timers.append(clock.schedule(after: 10) { log.append(clock.now) })
      })
    clock.advance(by: 5)
    #expect(log == [1, 2])
    clock.advance(by: 6)
    #expect(log == [1, 2, 11])
  }

  @Test func manyTimersInAnyOrderOfTheirTimes() {
    var log: [Int] = []
    var timers: [LocationTimer] = []
    for index in 0..<500 {
      let due = (index * 7919) % 500
      timers.append(clock.schedule(after: Double(due)) { log.append(due) })
    }
    for index in stride(from: 0, to: 500, by: 3) { timers[index].cancel() }
    clock.advance(by: 500)
    #expect(log == log.sorted())
    #expect(log.count == 500 - 167)
  }
}

@MainActor @Suite(.inTurn) struct SystemClockTests {
  @Test(.timeLimit(.minutes(30)))
  func firesOnTheMainActorAndNotWhenCancelled() async {
    let clock = SystemClock()
    let start = clock.now
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let cancelled = clock.schedule(after: 0.01) { continuation.yield("cancelled") }
    cancelled.cancel()
    _ = clock.schedule(after: 0.01) { continuation.yield("released") }
    let never = [Double.infinity, 1e300].map { clock.schedule(after: $0) { continuation.yield("never") } }
    let late = clock.schedule(after: 0.05) { continuation.yield("late") }
    let soon = clock.schedule(after: -1) { continuation.yield("soon") }
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == "soon")
    #expect(await iterator.next() == "late")
    #expect(clock.now - start >= 0.05)
    withExtendedLifetime((never, late, soon)) {}
  }
}
