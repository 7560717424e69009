import Rx
import RxTest
import RxTestSupport
import XCTest

final class TestSchedulerTests: RxTestCase {
  func testHotSequenceSendsAtItsOwnTimes() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .next(230, 3), .completed(250)])

    let result = scheduler.start { source }

    XCTAssertEqual(result.events, [.next(210, 2), .next(230, 3), .completed(250)])
    XCTAssertEqual(source.subscriptions, [Subscription(200, 250)])
    XCTAssertEqual(source.recordedEvents, [.next(150, 1), .next(210, 2), .next(230, 3), .completed(250)])
  }

  func testColdSequenceSendsFromTheSubscriptionOn() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable([.next(0, 0), .next(10, 1), .next(20, 2), .error(30, TestError.first)])

    let result = scheduler.start { source.map { $0 * 10 } }

    XCTAssertEqual(result.events, [.next(200, 0), .next(210, 10), .next(220, 20), .error(230, TestError.first)])
    XCTAssertEqual(source.subscriptions, [Subscription(200, 230)])
  }

  func testOperatorsWithTimeUseTheSchedulersTime() {
    let scheduler = TestScheduler(initialClock: 0)
    let names = scheduler.createHotObservable([.next(210, "a"), .next(220, "ab"), .completed(300)])
    let result = scheduler.start { names.debounce(.seconds(15), scheduler: scheduler) }
    XCTAssertEqual(result.events, [.next(235, "ab"), .completed(300)])
  }

  func testEachSubscriberOfAColdSequenceGetsEverything() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable([.next(10, "a"), .completed(20)])
    let first = scheduler.createObserver(String.self)
    let second = scheduler.createObserver(String.self)
    var subscriptions: [any Disposable] = []

    scheduler.scheduleAt(100) { subscriptions.append(source.subscribe(first)) }
    scheduler.scheduleAt(105) { subscriptions.append(source.subscribe(second)) }
    scheduler.scheduleAt(112) { subscriptions[1].dispose() }
    scheduler.start()

    XCTAssertEqual(first.events, [.next(110, "a"), .completed(120)])
    XCTAssertEqual(second.events, [])
    XCTAssertEqual(source.subscriptions, [Subscription(100), Subscription(105, 112)])
  }

  func testStartDisposesAtTheTimeGiven() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3)])

    let result = scheduler.start(disposed: 225) { source }

    XCTAssertEqual(result.events, [.next(210, 1), .next(220, 2)])
    XCTAssertEqual(result.elements, [1, 2])
    XCTAssertEqual(source.subscriptions, [Subscription(200, 225)])
  }

  func testStartCreatesAndSubscribesAtTheTimesGiven() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(5, 1), .next(15, 2), .next(25, 3)])
    var created: TestTime?

    let result = scheduler.start(created: 3, subscribed: 10, disposed: 20) {
      created = scheduler.clock
      return source
    }

    XCTAssertEqual(created, 3)
    XCTAssertEqual(result.events, [.next(15, 2)])
    XCTAssertEqual(source.subscriptions, [Subscription(10, 20)])
  }

  func testWhatIsScheduledForNowComesATickLater() {
    let events = { (scheduler: TestScheduler) in
      scheduler.start { Observable.just(7, scheduler: scheduler) }.events
    }

    XCTAssertEqual(events(TestScheduler(initialClock: 0)), [.next(201, 7), .completed(202)])
    XCTAssertEqual(
      events(TestScheduler(initialClock: 0, simulateProcessingDelay: false)), [.next(200, 7), .completed(200)])
  }

  func testResolutionIsTheLengthOfATickInSeconds() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.01)
    var time: TestTime?

    _ = scheduler.scheduleRelative((), dueTime: .milliseconds(350)) { [scheduler] _ in
      XCTAssertEqual(scheduler.now.timeIntervalSince1970, 0.35, accuracy: 1e-6)
      return Disposables.create()
    }
    scheduler.scheduleAt(35) { time = scheduler.clock }
    scheduler.start()

    XCTAssertEqual(time, 35)
    XCTAssertEqual(scheduler.clock, 35)
  }

  func testATimeBeyondTheClockStaysAtItsEnd() {
    let scheduler = TestScheduler(initialClock: 0)
    var subscription: (any Disposable)?
    subscription = scheduler.scheduleRelative((), dueTime: .never) { _ in Disposables.create() }
    subscription?.dispose()
    scheduler.start()
    XCTAssertEqual(scheduler.clock, 0)
  }

  func testSubscribersOfAHotSequenceMayLeaveWhileItSends() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
    let second = scheduler.createObserver(Int.self)
    let other = SerialDisposable()

    let first = source.subscribe(onNext: { _ in other.dispose() })
    other.disposable = source.subscribe(second)
    scheduler.start()
    first.dispose()

    XCTAssertEqual(second.events, [])
    XCTAssertEqual(source.subscriptions, [Subscription(0, 220), Subscription(0, 210)])
  }

  func testBindAndSubscribeTakeATestableObserver() {
    let scheduler = TestScheduler(initialClock: 3)
    let observer = scheduler.createObserver(Int.self)
    let relay = BehaviorRelay(value: 1)

    let subscription = relay.bind(to: observer)
    relay.accept(2)
    subscription.dispose()
    relay.accept(3)

    XCTAssertEqual(observer.events, [.next(3, 1), .next(3, 2)])
    XCTAssertRecordedElements(observer.events, [1, 2])
  }
}
