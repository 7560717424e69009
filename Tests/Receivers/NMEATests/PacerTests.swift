import LocationKit
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Replay

private final class HostTime: Sendable {
  private let time = Mutex(100.0)
  var now: Double { time.withLock { $0 } }

  func pass(_ seconds: Double) { time.withLock { $0 += seconds } }
}

@Suite(.inTurn) struct PacerTests {
  /// Whether a replay at its own pace waits before the third of three fixes, a second apart, when the second is `delay` seconds
  /// late.
  private func waitsAfter(delay: Double) async throws -> Bool {
    let host = HostTime()
    let stop = try Wakeup()
    let mailbox = MainActorMailbox<ReplayItem<LocationSourceEvent>> { _ in }
    // At a pace the pacer hands over to the main actor and waits for that.
    return await Task.detached {
      var pacer = ReplayPacer(speed: .factor(1), stop: stop, mailbox: mailbox, now: { host.now })
      func deliver(_ time: Double) { pacer.deliver(LocationSourceEvent.noFix, atTime: time) }
      deliver(0)
      host.pass(1 + delay)
      deliver(1)
      // A pacer that waits finds out that it is to stop.
      stop.signal()
      deliver(2)
      return pacer.isStopped
    }.value
  }

  /// A replay catches up when it is a little late. When it is very late, it goes on from there at the recording's pace.
  @Test(arguments: [(0, true), (4, false), (6, true)])
  func greatLatenessIsForgiven(delay: Double, waits: Bool) async throws {
    #expect(try await waitsAfter(delay: delay) == waits)
  }

  /// A replay of fixes at these times, whose host's clock the test moves.
  private final class Controlled: Sendable {
    let host = HostTime()
    let control: ReplayControl
    let changes = Recorder<Void>()
    /// The times of the fixes that were handed on.
    let fixes = Recorder<Double>()
    /// The times to which the clock moved.
    let clocks = Recorder<Double>()
    let hasEnded = Atomic(false)
    private let stop: Wakeup

    init(_ speed: ReplaySpeed, _ times: [Double], order: (inout ReplayControl.State) -> Void = { _ in }) throws {
      (control, stop) = (ReplayControl(factor: speed.factor), try Wakeup())
      control.onChange { [changes] in changes.record(()) }
      control.order(order)
      let mailbox = MainActorMailbox<ReplayItem<LocationSourceEvent>> { [fixes, clocks] items in
        for item in items {
          clocks.record(item.clock)
          if case .event = item.content { fixes.record(item.clock) }
        }
      }
      try Thread.start { [self] in
        var pacer = ReplayPacer(
          speed: speed, control: control, stop: stop, mailbox: mailbox, now: { [host] in host.now })
        repeat {
          for time in times { pacer.deliver(LocationSourceEvent.noFix, atTime: time) }
          pacer.flush()
          if pacer.isStopped { pacer.startOver() }
        } while pacer.takeReturn()
        hasEnded.store(true, ordering: .releasing)
      }
    }

    func end() { stop.signal() }

    /// Waits until the replay is where it was sent.
    func arrive() async throws { try #require(await eventually { control.state.target == nil }) }

    /// The clock of a replay that waits, after it has seen the host's time and all orders; `nil` if it does not wait.
    func clock() async -> Double? {
      let before = clocks.values.count
      return await eventually(within: 10) { clocks.values.count >= before + 3 } ? clocks.values.last : nil
    }
  }

  @Test func aPausedReplayStandsStillUntilItGoesOn() async throws {
    let replay = try Controlled(.factor(1), [0, 100])
    defer { replay.end() }
    #expect(await replay.clock() == 0)
    replay.host.pass(1)
    #expect(await replay.clock() == 1)
    let before = replay.changes.values.count
    replay.control.order { $0.isPaused = true }
    // The order is a change, and so is the place of the pause.
    try #require(await eventually { replay.changes.values.count == before + 2 })
    #expect(replay.control.state.position == 1)
    replay.host.pass(1000)
    replay.control.order { $0.isPaused = false }
    #expect(await replay.clock() == 1)
    replay.host.pass(2)
    #expect(await replay.clock() == 3)
  }

