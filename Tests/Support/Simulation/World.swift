import CSimulatedDisk
import FoundationEssentials
import Glibc
import Platform
import Synchronization
import SystemPackage
import TestSupport

@testable import Journal
@testable import LocationKit

/// A host and its surroundings in one thread: one generator of random numbers, one clock and one list of future events.
///
/// Programs run in it by their real code. Their loops are steps in the list of events, between which anything may
/// happen.
@MainActor
final class World {
  let clock = SimulatedClock()
  var random: SplitMix
  private(set) var loops: [RunningLoop] = []
  /// What did not hold. The first entry ends the simulation.
  private(set) var failures: [String] = []
  /// The last things that happened, for the report of a failure.
  private(set) var history: [String] = []
  /// Whether a program has asynchronous work, which needs turns of the main actor.
  var hasTasks = false
  /// The disk on which programs write.
  weak var disk: Disk?

  private var events: [(time: Double, number: Int, action: @MainActor () -> Void)] = []
  private var eventCount = 0
  private var turns = 0
  private var current: RunningLoop?
  /// Checks that must hold after every event.
  private var invariants: [@MainActor () -> Void] = []

  init(seed: UInt64) { random = SplitMix(state: seed) }

  var now: Double { clock.seconds }

  /// The host of a program. Its loops end with `isAlive`.
  func host(while isAlive: @escaping @MainActor @Sendable () -> Bool) -> Platform.Host {
    var host = clock.host
    host.random = { [self] in MainActor.assumeIsolated { number(0..<1) } }
    host.sleep = { [self] seconds in MainActor.assumeIsolated { hang(seconds) } }
    host.run = { [self] loop in MainActor.assumeIsolated { loops.append(RunningLoop(loop, due: now, isAlive)) } }
    return host
  }

  // MARK: Chance

  func number(_ range: Range<Double>) -> Double { Double.random(in: range, using: &random) }
  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  func isLucky(_ chance: Double) -> Bool { number(0..<1) < chance }

  // MARK: Time

  func after(_ seconds: Double, _ action: @escaping @MainActor () -> Void) {
    eventCount += 1
    let time = now + max(0, seconds)
    // The next event is the last element; of two events at one time the earlier one comes first.
    var (low, high) = (0, events.count)
    while low < high {
      let middle = (low + high) / 2
      if events[middle].time > time { low = middle + 1 } else { high = middle }
    }
    events.insert((time, eventCount, action), at: low)
  }

  /// Keeps the running loop busy: a call to the operating system that takes long. Timers of the main actor and the
  /// surroundings go on meanwhile.
  func hang(_ seconds: Double) {
    guard let current else { return }
    current.busy += seconds
    let end = now + min(seconds, 2)
    while let event = events.last, event.time <= end {
      events.removeLast()
      clock.seconds = max(now, event.time)
      event.action()
    }
  }

  /// Runs until the time, the first failure, or until `condition` holds.
  func run(until end: Double, or condition: @MainActor () -> Bool = { false }) async {
    while failures.isEmpty, !condition() {
      turns += 1
      // Other tests need the main actor, too.
      if hasTasks || turns % 100 == 0 { await Task.yield() }
      let loop = loops.min { $0.due < $1.due }
      let time = min(events.last?.time ?? .infinity, loop?.due ?? .infinity)
      // A program with asynchronous work may go on without an event.
      if time > end && hasTasks && turns % 100 != 0 { continue }
      guard time <= end else {
        clock.seconds = end
        return
      }
      clock.seconds = max(now, time)
      if let loop, loop.due <= now { step(loop) } else { events.popLast()?.action() }
      wakeLoops()
      for invariant in invariants { invariant() }
    }
  }

  private func step(_ loop: RunningLoop) {
    guard loop.isAlive() else { return loops.removeAll { $0 === loop } }
    (current, loop.busy) = (loop, 0)
    let state = loop.loop.step()
    current = nil
    loop.busy += disk?.takeDelay() ?? 0
    let pause = loop.busy + number(0.00001..<0.001)
    switch state {
    case .ready:
      (loop.due, loop.isWaiting) = (now + pause, false)
      loop.readySteps += 1
      check(loop.readySteps < 5000, "a program acts without a pause")
      return
    case .waiting(let deadline): (loop.due, loop.isWaiting) = (max(deadline, now + pause), loop.busy == 0)
    case .ended: loops.removeAll { $0 === loop }
    }
    loop.readySteps = 0
  }

  /// Wakes the waiting loops that have something to do.
  private func wakeLoops() {
    for loop in loops where loop.isWaiting && loop.isAlive() && loop.loop.wait(until: now) {
      (loop.due, loop.isWaiting) = (min(loop.due, now + number(0.00001..<0.002)), false)
    }
  }

  /// Removes what is left, which would keep the world and its programs in memory.
  func end() { (events, loops, invariants) = ([], [], []) }

  /// Removes what a program that has ended leaves, and starts it again some time later.
  func restart(after life: Life, _ start: @escaping @MainActor () -> Void) {
    (life.isOn, hasTasks) = (false, false)
    loops.removeAll { !$0.isAlive() }
    after(number(0.1..<(isLucky(0.2) ? 900 : 60)), start)
  }

  // MARK: What must hold

  func always(_ invariant: @escaping @MainActor () -> Void) { invariants.append(invariant) }

  func check(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { failures.append("at \(now) s: \(text())") }
  }

  /// Numbers of fixes ascend; `verb` says how the fixes came to be there.
  func checkOrder(_ numbers: some Sequence<Int>, _ verb: @autoclosure () -> String) {
    for (one, next) in zip(numbers, numbers.dropFirst()) { check(one < next, "fix \(next) \(verb()) after \(one)") }
  }

