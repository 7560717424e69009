import Foundation
import TestSupport
import Testing

/// A world with programs, and a list of faults that happen in it.
@MainActor
protocol Simulation: Sendable {
  static var name: String { get }
  /// Seconds during which faults happen.
  static var duration: Double { get }
  static var kinds: [Fault.Kind] { get }

  init(_ world: World) throws
  func apply(_ fault: Fault)
  /// Checks that everything is delivered some time after the last fault.
  func checkDelivery()
}

extension Simulation {
  /// Runs with the given faults; returns the world, which knows what did not hold.
  static func run(seed: UInt64, _ faults: [Fault]) async throws -> World {
    let world = World(seed: seed)
    let watchdog = watchdog(seed, world.clock)
    defer { watchdog.cancel() }
    let simulation = try Self(world)
    for fault in faults {
      world.after(fault.time) {
        world.note("\(fault)")
        simulation.apply(fault)
      }
    }
    // Faults last half an hour at most, and retries come every few minutes.
    await world.run(until: duration + 3600)
    if world.failures.isEmpty { simulation.checkDelivery() }
    world.end()
    return world
  }

  /// Ends the process after a step of five minutes: a loop without an end keeps the main actor.
  private static func watchdog(_ seed: UInt64, _ clock: SimulatedClock) -> Task<Void, any Error> {
    let name = name
    return Task.detached {
      var last = -1.0
      while clock.seconds != last {
        last = clock.seconds
        try await Task.sleep(for: .seconds(300))
      }
      fatalError("\(name) \(seed) stays at \(last) s")
    }
  }

  /// The faults of a seed. They are of a few kinds, because some combinations are rare among many kinds. Half of them
  /// come within minutes of each other, and half of the worlds keep what the judge of crossings needs.
  static func faults(seed: UInt64) -> [Fault] {
    var random = SplitMix(state: seed &* 31 &+ 7)
    let kinds = Bool.random(using: &random) ? kinds : kinds.filter { !$0.disturbsFences }
    let chosen = kinds.shuffled(using: &random).prefix(Int.random(in: 2...kinds.count, using: &random))
    let moments = (0..<4).map { _ in Double.random(in: 10..<duration - 200, using: &random) }
    return (0..<Int.random(in: 5...60, using: &random))
      .map { _ in
        let time = Double.random(in: 10..<duration, using: &random)
        let moment = moments.randomElement(using: &random) ?? time
        return Fault(
          time: Bool.random(using: &random) ? time : moment + Double.random(in: 0..<200, using: &random),
          kind: chosen.randomElement(using: &random) ?? .powerIsCut,
          strength: Double.random(in: 0..<1, using: &random))
      }
      .sorted { $0.time < $1.time }
  }

  /// Leaves out faults that are not needed for a failure.
  static func shortened(seed: UInt64, _ faults: [Fault]) async throws -> [Fault] {
    var (needed, size) = (faults, faults.count / 2)
    while size > 0 {
      var start = 0
      while start < needed.count {
        var fewer = needed
        fewer.removeSubrange(start..<min(start + size, needed.count))
        if try await !run(seed: seed, fewer).failures.isEmpty { needed = fewer } else { start += size }
      }
      size /= 2
    }
    return needed
  }

  /// Runs a seed, and reports a failure with the faults that are needed for it.
  static func test(seed: UInt64) async throws -> Bool {
    let all = faults(seed: seed)
    let world = try await run(seed: seed, all)
    guard !world.failures.isEmpty else { return true }
    // The search may take long.
    let isShort = ProcessInfo.processInfo.environment["SIMULATION_SHORT"] != nil
    let needed = try await isShort ? all : shortened(seed: seed, all)
    let shortest = try await run(seed: seed, needed)
    Issue.record(
      """
      \(name) \(seed): \(world.failures[0])
      Again with: Scripts/simulate \(name) \(seed)
      Faults that are needed (\(needed.count) of \(all.count)): \(needed)
      They lead to: \(shortest.failures.first ?? "nothing")
      What happened last:
      \(shortest.history.suffix(40).joined(separator: "\n"))
      """)
    return false
  }
}

/// Programs under faults of all kinds, from one seed each.
@Suite(.inTurn) @MainActor
struct SimulationTests {
  /// Seeds that have failed before.
  private static let knownSeeds: [String: [UInt64]] = [:]

  @Test func receiver() async throws { try await Self.simulate(ReceiverSimulation.self) }
  @Test func fleet() async throws { try await Self.simulate(FleetSimulation.self) }

  /// Runs the seed of `SIMULATION_SEED`; or seeds that have failed before, and fresh ones for `SIMULATION_SECONDS`, at
  /// least one.
  private static func simulate<Kind: Simulation>(_ kind: Kind.Type) async throws {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["SIMULATION_SEED"].flatMap(UInt64.init) {
      _ = try await kind.test(seed: seed)
      return
    }
    for seed in knownSeeds[kind.name] ?? [] { _ = try await kind.test(seed: seed) }
    let seconds = Double(environment["SIMULATION_SECONDS"] ?? "") ?? 0
    let start = ProcessInfo.processInfo.systemUptime
    let first = UInt64.random(in: 0..<1 << 40)
    var seed = first
    repeat {
      guard try await kind.test(seed: seed) else { return }
      seed += 1
    } while ProcessInfo.processInfo.systemUptime - start < seconds
    print("\(kind.name): \(seed - first) seeds from \(first) on, \(Double(seed - first) * kind.duration / 86_400) days")
  }
}
