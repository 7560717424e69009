import Dispatch
import Rx
import RxTest
import TestSupport
import Testing

/// Counts and times that are met exactly.
@Suite(.inTurn) struct LimitTests {
  private let scheduler = TestScheduler(initialClock: 0)

  /// A queue lets go of what was taken from it when that is most of it.
  @Test(arguments: [31, 32, 33, 34, 65, 66, 67, 100]) func longQueuesKeepTheirOrder(count: Int) {
    let subject = ReplaySubject<Int>.create(bufferSize: count)
    for sent in 1...(3 * count + 5) {
      subject.onNext(sent)
      #expect(elements(subject) == Array(max(1, sent - count + 1)...sent))
    }
  }

  @Test func bufferThatIsFullWhenTheTimeIsOver() {
    let xs = scheduler.createHotObservable([.next(210, 1), .next(250, 2), .next(300, 3), .completed(310)])
    // At 250 the time is over first, as it was set before; a window that is filled begins the time anew.
    let events = scheduler.start { [scheduler] in xs.buffer(timeSpan: .seconds(50), count: 2, scheduler: scheduler) }
    #expect(events.events == [.next(250, [1, 2]), .next(300, [3]), .next(310, []), .completed(310)])
  }

  @Test func bufferOfAllThereIs() {
    let events = immediateEvents(Observable.of(1, 2).buffer(timeSpan: .seconds(50), count: 2, scheduler: scheduler))
    #expect(events == [.next([1, 2]), .next([]), .completed])
  }

  @Test func windowsOfOneAndOfAllThereIs() {
    for (count, expected) in [(1, [1, 1, 0]), (2, [2, 0]), (3, [2])] {
      let windows = Observable.of(1, 2).window(timeSpan: .seconds(50), count: count, scheduler: scheduler)
      #expect(elements(windows.flatMap { $0.toArray().map(\.count) }) == expected)
    }
  }

  private func elements<Element: Sendable>(_ source: Observable<Element>) -> [Element] {
    immediateEvents(source).compactMap(\.element)
  }
}
