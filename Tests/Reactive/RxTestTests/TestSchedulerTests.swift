import Foundation
import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) struct TestSchedulerTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test func aHotSequenceSendsAtItsOwnTimes() {
    let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .next(230, 3), .completed(250)])

    let result = scheduler.start { source }

    #expect(result.events == [.next(210, 2), .next(230, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(source.recordedEvents == [.next(150, 1), .next(210, 2), .next(230, 3), .completed(250)])
  }

  @Test func eachSubscriberOfAColdSequenceGetsEverything() {
    let source = scheduler.createColdObservable([.next(10, "a"), .completed(20)])
    let first = scheduler.createObserver(String.self)
    let second = scheduler.createObserver(String.self)
    var subscriptions: [any Disposable] = []

    scheduler.scheduleAt(100) { subscriptions.append(source.subscribe(first)) }
    scheduler.scheduleAt(105) { subscriptions.append(source.subscribe(second)) }
    scheduler.scheduleAt(112) { subscriptions[1].dispose() }
    scheduler.start()

    #expect(first.events == [.next(110, "a"), .completed(120)])
    #expect(second.events == [])
    #expect(source.subscriptions == [Subscription(100), Subscription(105, 112)])
  }

  @Test func startCreatesAndSubscribesAtTheTimesGiven() {
    let source = scheduler.createHotObservable([.next(5, 1), .next(15, 2), .next(25, 3)])
    var created: TestTime?

    let result = scheduler.start(created: 3, subscribed: 10, disposed: 20) {
      created = scheduler.clock
      return source
    }

    #expect(created == 3)
    #expect(result.events == [.next(15, 2)])
    #expect(source.subscriptions == [Subscription(10, 20)])
  }

  @Test func whatIsScheduledForNowComesATickLater() {
    let events = { (scheduler: TestScheduler) in
      scheduler.start { Observable.just(7, scheduler: scheduler) }.events
    }

    #expect(events(TestScheduler(initialClock: 0)) == [.next(201, 7), .completed(202)])
    #expect(events(TestScheduler(initialClock: 0, simulateProcessingDelay: false)) == [.next(200, 7), .completed(200)])
  }

  @Test func resolutionIsTheLengthOfATickInSeconds() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.01)
    var time: TestTime?

    scheduler.perform((), after: .milliseconds(350)) { [scheduler] _ in
      #expect(abs(scheduler.now.timeIntervalSince1970 - 0.35) < 1e-6)
    }
    scheduler.scheduleAt(35) { time = scheduler.clock }
    scheduler.start()

    #expect(time == 35)
    #expect(scheduler.clock == 35)
  }

  @Test func aTimeBeyondTheClockStaysAtItsEnd() {
    var subscription: (any Disposable)?
    subscription = scheduler.scheduleRelative((), dueTime: .never) { _ in Disposables.create() }
    subscription?.dispose()
    scheduler.start()
    #expect(scheduler.clock == 0)
  }

  @Test func whatIsCancelledGoesBeforeTheSchedulerRuns() {
    var object: SerialDisposable? = SerialDisposable()
    weak let captured = object
    let subscription = scheduler.scheduleRelative((), dueTime: .seconds(10)) { [object] _ in
      object ?? Disposables.create()
    }
    object = nil
    #expect(captured != nil)
    subscription.dispose()
    #expect(captured == nil)
  }

  @Test func subscribersOfAHotSequenceMayLeaveWhileItSends() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
    let second = scheduler.createObserver(Int.self)
    let other = SerialDisposable()

    let first = source.subscribe(onNext: { _ in other.dispose() })
    other.disposable = source.subscribe(second)
    scheduler.start()
    first.dispose()

    #expect(second.events == [])
    #expect(source.subscriptions == [Subscription(0, 220), Subscription(0, 210)])
  }

  @Test func bindAndSubscribeTakeATestableObserver() {
    let scheduler = TestScheduler(initialClock: 3)
    let observer = scheduler.createObserver(Int.self)
    let relay = BehaviorRelay(value: 1)

    let subscription = relay.bind(to: observer)
    relay.accept(2)
    subscription.dispose()
    relay.accept(3)

    #expect(observer.events == [.next(3, 1), .next(3, 2)])
    #expect(observer.elements == [1, 2])
  }
}