  @Test func aNewSpeedHoldsFromHereOn() async throws {
    let replay = try Controlled(.factor(1), [0, 1000])
    defer { replay.end() }
    #expect(await replay.clock() == 0)
    replay.host.pass(2)
    #expect(await replay.clock() == 2)
    replay.control.order { $0.factor = 4 }
    #expect(await replay.clock() == 2)
    replay.host.pass(1)
    #expect(await replay.clock() == 6)
    replay.control.order { $0.factor = nil }
    try #require(await eventually { replay.hasEnded.load(ordering: .acquiring) })
    try #require(await eventually { replay.fixes.values == [0, 1000] })
  }

  /// The host's clock stands still all the time.
  @Test(arguments: [ReplaySpeed.factor(2), .max])
  func onTheWayToItsTargetAReplayLeavesNothingOut(speed: ReplaySpeed) async throws {
    let times = (0...1000).map(Double.init)
    let replay = try Controlled(speed, times) { ($0.isPaused, $0.target) = (true, 600.5) }
    defer { replay.end() }
    try await replay.arrive()
    #expect(replay.control.state.position == 600.5)
    try #require(await eventually { replay.clocks.values.last == 600.5 })
    #expect(replay.fixes.values == times.filter { $0 < 600.5 })
    // It is still paused, and goes on at its speed.
    if speed == .max { return replay.control.order { $0.isPaused = false } }
    replay.control.order { ($0.isPaused, $0.target) = (false, 700) }
    try await replay.arrive()
    #expect(await replay.clock() == 700)
    replay.host.pass(0.25)
    #expect(await replay.clock() == 700.5)
  }

  @Test func aReplayIsSentBackWhileItPlays() async throws {
    let replay = try Controlled(.factor(1), (0...1000).map(Double.init))
    defer { replay.end() }
    #expect(await replay.clock() == 0)
    replay.host.pass(4.5)
    try #require(await eventually { replay.clocks.values.last == 4.5 })
    replay.control.order { $0.target = 2 }
    try await replay.arrive()
    #expect(replay.control.state.returns == 1)
    try #require(await eventually { replay.clocks.values.last == 7 })
    #expect(replay.fixes.values == (0...7).map(Double.init))
  }

  /// The thread reports its position between two looks at the orders.
  @Test func aReportOfThePositionTakesNoOrderBack() {
    let control = ReplayControl(factor: 1)
    control.order { $0.target = 100 }
    control.report(position: 600)
    #expect(control.takeOrders()?.target == 100)
    control.order { $0.target = 50 }
    control.reportArrival(at: 100)
    #expect(control.takeOrders()?.target == 50)
    control.reportArrival(at: 50)
    #expect(control.takeOrders() != nil && control.state.target == nil)
  }

  /// The recording's clock goes on meanwhile.
  @Test(arguments: [ReplaySpeed.factor(2), .max])
  func onItsWayBackAReplayPlaysItsBeginningAgain(speed: ReplaySpeed) async throws {
    let times = (0...1000).map(Double.init)
    let replay = try Controlled(speed, times) { ($0.isPaused, $0.target) = (true, 600) }
    defer { replay.end() }
    try await replay.arrive()
    for (returns, target) in [(1, 100.5), (2, 0.0)] {
      replay.control.order { $0.target = target }
      try await replay.arrive()
      #expect(replay.control.state.position == target)
      #expect(replay.control.state.returns == returns)
    }
    replay.control.order { ($0.isPaused, $0.factor) = (false, nil) }
    try #require(await eventually { replay.hasEnded.load(ordering: .acquiring) })
    let turns = [times.prefix(601), times.prefix(101), times[...]]
    // A second lies between the turns.
    var start = 0.0
    var expected: [Double] = []
    for (turn, end) in zip(turns, [600.0, 100, 1000]) {
      expected += turn.map { start + $0 }
      start += end + 1
    }
    try #require(await eventually { replay.fixes.values.count == expected.count })
    #expect(replay.fixes.values == expected)
    #expect(replay.clocks.values == replay.clocks.values.sorted())
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

@MainActor @Suite(.inTurn) struct SourceClockTests {
  /// Ten minutes of a recording that were played in ten seconds do not hold up the time after it.
  @Test func timeGoesOnFromTheEndOfARecording() {
    let time = HostTime()
    var host = Host.system
    host.seconds = { time.now }
    let clock = SourceClock(host, alarm: VirtualClock())
    clock.start()
    for seconds in [1000.0, 1600] { clock.follow(seconds) }
    time.pass(10)
    clock.leaveRecording()
    clock.pass { #expect(clock.now == 600) }
    time.pass(5)
    #expect(clock.now == 605)
  }
}
