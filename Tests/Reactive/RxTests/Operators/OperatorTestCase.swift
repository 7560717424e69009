import Foundation
import Rx
import RxTest
import Synchronization
import XCTest

/// A test of operators in virtual time, which must leave as many live resources behind as it found.
class OperatorTestCase: XCTestCase {
  private var resourcesBefore: Int32 = 0
  private var currentScheduler: TestScheduler?

  /// The test's virtual time; subscriptions of `start` go from 200 to 1000.
  var scheduler: TestScheduler {
    if let currentScheduler { return currentScheduler }
    let scheduler = TestScheduler(initialClock: 0)
    currentScheduler = scheduler
    return scheduler
  }

  override func setUp() {
    // What the kernel makes once for all is made by now.
    _ = (MainScheduler.instance, ConcurrentMainScheduler.instance, CurrentThreadScheduler.instance)
    resourcesBefore = Self.liveResources
  }

  override func tearDown() {
    currentScheduler = nil
    let isBalanced = eventually { Self.liveResources == resourcesBefore }
    XCTAssertTrue(isBalanced, "\(Self.liveResources - resourcesBefore) resources were leaked")
  }

  private static var liveResources: Int32 {
    #if TRACE_RESOURCES
      Resources.total
    #else
      0
    #endif
  }

  /// Lets the main queue run until `condition` holds; gives up after 20 seconds.
  func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 20)
    while !condition() {
      if Date() > deadline { return false }
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.001))
    }
    return true
  }

  /// Runs `body` with each of `values` as a test of its own, with a clock of its own.
  func each<Value>(_ values: [Value], _ body: (Value) -> Void) {
    for value in values {
      body(value)
      tearDown()
      setUp()
    }
  }

  /// A sequence that sends `events` at their times on the clock.
  func hot<Element>(_ events: Recorded<Event<Element>>...) -> TestableObservable<Element> {
    scheduler.createHotObservable(events)
  }

  /// A sequence that sends each subscriber `events`, at their times from the subscription.
  func cold<Element>(_ events: Recorded<Event<Element>>...) -> TestableObservable<Element> {
    scheduler.createColdObservable(events)
  }

  /// What a subscription to the sequence that `create` makes receives between 200 and `disposed`.
  func events<Element>(
    disposed: TestTime = 1000, _ create: @escaping () -> Observable<Element>
  ) -> [Recorded<Event<Element>>] {
    scheduler.start(disposed: disposed, create: create).events
  }
}

/// An error of the operators' tests.
enum OperatorTestError: Error, Equatable {
  case first
  case second
}

/// Collects what closures that may run on any thread are called with.
final class Log<Value: Sendable>: Sendable {
  private let log = Mutex<[Value]>([])

  var values: [Value] {
    log.withLock { $0 }
  }

  func callAsFunction(_ value: Value) {
    log.withLock { $0.append(value) }
  }
}

/// The events that `source` sends while it is being subscribed to.
func immediateEvents<Element>(_ source: Observable<Element>) -> [Event<Element>] {
  let log = Log<Event<Element>>()
  source.subscribe { log($0) }.dispose()
  return log.values
}

/// A sequence that sends `elements` and completes while it is being subscribed to.
func immediately<Element: Sendable>(_ elements: Element...) -> Observable<Element> {
  .create { observer in
    for element in elements { observer.onNext(element) }
    observer.onCompleted()
    return Disposables.create()
  }
}
