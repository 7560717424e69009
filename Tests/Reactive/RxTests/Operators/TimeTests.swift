import Foundation
import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct TimerTests {
  /// What the sequence that `make` makes sends between 200 and `disposed`.
  private func events<Element>(
    disposed: TestTime, _ make: @escaping (TestScheduler) -> Observable<Element>
  ) -> [Recorded<Event<Element>>] {
    let scheduler = TestScheduler(initialClock: 0)
    return scheduler.start(disposed: disposed) { make(scheduler) }.events
  }

  @Test func intervalCountsFromZero() {
    let events = events(disposed: 520) { Observable<Int>.interval(.seconds(100), scheduler: $0) }
    #expect(events == [.next(300, 0), .next(400, 1), .next(500, 2)])
    let ticks = self.events(disposed: 204) { Observable<Int>.interval(.seconds(0), scheduler: $0) }
    #expect(ticks == [.next(201, 0), .next(202, 1), .next(203, 2)])
  }

  @Test func intervalWrapsAround() {
    let events = events(disposed: 1000) { Observable<Int8>.interval(.seconds(1), scheduler: $0) }
    #expect(events.map { $0.value.element }[126...129] == [126, 127, -128, -127])
  }

  @Test(arguments: [(1000, [.next(500, 0), .completed(500)]), (400, [])] as [(TestTime, [Recorded<Event<Int>>])])
  func timerSendsOnceUnlessItIsDisposedOf(disposed: TestTime, expected: [Recorded<Event<Int>>]) {
    #expect(events(disposed: disposed) { .timer(.seconds(300), scheduler: $0) } == expected)
  }

  @Test func timerMayHaveAPeriod() {
    let events = events(disposed: 420) { Observable<UInt8>.timer(.seconds(50), period: .seconds(80), scheduler: $0) }
    #expect(events == [.next(250, 0), .next(330, 1), .next(410, 2)])
  }

  @Test(arguments: [0, 1]) func intervalOnAQueue(milliseconds: Int) async {
    let log = Recorder<Int>()
    _ = Observable<Int>
      .interval(.milliseconds(milliseconds), scheduler: SerialDispatchQueueScheduler(qos: .userInitiated))
      .take(while: { $0 < 10 }).subscribe(onNext: { log.record($0) }, onCompleted: { log.record(-1) })
    #expect(await eventually { log.values == Array(0..<10) + [-1] })
  }
}

@Suite(.inTurn) struct DebounceTests {
  @Test(arguments: [
    // It sends what nothing follows, and what waits when the source completes, but not when it fails.
    ["-a--b-c--------de---f-----|", "^-------------------------!", "-----------c-------------f|"],
    ["-a--b|                     ", "^----!                     ", "-----(b|)                  "],
    ["-a---#                     ", "^----!                     ", "-----#                     "],
    ["-----|                     ", "^----!                     ", "-----|                     "],
    // The element at the sixth frame was scheduled before the timer, and comes first.
    ["-a----b|                   ", "^------!                   ", "-------(b|)                "],
    ["-a-----b|                  ", "^-------!                  ", "------a-(b|)               "],
  ])
  func waitsForFiveFramesWithoutAnElement(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2]) { $0.debounce(.seconds(50), scheduler: $1) }
  }
}

@Suite(.inTurn) struct ThrottleTests {
  @Test(arguments: [
    // The first element comes at once, then the latest of each ten frames; after completion too, but not after an error.
    ["-ab-c-d-e|----------", "^--------!", "-a---------(e|)"],
    ["-ab-c-d-e-------------|", "^---------------------!", "-a---------e----------|"],
    ["-abc---------d-----------|", "^------------------------!", "-a---------c---------d---|"],
    ["-ab-c-d-e---f#", "^------------!", "-a---------e-#"],
  ])
  func sendsTheLatest(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2]) { $0.throttle(.seconds(100), scheduler: $1) }
  }

  @Test func sendsWhatComesAfterTheTimeIfTheLatestIsNotWanted() throws {
    try expect("-ab-c-d-e--f-g--|", "^---------------!", becomes: "-a---------f----|") {
      $0.throttle(.seconds(100), latest: false, scheduler: $1)
    }
  }

  @Test(arguments: [true, false]) func letsThroughWhatComesWhenTheTimeIsOver(latest: Bool) throws {
    try expect("-a---------b---------c|", "^---------------------!", becomes: "-a---------b---------c|") {
      $0.throttle(.seconds(100), latest: latest, scheduler: $1)
    }
  }

  @Test func sendsNothingAfterTheFirstForever() throws {
    try expect("-a-----b--|", "^---------!", becomes: "-a--------|") {
      $0.throttle(.never, latest: false, scheduler: $1)
    }
  }

  @Test func fractionsOfTheUnitCount() {
    let fine = TestScheduler(initialClock: 0, resolution: 0.1)
    let xs = fine.createHotObservable([.next(210, 1), .next(216, 2), .next(219, 3), .next(225, 4), .completed(300)])
    let result = fine.start { xs.throttle(.seconds(1), scheduler: fine) }
    #expect(result.events == [.next(210, 1), .next(220, 3), .next(230, 4), .completed(300)])
  }
}

