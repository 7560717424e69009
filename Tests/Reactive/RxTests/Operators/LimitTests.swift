import Dispatch
import Rx
import RxTest
import RxTestSupport
import TestSupport
import Testing

/// Counts and times that are met exactly.
@Suite struct LimitTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test(arguments: 1...4) func countsOfThree(count: Int) {
    let three = Observable.of(1, 2, 3)
    let all = [1, 2, 3]
    #expect(elements(three.take(count)) == Array(all.prefix(count)))
    #expect(elements(three.takeLast(count)) == Array(all.suffix(count)))
    #expect(elements(three.skip(count)) == Array(all.dropFirst(count)))
    #expect(elements(three.element(at: count - 1)) == (count == 4 ? [] : [count]))
    let replay = ReplaySubject<Int>.create(bufferSize: count)
    for element in all { replay.onNext(element) }
    #expect(elements(replay) == Array(all.suffix(count)))
    replay.onNext(4)
    #expect(elements(replay) == Array([1, 2, 3, 4].suffix(count)))
    let shared = PublishSubject<Int>()
    let sharing = shared.share(replay: count, scope: .whileConnected)
    let subscription = sharing.subscribe()
    for element in all { shared.onNext(element) }
    #expect(elements(sharing) == Array(all.suffix(count)))
    subscription.dispose()
  }

  @Test(arguments: 1...4) func attempts(count: Int) {
    let log = Recorder<Int>()
    let failing = Observable<Int>.deferred {
      log.record(1)
      return log.values.count < 4 ? .error(TestError.first) : .just(0)
    }
    #expect(immediateEvents(failing.retry(count)).last == (count < 4 ? .error(TestError.first) : .completed))
    #expect(log.values.count == count)
  }

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

  @Test func aFullWindowBeginsTheTimeOfTheNext() {
    let xs = scheduler.createHotObservable([.next(230, 1), .next(240, 2), .completed(400)])
    let events = scheduler.start { [scheduler] in
      xs.window(timeSpan: .seconds(50), count: 2, scheduler: scheduler).flatMap { $0.toArray().map(\.count) }.take(3)
    }
    #expect(events.events == [.next(240, 2), .next(290, 0), .next(340, 0), .completed(340)])
  }

  @Test(arguments: [true, false]) func throttleLetsThroughWhatComesWhenTheTimeIsOver(latest: Bool) throws {
    try expect("-a---------b---------c|", "^---------------------!", becomes: "-a---------b---------c|") {
      $0.throttle(.seconds(100), latest: latest, scheduler: $1)
    }
  }

  @Test func debounceWithAnElementWhenTheTimeIsOver() throws {
    // The element at the sixth frame was scheduled before the timer, and comes first.
    try expect("-a----b|", "^------!", becomes: "-------(b|)") { $0.debounce(.seconds(50), scheduler: $1) }
    try expect("-a-----b|", "^-------!", becomes: "------a-(b|)") { $0.debounce(.seconds(50), scheduler: $1) }
  }

  @Test func takeAndSkipOfATime() {
    let xs = scheduler.createHotObservable([.next(249, 1), .next(251, 2), .completed(300)])
    let taken = scheduler.createObserver(Int.self)
    let skipped = scheduler.createObserver(Int.self)
    let bag = DisposeBag()
    scheduler.scheduleAt(200) { [scheduler] in
      xs.take(for: .seconds(50), scheduler: scheduler).subscribe(taken).disposed(by: bag)
      xs.skip(.seconds(50), scheduler: scheduler).subscribe(skipped).disposed(by: bag)
    }
    scheduler.start()
    #expect(taken.events == [.next(249, 1), .completed(250)])
    #expect(skipped.events == [.next(251, 2), .completed(300)])
  }

  private func elements<Element: Sendable>(_ source: Observable<Element>) -> [Element] {
    immediateEvents(source).compactMap(\.element)
  }
}
