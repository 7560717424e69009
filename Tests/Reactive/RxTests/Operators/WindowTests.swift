import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct WindowTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  /// The windows of `xs`, each element with the number of its window; "|" is the end of a window.
  private func windows(_ xs: Observable<String>, _ seconds: Int, _ count: Int) -> Observable<String> {
    xs.window(timeSpan: .seconds(seconds), count: count, scheduler: scheduler).enumerated().flatMap { index, window in
      window.map { "\(index)\($0)" }.concat(Observable.just("\(index)|"))
    }
  }

  @Test func aWindowIsFullOrItsTimeIsOver() {
    let xs = hot(.next(210, "a"), .next(220, "b"), .next(230, "c"), .next(300, "d"), .completed(310))
    #expect(
      events { windows(xs.asObservable(), 50, 2) } == [
        .next(210, "0a"), .next(220, "0b"), .next(220, "0|"), .next(230, "1c"), .next(270, "1|"), .next(300, "2d"),
        .next(310, "2|"), .completed(310),
      ])
    #expect(xs.subscriptions == [Subscription(200, 310)])
  }

  @Test func anErrorEndsTheWindowAndTheWhole() {
    let xs = hot(.next(210, "a"), .error(220, TestError.first))
    let windowEvents = Recorder<String>()
    let bag = DisposeBag()
    let result = scheduler.start {
      xs.window(timeSpan: .seconds(50), count: 2, scheduler: scheduler)
        .do(onNext: { windowEvents.subscribe(to: $0).disposed(by: bag) }).map { _ in 0 }
    }
    #expect(result.events == [.next(200, 0), .error(220, TestError.first)])
    #expect(windowEvents.values == ["a", "error(first)", "disposed"])
  }

  @Test func aWindowGoesOnWithoutTheOthers() {
    let xs = hot(.next(210, "a"), .next(220, "b"), .next(230, "c"), .next(240, "d"))
    let events = scheduler.start { xs.window(timeSpan: .seconds(500), count: 3, scheduler: scheduler).take(1).merge() }
    #expect(events.events == [.next(210, "a"), .next(220, "b"), .next(230, "c"), .completed(230)])
    #expect(xs.subscriptions == [Subscription(200, 230)])
  }
}
