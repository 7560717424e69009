import Rx

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A scheduler with virtual time, for tests: nothing waits, and every event has an exact time (RxTest).
///
///     let scheduler = TestScheduler(initialClock: 0)
///     let names = scheduler.createHotObservable([.next(210, "a"), .next(220, "ab"), .completed(300)])
///     let result = scheduler.start { names.debounce(.seconds(15), scheduler: scheduler) }
///     XCTAssertEqual(result.events, [.next(235, "ab"), .completed(300)])
///
/// A test drives its scheduler on one thread, or on the main queue: the closures given to ``scheduleAt(_:action:)`` and
/// to `start` may touch the test's own variables, and trap elsewhere.
///
/// `@unchecked Sendable`: what this class adds to its superclass is immutable.
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
  /// The times of a test that names none.
  public enum Defaults {
    /// When the tested sequence is created.
    public static let created: TestTime = 100
    /// When the tested sequence is subscribed to.
    public static let subscribed: TestTime = 200
    /// When the subscription is disposed.
    public static let disposed: TestTime = 1000
  }

  private let simulateProcessingDelay: Bool
  private let order: Locked<SeededOrder>?

  /// A scheduler that stands at `initialClock`. A tick lasts `resolution` seconds. With `simulateProcessingDelay` an
  /// action for now or the past runs one tick later.
  public init(initialClock: TestTime, resolution: Double = 1, simulateProcessingDelay: Bool = true) {
    self.simulateProcessingDelay = simulateProcessingDelay
    order = nil
    super.init(initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
  }

  /// A scheduler that runs the actions of the same time in an order that `seed` decides, and those of its threads in
  /// turns that `seed` decides. An action for now or the past is one of the current time.
  public init(seed: UInt64, initialClock: TestTime = 0, resolution: Double = 1) {
    simulateProcessingDelay = false
    order = Locked(SeededOrder(state: seed))
    super.init(initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
  }

  override var choosesOrder: Bool { order != nil }

  override func choose(of count: Int) -> Int { order?.withLock { Int.random(in: 0..<count, using: &$0) } ?? 0 }

  /// Moves an action scheduled for now or for the past to the next tick, to simulate that processing takes time.
  override public func adjustScheduledTime(_ time: TestTime) -> TestTime {
    time <= clock ? clock + (simulateProcessingDelay ? 1 : 0) : time
  }

  /// An observer that records what it receives, and when.
  ///
  /// - Parameter type: The type of the elements.
  public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
    TestableObserver(scheduler: self)
  }

  /// A sequence that sends `events` at their times on the scheduler's clock, with or without subscribers.
  public func createHotObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
    TestableObservable(events, on: self, isHot: true)
  }

  /// A sequence that sends each of its subscribers `events`, their times counted from the subscription.
  public func createColdObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
    TestableObservable(events, on: self, isHot: false)
  }

  /// A hot sequence of what was recorded elsewhere, such as the locations of a black box. The first element comes at
  /// `start`, the others as much later as their dates are. An element without a date comes with the one before it.
  ///
  /// - Parameters:
  ///   - elements: The elements in the order in which they are sent.
  ///   - start: The tick of the first element.
  ///   - date: When an element came.
  public func createHotObservable<Element>(
    _ elements: [Element], from start: TestTime = 210, at date: (Element) -> Date?
  ) -> TestableObservable<Element> {
    let first = elements.lazy.compactMap(date).first
    var time = start
    return createHotObservable(
      elements.map { element in
        if let first, let date = date(element) {
          let passed = converter.convertToVirtualTimeInterval(date.timeIntervalSince(first))
          time = max(time, converter.offsetVirtualTime(start, offset: passed))
        }
        return .next(time, element)
      })
  }

  /// Runs `action` when the clock reaches `time`.
  public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
    let action = ThreadBound(action)
    _ = scheduleAbsoluteVirtual((), time: time) { _ in
      action.value()
      return Disposables.create()
    }
  }
}

extension TestScheduler {
  /// Runs the scheduler, creating a sequence, subscribing to it and disposing the subscription at the given times.
  /// Returns what the subscription received, with times.
  public func start<Element, OutputSequence: ObservableConvertibleType>(
    created: TestTime = Defaults.created, subscribed: TestTime = Defaults.subscribed,
    disposed: TestTime = Defaults.disposed, create: @escaping () -> OutputSequence
  ) -> TestableObserver<Element> where OutputSequence.Element == Element {
    let observer = createObserver(Element.self)
    var source: Observable<Element>?
    var subscription: (any Disposable)?

    scheduleAt(created) { source = create().asObservable() }
    scheduleAt(subscribed) { subscription = source?.subscribe(observer) }
    scheduleAt(disposed) { subscription?.dispose() }

    start()
    return observer
  }

  /// Runs the scheduler with a sequence created at 100, subscribed to at 200 and disposed at 1000.
  public func start<Element, OutputSequence: ObservableConvertibleType>(
    _ create: @escaping () -> OutputSequence
  ) -> TestableObserver<Element> where OutputSequence.Element == Element {
    start(create: create)
  }
}

/// A value that stays on the thread, or the main queue, where it was wrapped: ``value`` traps elsewhere.
private struct ThreadBound<Value>: Sendable {
  private nonisolated(unsafe) let wrapped: Value
  private let thread = CurrentThread.identity
  private let isOnMainQueue = MainQueue.isCurrent

  init(_ value: Value) { wrapped = value }

  /// The value.
  var value: Value {
    precondition(
      thread == CurrentThread.identity || (isOnMainQueue && MainQueue.isCurrent),
      "a TestScheduler is driven on the thread where it was given its actions; make the test @MainActor"
    )
    return wrapped
  }
}

/// A point in, or a span of, virtual time: a number of ticks of a ``TestScheduler``.
public typealias TestTime = Int

/// Converts the ticks of a ``TestScheduler`` to dates and seconds (RxTest).
///
/// What a tick cannot hold (a time that is not a number, or beyond `Int`) becomes the nearest tick there is.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
  /// A tick, counted from the scheduler's zero.
  public typealias VirtualTimeUnit = TestTime

  /// A number of ticks.
  public typealias VirtualTimeIntervalUnit = TestTime

  private let resolution: Double

  init(resolution: Double) { self.resolution = resolution }

  /// The date of a tick; tick 0 is 1970-01-01 00:00 UTC.
  public func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime {
    Date(timeIntervalSince1970: Double(virtualTime) * resolution)
  }

  /// The tick nearest to a date.
  public func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit { ticks(time.timeIntervalSince1970) }

  /// A number of ticks in seconds.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval {
    Double(virtualTimeInterval) * resolution
  }

  /// A number of seconds in ticks, rounded to the nearest.
  public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit {
    ticks(timeInterval)
  }

  /// The tick `offset` ticks after `time`.
  public func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit {
    let (sum, overflow) = time.addingReportingOverflow(offset)
    return overflow ? (offset < 0 ? .min : .max) : sum
  }

  /// Which of two ticks comes first.
  public func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison {
    if lhs < rhs { return .lessThan }
    return lhs > rhs ? .greaterThan : .equal
  }

  private func ticks(_ seconds: Double) -> TestTime {
    let ticks = (seconds / resolution + 0.5).rounded(.towardZero)
    return TestTime(exactly: ticks) ?? (ticks < 0 ? .min : .max)
  }
}
