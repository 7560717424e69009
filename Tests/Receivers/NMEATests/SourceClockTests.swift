import LocationKit
import Platform
import Synchronization
import Testing

@testable import Replay

@MainActor @Suite struct SourceClockTests {
  private final class Time: Sendable {
    let seconds = Mutex(50.0)
  }

  /// Ten minutes of a recording that were played in ten seconds do not hold up the time after it.
  @Test func timeGoesOnFromTheEndOfARecording() {
    let time = Time()
    var host = Host.system
    host.seconds = { time.seconds.withLock { $0 } }
    let clock = SourceClock(host, alarm: VirtualClock())
    clock.start()
    for seconds in [1000.0, 1600] { clock.follow(seconds) }
    time.seconds.withLock { $0 += 10 }
    clock.leaveRecording()
    clock.pass { #expect(clock.now == 600) }
    time.seconds.withLock { $0 += 5 }
    #expect(clock.now == 605)
  }
}
