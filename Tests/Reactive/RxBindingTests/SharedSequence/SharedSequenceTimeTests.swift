import Rx
import RxBinding
import RxTest
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct SharedSequenceTimeTests {
  private let scheduler = TestScheduler(initialClock: 0)

  /// What a driver that `make` makes sends on a virtual scheduler, subscribed to at 200.
  private func events<Element: Sendable>(_ make: (TestScheduler) -> Driver<Element>) -> [Recorded<Event<Element>>] {
    let scheduler = TestScheduler(initialClock: 0)
    return SharingScheduler.mock(scheduler: scheduler) {
      let driver = make(scheduler)
      return scheduler.start { driver.asObservable() }.events
    }
  }

  private func clicks(_ scheduler: TestScheduler) -> Driver<Int> {
    scheduler.createHotObservable([.next(210, 1), .next(214, 2), .next(218, 3), .next(240, 4), .completed(250)])
      .asDriver(onErrorJustReturn: -1)
  }

  @Test func elementsAndTimeAreTheSharingSchedulers() {
    #expect(events(clicks) == [.next(211, 1), .next(215, 2), .next(219, 3), .next(241, 4), .completed(251)])
    #expect(events { clicks($0).debounce(.seconds(10)) } == [.next(229, 3), .next(251, 4), .completed(251)])
    let throttled: [Recorded<Event<Int>>] = [.next(211, 1), .next(241, 4), .completed(251)]
    #expect(events { clicks($0).throttle(.seconds(10), latest: false) } == throttled)
    #expect(
      events { clicks($0).throttle(.seconds(10)) } == [.next(211, 1), .next(221, 3), .next(241, 4), .completed(251)])
    let late = events { clicks($0).filter { $0 > 2 }.delay(.seconds(5)) }
    #expect(late == [.next(224, 3), .next(246, 4), .completed(256)])
  }

  @Test func intervalIsShared() {
    let observers = [scheduler.createObserver(Int.self), scheduler.createObserver(Int.self)]
    var subscriptions: [any Disposable] = []
    SharingScheduler.mock(scheduler: scheduler) {
      let interval = Driver<Int>.interval(.seconds(100))
      for (time, observer) in zip([20, 170], observers) {
        scheduler.scheduleAt(time) { subscriptions.append(interval.drive(observer)) }
      }
      scheduler.scheduleAt(230) { for subscription in subscriptions { subscription.dispose() } }
      scheduler.start()
    }
    #expect(observers[0].events == [.next(120, 0), .next(220, 1)])
    #expect(observers[1].events == [.next(170, 0), .next(220, 1)])
  }

  @Test func timerUsesTheSharingScheduler() {
    SharingScheduler.mock(scheduler: scheduler) {
      let timer = Driver<Int>.timer(.seconds(100), period: .seconds(105))
      let result = scheduler.start(disposed: 450) { timer.asObservable() }
      #expect(result.events == [.next(300, 0), .next(405, 1)])
    }
  }

  @Test func sourcesSendOnTheSharingScheduler() {
    #expect(events { _ in Driver.just(1) } == [.next(201, 1), .completed(201)])
    #expect(events { _ in Driver<Int>.empty() } == [.completed(201)])
    #expect(events { _ in Driver<Int>.never() } == [])
    #expect(events { _ in Driver.of(1, 2) } == [.next(201, 1), .next(202, 2), .completed(203)])
    #expect(events { _ in Driver.from([7]) } == [.next(201, 7), .completed(202)])
    #expect(events { _ in Driver.from(7...8) } == [.next(201, 7), .next(202, 8), .completed(203)])
    #expect(events { _ in Driver.from(optional: 7) } == [.next(201, 7), .completed(202)])
    #expect(events { _ in Driver<Int>.from(optional: nil) } == [.completed(201)])
  }

  @Test func withoutAMockItIsTheMainScheduler() {
    #expect(SharingScheduler.make() is MainScheduler)
  }

  @Test func theMockEndsWithItsAction() {
    #expect(throws: TestError.first) {
      try SharingScheduler.mock(scheduler: scheduler) {
        #expect(SharingScheduler.make() is TestScheduler)
        throw TestError.first
      }
    }
    #expect(SharingScheduler.make() is MainScheduler)
  }

  @Test func theMockIsNotSeenByOtherThreads() {
    SharingScheduler.mock(makeScheduler: { scheduler }) {
      #expect(onBackgroundQueue { SharingScheduler.make() is MainScheduler })
    }
  }
}