  /// One judge that has seen all locations, whatever happened between them, finds the same crossings. A program that
  /// starts with the fix of one of the numbers `starts` assumes the state of the fence that it had before.
  func check(
    _ crossings: [RegionCrossing], of name: String, _ fence: Region, with locations: [Location],
    starts: [Int] = []
  ) {
    var (monitor, state) = (RegionMonitor(fence), RegionState.unknown)
    var starts = starts[...]
    let expected = locations.indices.filter { index in
      while let start = starts.first, locations[index].number >= start {
        monitor = RegionMonitor(fence, assuming: RegionAssumption(state: state))
        starts.removeFirst()
      }
      let (location, time) = (locations[index], locations[index].timestamp?.timeIntervalSince1970 ?? 0)
      let change = monitor.update(location, EarthPoint(location.coordinate), at: time, policy: .init())
      // A program may end before it has a fix that shows the state.
      if monitor.state != .unknown { state = monitor.state }
      return change == .crossed
    }
    let found = crossings.compactMap { crossing in
      locations.firstIndex { $0.timestamp == crossing.location.timestamp }
    }
    let areEqual =
      expected.count == found.count
      && zip(expected, found).allSatisfy { one, other in
        let (time, otherTime) = (locations[one].timestamp ?? .distantPast, locations[other].timestamp ?? .distantPast)
        return abs(one - other) <= 1 || abs(otherTime.timeIntervalSince(time)) <= 60
      }
    let fixes = [found, expected].map { $0.map { locations[$0].number } }
    check(areEqual, "\(name) crossed \(fence.identifier) at its fixes \(fixes[0]), not \(fixes[1])")
  }

  func note(_ text: @autoclosure () -> String) {
    history.append("\(now): \(text())")
    if history.count > 200 { history.removeFirst(100) }
  }
}

/// The time of a simulated host, which changes only when it is told to.
final class SimulatedClock: Sendable {
  private let state = Mutex(0.0)

  /// Seconds since the start.
  var seconds: Double {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// The time of day: the start is on 20 June 2025.
  var date: Date { Date(timeIntervalSince1970: 1_750_377_600 + seconds) }

  /// A host with this time, on which nothing sleeps.
  var host: Platform.Host {
    var host = Platform.Host.system
    host.seconds = { self.seconds }
    host.date = { self.date }
    host.sleep = { self.seconds += $0 }
    return host
  }
}

@MainActor
final class RunningLoop {
  let loop: Loop
  let isAlive: @MainActor () -> Bool
  var due: Double
  /// Whether it waits, and may be woken.
  var isWaiting = false
  /// Seconds that the current step takes.
  var busy = 0.0
  /// The steps since it last waited.
  var readySteps = 0

  init(_ loop: Loop, due: Double, _ isAlive: @escaping @MainActor () -> Bool) {
    (self.loop, self.due, self.isAlive) = (loop, due, isAlive)
  }
}

/// The world's time for location managers.
@MainActor
final class WorldClock: LocationClock {
  private let world: World
  private let isAlive: @MainActor () -> Bool

  init(_ world: World, while isAlive: @escaping @MainActor () -> Bool) { (self.world, self.isAlive) = (world, isAlive) }

  var now: Double { world.now }

  func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    let cancellation = TimerCancellation()
    world.after(seconds) { [isAlive] in if isAlive(), !cancellation.isCancelled { action() } }
    return cancellation.timer()
  }
}

/// A disk with a folder, on which SQLite keeps its files.
final class Disk {
  let folder = TestSupport.TemporaryFolder()
  /// Seconds that a write, a sync or a deletion takes.
  var delay = 0.0
  private var operations: Int64 = 0
  private let name: UnsafeMutablePointer<CChar>

  init(seed: UInt64) throws {
    name = strdup(folder.path)
    simulated_disk_install()
    simulated_disk_add(name, seed)
  }

  deinit {
    simulated_disk_remove(name)
    free(name)
  }

  /// The seconds of the operations since the last call.
  fileprivate func takeDelay() -> Double {
    let before = operations
    operations = simulated_disk_operations(name)
    return delay * Double(operations - before)
  }

  /// Stops all writes of the running program, at once or after some.
  func stop(after count: Int64 = 0) { simulated_disk_cut(name, count) }

  var isStopped: Bool { simulated_disk_is_cut(name) }

  /// Continues after the program has ended: with everything that it wrote, or after a power cut.
  func restart(afterPowerCut: Bool) {
    if afterPowerCut { simulated_disk_restore(name) } else { simulated_disk_continue(name) }
  }

  /// All rows of a journal, oldest first, or what is damaged.
  func rows(of name: String) throws -> [JournalEntry] {
    let path = folder.file(name)
    let integrity = try Connection(path: path).prepare("PRAGMA integrity_check")
    if try integrity.step(), let answer = integrity.text(0), answer != "ok" { throw SupportError(answer) }
    let reader = try JournalReader(path: path)
    var rows: [JournalEntry] = []
    while case let more = try reader.entries(after: rows.last?.sequence ?? 0, limit: 1000), !more.isEmpty {
      rows += more
    }
    return rows
  }

  func setCapacity(_ bytes: Int64?) { simulated_disk_set_capacity(name, bytes ?? -1) }
  func fail(forever: Bool, after count: Int64 = 0) { simulated_disk_fail(name, count, forever) }
  func repair() { simulated_disk_fail(name, -1, false) }
}
