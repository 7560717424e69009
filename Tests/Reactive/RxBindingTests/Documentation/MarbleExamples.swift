import Dispatch
import Rx
import RxBinding
import RxTest
import Testing

// The samples of "Testing with marbles" and of "Bind, drive and emit", word for word.

@Test func debounceWaitsForAPause() throws {
  let scheduler = TestScheduler(initialClock: 0)
  let typed = try scheduler.createHotObservable("^-a-b-c-----d|")

  let result = scheduler.start { typed.debounce(.seconds(3), scheduler: scheduler) }

  #expect(result.events == (try .marbles("       ^--------c---(d|)")))
}

@Test func theSumSoFar() throws {
  let scheduler = TestScheduler(initialClock: 0)
  let numbers = try scheduler.createColdObservable("a-b--c|", values: ["a": 1, "b": 2, "c": 3])

  let sums = scheduler.start { numbers.scan(0, accumulator: +) }

  #expect(sums.events == (try .marbles("a-b--c|", values: ["a": 1, "b": 3, "c": 6])))
}

@Test func retrySubscribesAgain() throws {
  let scheduler = TestScheduler(initialClock: 0)
  let source = try scheduler.createColdObservable("a-#")

  let result = scheduler.start { source.retry(2) }

  #expect(result.events == (try .marbles("a-a-#")))
  #expect(
    source.subscriptions == [
      try Subscription(marbles: "^-!"),
      try Subscription(marbles: "--^-!"),
    ])
}

@Test func theLastPositionOfEachMinute() {
  let scheduler = TestScheduler(initialClock: 0)
  let positions = scheduler.createHotObservable([.next(210, 1), .next(250, 2), .next(290, 3), .completed(400)])
  let minutes = Observable<Int>.interval(.seconds(60), scheduler: scheduler)

  let result = scheduler.start { positions.sample(minutes) }

  #expect(result.events == [.next(260, 2), .next(320, 3), .completed(440)])
}

@MainActor @Test func theSearchWaitsForAPause() throws {
  let scheduler = TestScheduler(initialClock: 0)
  let typed = scheduler.createHotObservable([.next(210, "a"), .next(215, "ab")])

  SharingScheduler.mock(scheduler: scheduler) {
    let query = typed.asDriver(onErrorJustReturn: "")
    let result = scheduler.start { query.debounce(.seconds(10)).asObservable() }
    #expect(result.events == [.next(226, "ab")])
  }
}

@Test func speedsArePassedOnEveryFiveSeconds() throws {
  let scheduler = TestScheduler(initialClock: 0)
  let values: [Character: Int] = ["a": 0, "b": 2, "c": 4, "d": 5, "e": 7, "f": 9]
  let source = try scheduler.createColdObservable("abcdeff(f|)", values: values)
  let result = scheduler.start(disposed: 220) { source.throttle(.seconds(5), scheduler: scheduler) }
  #expect(result.events == (try .marbles("a----f----(f|)", values: values)))
}
