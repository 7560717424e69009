import Dispatch
import Rx

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Runs actions in the order of their virtual time, as fast as it can, on the thread that calls ``start()`` or
/// ``advanceTo(_:)`` (RxSwift). Actions due at the same time run in the order in which they were scheduled.
///
/// `@unchecked Sendable`: `state` is a lock, the rest is immutable.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, CustomDebugStringConvertible,
  @unchecked Sendable
{
  /// A point of virtual time.
  public typealias VirtualTime = Converter.VirtualTimeUnit
  /// A span of virtual time.
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  private struct State {
    var isRunning = false
    var clock: VirtualTime
    /// How often the clock and the items have changed.
    var version = 0
    // The next item is the last one.
    var items: [VirtualItem<VirtualTime>] = []
  }

  private let state: Locked<State>
  final let converter: Converter

  /// The real time that the clock stands for.
  public var now: RxTime { converter.convertFromVirtualTime(clock) }

  /// The virtual time.
  public var clock: VirtualTime { state.withLock { $0.clock } }

  /// A scheduler whose clock begins at `initialClock`.
  public init(initialClock: VirtualTime, converter: Converter) {
    self.converter = converter
    state = Locked(State(clock: initialClock))
  }

  /// Runs `action` at the current virtual time, adjusted as ``adjustScheduledTime(_:)`` says.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .microseconds(0), action: action)
  }

  /// Runs `action` after `dueTime` of the real time that virtual time stands for.
  public func scheduleRelative<StateType: Sendable>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    schedule(state, after: dueTime, lane: nil, action: action)
  }

  /// Runs `action` after `dueTime`, in `lane`.
  func schedule<StateType: Sendable>(
    _ state: StateType, after dueTime: RxTimeInterval, lane: VirtualLane?,
    action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let time = converter.convertToVirtualTime(now.addingTimeInterval(dueTime.seconds))
    return schedule(state, at: adjustScheduledTime(time), lane: lane, action: action)
  }

  /// Runs `action` after `dueTime` of virtual time.
  public func scheduleRelativeVirtual<StateType: Sendable>(
    _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleAbsoluteVirtual(state, time: time(after: dueTime), action: action)
  }

  /// The virtual time in `interval` from now.
  func time(after interval: VirtualTimeInterval) -> VirtualTime { converter.offsetVirtualTime(clock, offset: interval) }

  /// Runs `action` at `time`.
  public func scheduleAbsoluteVirtual<StateType: Sendable>(
    _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    schedule(state, at: time, lane: nil, action: action)
  }

  /// Runs `action` at `time`, in `lane`.
  func schedule<StateType: Sendable>(
    _ state: StateType, at time: VirtualTime, lane: VirtualLane?,
    action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let item = VirtualItem(time: time, lane: lane) { action(state) }
    update { state in
      let index = insertionIndex(for: time, in: state.items)
      return { $0.items.insert(item, at: index) }
    }
    return item
  }

  /// Whether ``choose(of:)`` is asked. Otherwise actions that are due at the same time run as they were scheduled.
  var choosesOrder: Bool { false }

  /// Chooses one of `count` actions that are due at the same time.
  func choose(of count: Int) -> Int { 0 }

  /// Adjusts the time at which something is scheduled; by default leaves it as it is.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

  /// Runs everything that is scheduled, until there is nothing more or ``stop()`` is called.
  public func start() {
    let wasRunning = state.withLock { state in
      defer { state.isRunning = true }
      return state.isRunning
    }
    if !wasRunning { run(until: nil) }
  }

  /// Runs everything that is scheduled up to `virtualTime`, and moves the clock there. Traps while the scheduler runs.
  public func advanceTo(_ virtualTime: VirtualTime) {
    state.withLock { state in
      precondition(!state.isRunning, "the scheduler is running already")
      state.isRunning = true
    }
    run(until: virtualTime)
  }

  /// Moves the clock without running anything. Traps when `virtualInterval` is negative.
  public func sleep(_ virtualInterval: VirtualTimeInterval) {
    update { state in
      let time = converter.offsetVirtualTime(state.clock, offset: virtualInterval)
      precondition(converter.compareVirtualTime(time, state.clock) != .lessThan, "cannot sleep into the past")
      return { $0.clock = time }
    }
  }

  /// Makes ``start()`` return after the action that is running.
  public func stop() {
    state.withLock { state in
      state.isRunning = false
      state.version &+= 1
    }
  }

  /// The times at which something is scheduled, soonest first.
  public var debugDescription: String {
    let items = state.withLock { $0.items }
    return "[" + items.reversed().map { "\($0.time)" }.joined(separator: ", ") + "]"
  }

  private func run(until end: VirtualTime?) {
    while let item = next(until: end) {
      item.run()
    }
    state.withLock { state in
      state.isRunning = false
      state.version &+= 1
      if let end { state.clock = end }
    }
  }

  private func next(until end: VirtualTime?) -> VirtualItem<VirtualTime>? {
    update { state in
      let live = state.items.lastIndex { !$0.isDisposed }
      guard state.isRunning, let live, isDue(state.items[live], end) else {
        return { state in
          // Those that were cancelled go at once.
          state.items.removeSubrange((live.map { $0 + 1 } ?? 0)...)
          return nil
        }
      }
      let index = nextIndex(state.items[...live])
      let item = state.items[index]
      let isLater = converter.compareVirtualTime(item.time, state.clock) == .greaterThan
      return { state in
        state.items.removeSubrange((live + 1)...)
        state.items.remove(at: index)
        if isLater { state.clock = item.time }
        return item
      }
    }
  }

  private func isDue(_ item: VirtualItem<VirtualTime>, _ end: VirtualTime?) -> Bool {
    end.map { converter.compareVirtualTime(item.time, $0) != .greaterThan } ?? true
  }

  /// The index of the item that runs next: the last one, or another one that is due at the same time.
  private func nextIndex(_ items: ArraySlice<VirtualItem<VirtualTime>>) -> Int {
    let last = items.endIndex - 1
    guard choosesOrder else { return last }
    var lanes: Set<ObjectIdentifier> = []
    let due = items.indices.reversed().prefix { index in
      converter.compareVirtualTime(items[index].time, items[last].time) == .equal
    }.filter { index in
      if items[index].isDisposed { return false }
      return items[index].lane.map { lanes.insert(ObjectIdentifier($0)).inserted } ?? true
    }
    return due[choose(of: due.count)]
  }

  /// Changes the state as `plan` says for what it is now. The lock is not held while the converter runs, so another
  /// thread may change the state meanwhile; then `plan` is asked again.
  private func update<Result>(_ plan: (State) -> (inout State) -> Result) -> Result {
    while true {
      // The copy goes before the change, so that the change is made in place.
      let (version, change) = { state in (state.version, plan(state)) }(state.withLock { $0 })
      let result: Result? = state.withLock { state in
        guard state.version == version else { return nil }
        state.version &+= 1
        return change(&state)
      }
      if let result { return result }
    }
  }

  // Items are sorted latest first; a new one goes before all of its own time, to run after them.
  private func insertionIndex(for time: VirtualTime, in items: [VirtualItem<VirtualTime>]) -> Int {
    var low = 0
    var high = items.count
    while low < high {
      let middle = (low + high) / 2
      if converter.compareVirtualTime(items[middle].time, time) == .greaterThan {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

/// Actions of one lane that are due at the same time run in the order in which they were scheduled.
final class VirtualLane: Sendable {}

/// An action at a virtual time.
private final class VirtualItem<Time: Sendable>: Disposable {
  private struct Work {
    var action: (@Sendable () -> any Disposable)?
  }

  let time: Time
  let lane: VirtualLane?
  private let work: Locked<Work>
  private let disposable = SingleAssignmentDisposable()

  init(time: Time, lane: VirtualLane?, action: @escaping @Sendable () -> any Disposable) {
    self.time = time
    self.lane = lane
    work = Locked(Work(action: action))
  }

  var isDisposed: Bool { disposable.isDisposed }

  func run() { if let action = work.withLock({ $0.action.take() }) { disposable.setDisposable(action()) } }

  func dispose() {
    disposable.dispose()
    // Released outside of the lock: what the action holds may dispose of something else.
    let action = work.withLock { $0.action.take() }
    withExtendedLifetime(action) {}
  }
}

/// How two points of virtual time compare (RxSwift).
public enum VirtualTimeComparison: Sendable {
  /// The first is earlier.
  case lessThan
  /// They are the same.
  case equal
  /// The first is later.
  case greaterThan
}

/// Translates between virtual and real time (RxSwift).
public protocol VirtualTimeConverterType: Sendable {
  /// A point of virtual time.
  associatedtype VirtualTimeUnit: Sendable
  /// A span of virtual time.
  associatedtype VirtualTimeIntervalUnit: Sendable

  /// The real time that `virtualTime` stands for.
  func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime

  /// The virtual time that stands for `time`.
  func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit

  /// The real span, in seconds, that `virtualTimeInterval` stands for.
  func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval

  /// The virtual span that stands for `timeInterval` seconds.
  func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit

  /// `time` moved by `offset`.
  func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

  /// How `lhs` compares to `rhs`.
  func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}
