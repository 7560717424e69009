import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) struct SubscribeOnTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  @Test(arguments: [Event<Int>.completed, .error(TestError.first)])
  func subscribesAndUnsubscribesATickLater(end: Event<Int>) {
    let last = Recorded(time: 250, value: end)
    let xs = hot(.next(150, 1), .next(210, 2), last)
    #expect(events { xs.subscribe(on: scheduler) } == [.next(210, 2), last])
    #expect(xs.subscriptions == [Subscription(201, 251)])
  }

  @Test func disposalUnsubscribesATickLater() {
    let xs = hot(.next(210, 2), .next(290, 3))
    #expect(events(disposed: 280) { xs.subscribe(on: scheduler) } == [.next(210, 2)])
    #expect(xs.subscriptions == [Subscription(201, 281)])
  }

  @Test func disposalBeforeItsTurnNeverSubscribes() {
    let xs = hot(.next(210, 2))
    scheduler.scheduleAt(100) { xs.subscribe(on: scheduler).subscribe().dispose() }
    scheduler.start()
    #expect(xs.subscriptions == [])
  }

  @Test func nothingComesAfterTheEnd() {
    let source = Careless()
    let log = Recorder<Event<Int>>()
    source.subscribe(on: CurrentThreadScheduler.instance).subscribe { log.record($0) }.dispose()
    #expect(log.values == [.next(1), .completed])
  }
}

/// A user's own sequence that goes on after its end.
private struct Careless: ObservableType {
  typealias Element = Int

  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
    observer.onNext(1)
    observer.onCompleted()
    observer.onNext(2)
    observer.onError(TestError.first)
    return Disposables.create()
  }
}
