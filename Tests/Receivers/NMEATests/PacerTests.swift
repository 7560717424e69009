import LocationKit
import Platform
import Synchronization
import TestSupport
import Testing

@testable import NMEA

@Suite struct PacerTests {
  /// A clock of the host that a test sets.
  private final class Host: Sendable {
    let time = Mutex(100.0)
  }

  /// Whether a replay at its own pace waits before the third of three fixes, a second apart, when the second is `delay` seconds
  /// late.
  private func waitsAfter(delay: Double) async throws -> Bool {
    let host = Host()
    let stop = try Wakeup()
    let mailbox = MainActorMailbox<ReplayItem<LocationSourceEvent>> { _ in }
    // At a pace the pacer hands over to the main actor and waits for that.
    return await Task.detached {
      var pacer = ReplayPacer(speed: .factor(1), stop: stop, mailbox: mailbox, now: { host.time.withLock { $0 } })
      func deliver(_ time: Double) { pacer.deliver(SentenceInterpreter.TimedEvent(event: .noFix, time: time)) }
      deliver(0)
      host.time.withLock { $0 += 1 + delay }
      deliver(1)
      // A pacer that waits finds out that it is to stop.
      stop.signal()
      deliver(2)
      return pacer.isStopped
    }.value
  }

  /// A replay catches up when it is a little late. When it is very late, it goes on from there at the recording's pace.
  @Test func greatLatenessIsForgiven() async throws {
    #expect(try await waitsAfter(delay: 0))
    #expect(try await !waitsAfter(delay: 4))
    #expect(try await waitsAfter(delay: 6))
  }

  /// Two threads must not share a stream.
  @Test func aThreadWaitsForTheOneBefore() async throws {
    let log = Mutex<[Int]>([])
    let gate = try Wakeup()
    var threads = ThreadSequence()
    try threads.start {
      _ = gate.wait(seconds: nil)
      log.withLock { $0.append(1) }
    }
    for number in 2...5 { try threads.start { log.withLock { $0.append(number) } } }
    // A thread that does not wait shows within this time.
    _ = await eventually(within: 0.5) { log.withLock { !$0.isEmpty } }
    #expect(log.withLock { $0 } == [])
    gate.signal()
    try #require(await eventually { log.withLock { $0.count == 5 } })
    #expect(log.withLock { $0 } == [1, 2, 3, 4, 5])
  }
}
