import Dispatch
public import Rx

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The random numbers of a seed (SplitMix64).
struct SeededOrder: RandomNumberGenerator, Sendable {
  /// The seed, then the state.
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A thread of a ``TestScheduler``, which stands for a serial queue: its actions that are due at the same time run in the
/// order in which they were scheduled. A scheduler with a seed lets its threads take turns as the seed decides.
public struct TestThread: SchedulerType {
  private let scheduler: TestScheduler
  private let lane = VirtualLane()

  fileprivate init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

  /// The real time that the scheduler's clock stands for.
  public var now: RxTime { scheduler.now }

  /// Runs `action` after the earlier ones of this thread.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
  }

  /// Runs `action` after `dueTime`.
  public func scheduleRelative<StateType: Sendable>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    scheduler.schedule(state, after: dueTime, lane: lane, action: action)
  }
}

/// A test that does not hold in one of the orders that ``TestScheduler/search(seconds:from:_:)`` tried.
public struct OrderFailure: Error, CustomStringConvertible {
  /// The seed of the order: `TestScheduler(seed: seed)` repeats it.
  public let seed: UInt64
  /// What the test has thrown, if it has.
  public let error: (any Error)?

  /// The seed, and the error in words.
  public var description: String { "does not hold with TestScheduler(seed: \(seed))" + (error.map { ": \($0)" } ?? "") }
}

extension TestScheduler {
  /// A thread of this scheduler.
  public func createThread() -> TestThread { TestThread(self) }

  /// Runs `test` with the schedulers of the seeds `first`, `first + 1` and so on, at least once, until `seconds` have
  /// passed.
  ///
  ///     try TestScheduler.search(seconds: 2) { scheduler in balance(on: scheduler) == 3 }
  ///
  /// - Returns: How many seeds were tried.
  /// - Throws: The seed of the first scheduler with which `test` returned `false` or threw.
  @discardableResult
  public static func search(
    seconds: Double = 1, from first: UInt64 = 0, _ test: (TestScheduler) throws -> Bool
  ) throws(OrderFailure) -> Int {
    let end = ContinuousClock.now + .seconds(seconds)
    var tried = 0
    repeat {
      let seed = first &+ UInt64(tried)
      tried += 1
      let holds: Bool
      do {
        holds = try test(TestScheduler(seed: seed))
      } catch {
        throw OrderFailure(seed: seed, error: error)
      }
      if !holds { throw OrderFailure(seed: seed, error: nil) }
    } while ContinuousClock.now < end
    return tried
  }
}