@Suite(.inTurn) struct DelayTests {
  @Test(arguments: [
    // Elements and completion come ten frames later, an error at once.
    ["x^----a---------b----c-|", "^---------------------!", "---------------a---------b----c-|"],
    ["-----a---------b----#", "^-------------------!", "---------------a----#"],
    ["-----|", "^----!", "---------------|"],
  ])
  func delaysByTenFrames(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2]) { $0.delay(.seconds(100), scheduler: $1) }
  }

  @Test func elementsOfOneTimeGoOneTickApart() {
    let scheduler = TestScheduler(initialClock: 0)
    let xs = scheduler.createHotObservable([.next(250, 1), .next(250, 2), .next(250, 3), .completed(250)])
    let result = scheduler.start { xs.delay(.seconds(100), scheduler: scheduler) }
    #expect(result.events == [.next(350, 1), .next(351, 2), .next(352, 3), .completed(353)])
  }

  @Test func anErrorThatComesWhileSendingEndsIt() {
    let scheduler = TestScheduler(initialClock: 0)
    let subject = PublishSubject<Int>()
    let log = Recorder<Event<Int>>()
    scheduler.scheduleAt(10) {
      subject.onNext(1)
      subject.onNext(2)
    }
    _ = subject.delay(.seconds(5), scheduler: scheduler)
      .do(onNext: { _ in subject.onError(TestError.first) }).subscribe { log.record($0) }
    scheduler.start()
    #expect(log.values == [.next(1), .error(TestError.first)])
  }
}

@Suite(.inTurn) struct TimeoutTests {
  @Test func passesOnWhatComesWithinSixFrames() throws {
    // In time, just in time, and an error in time.
    try expect("-a--b--|", "^------!", becomes: "-a--b--|") { $0.timeout(.seconds(60), scheduler: $1) }
    try expect("--a-----b--|", "^----------!", becomes: "--a-----b--|") { $0.timeout(.seconds(60), scheduler: $1) }
    try expect("----a-#", "^-----!", becomes: "----a-#") { $0.timeout(.seconds(60), scheduler: $1) }
  }

  @Test func failsWhenAnElementIsLate() throws {
    try expect("-a-b-----c-|", "^------!", becomes: "-a-b---(t|)") {
      $0.timeout(.seconds(40), scheduler: $1).catch { error in
        guard case RxError.timeout = error else { throw error }
        return .just("t")
      }
    }
  }

  @Test func switchesToAnother() throws {
    let scheduler = TestScheduler(initialClock: 0)
    let xs = try scheduler.createHotObservable("----a------b-----------c-|", tick: 10)
    let ys = try scheduler.createColdObservable("-----y--------------z-----------|", tick: 10)
    let result = scheduler.start { xs.timeout(.seconds(100), other: ys, scheduler: scheduler) }
    #expect(result.events == (try .marbles("----a------b--------------y--------------z-----------|", tick: 10)))
    #expect(xs.subscriptions == [try Subscription(marbles: "^--------------------!", tick: 10)])
    #expect(
      ys.subscriptions == [
        try Subscription(marbles: "---------------------^-------------------------------!", tick: 10)
      ])
  }

  @Test func switchesToAnError() throws {
    try expect("------------------------a", "^---------!", becomes: "----------#") {
      $0.timeout(.seconds(100), other: Observable.error(MarbleFailure()), scheduler: $1)
    }
  }
}

@Suite(.inTurn) struct BufferTests {
  @Test(arguments: [
    // Three elements or seven frames, whatever comes first, and what is there on completion, but not on an error.
    [
      "-ab-c---d---e--fg----h-|", "^----------------------!", "----A------B----C------(D|)",
    ],
    ["-a------b#", "^--------!", "-------E-#"],
    ["----------------|", "^---------------!", "-------0------0-(0|)"],
  ])
  func sendsByTimeOrCount(_ diagrams: [String]) throws {
    let windows: [Character: String] = ["A": "abc", "B": "d", "C": "efg", "D": "h", "E": "a", "0": ""]
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2], values: windows) {
      $0.buffer(timeSpan: .seconds(70), count: 3, scheduler: $1).map { $0.joined() }
    }
  }

  @Test func anImmediateSourceFillsWindows() {
    let scheduler = TestScheduler(initialClock: 0)
    let result = scheduler.start {
      Observable.from([1, 2, 3, 4, 5]).buffer(timeSpan: .seconds(70), count: 2, scheduler: scheduler)
    }
    #expect(result.events == [.next(200, [1, 2]), .next(200, [3, 4]), .next(200, [5]), .completed(200)])
  }
}
