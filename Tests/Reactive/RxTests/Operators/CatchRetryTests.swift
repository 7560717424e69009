import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct CatchMarbleTests {
  @Test func theOtherFollowsTheError() throws {
    try expect("-a-#", "^--!", "--b-c|", "---^-!", becomes: "-a--c|") { first, second in
      first.catch { _ in second.asObservable() }
    }
  }

  @Test func anElementTakesThePlaceOfTheError() throws {
    try expect("-a-#", "^--!", becomes: "-a-(z|)") { xs, _ in xs.catchAndReturn("z") }
    try expect("-a-|", "^--!", becomes: "-a-|") { xs, _ in xs.catchAndReturn("z") }
  }
}

@Suite(.leavesNoResources, .inTurn) struct CatchRetryTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  private let first = TestError.first
  private let second = TestError.second

  @Test(arguments: [true, false]) func catchSeesTheErrorAndMayFail(throwing: Bool) {
    let xs = hot(.next(210, 1), .error(230, first))
    let seen = Recorder<TestError?>()
    let caught = xs.catch { error in
      seen.record(error as? TestError)
      if throwing { throw TestError.second }
      return .error(TestError.second)
    }
    #expect(events { caught } == [.next(210, 1), .error(230, second)])
    #expect(seen.values == [first])
    #expect(xs.subscriptions == [Subscription(200, 230)])
  }

  @Test func catchGoesThroughTheSequenceUntilOneCompletes() {
    let xs = cold(.next(10, 1), .error(40, first))
    let ys = cold(.next(10, 2), .error(30, second))
    let zs = cold(.next(10, 3), .completed(50))
    let unused = cold(.next(10, 4))
    #expect(
      events { Observable.catch(sequence: [xs, ys, zs, unused].map { $0.asObservable() }) } == [
        .next(210, 1), .next(250, 2), .next(280, 3), .completed(320),
      ])
    #expect(xs.subscriptions == [Subscription(200, 240)])
    #expect(ys.subscriptions == [Subscription(240, 270)])
    #expect(zs.subscriptions == [Subscription(270, 320)])
    #expect(unused.subscriptions == [])
  }

  @Test func catchSequenceFailsWithTheLastError() {
    let xs = hot(.error(230, first, Int.self))
    let ys = hot(.next(240, 1), .error(250, second))
    #expect(
      events { Observable.catch(sequence: [xs, ys].map { $0.asObservable() }) } == [.next(240, 1), .error(250, second)])
    #expect(immediateEvents(Observable<Int>.catch(sequence: [])) == [.completed])
  }

  @Test func retrySubscribesAgainAtOnce() {
    let xs = cold(.next(100, 1), .next(200, 2), .error(250, first))
    #expect(
      events(disposed: 1100) { xs.retry() } == [
        .next(300, 1), .next(400, 2), .next(550, 1), .next(650, 2), .next(800, 1), .next(900, 2), .next(1050, 1),
      ])
    #expect(
      xs.subscriptions == [
        Subscription(200, 450), Subscription(450, 700), Subscription(700, 950), Subscription(950, 1100),
      ])
  }

  @Test func retryEndsAfterItsCount() {
    let xs = cold(.next(5, 1), .error(20, first))
    #expect(events { xs.retry(3) } == [.next(205, 1), .next(225, 1), .next(245, 1), .error(260, first)])
    #expect(xs.subscriptions == [Subscription(200, 220), Subscription(220, 240), Subscription(240, 260)])
  }

  @Test func aCountOfZeroNeverSubscribes() {
    let xs = cold(.next(5, 1), .error(20, first))
    #expect(events { xs.retry(0) } == [.completed(200)])
    #expect(immediateEvents(Observable.just(1).retry(-1)) == [.completed])
    #expect(xs.subscriptions == [])
  }

  @Test func retryTakesNoStack() {
    let attempts = Recorder<Int>()
    let source = Observable<Int>.deferred {
      attempts.record(1)
      return .error(TestError.first)
    }
    #expect(immediateEvents(source.retry(10_000)) == [.error(first)])
    #expect(attempts.values.count == 10_000)
  }
}

@Suite(.leavesNoResources, .inTurn) struct RetryWhenTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  private let error = TestError.first

  private func retrying(_ xs: TestableObservable<Int>, at triggers: TestableObservable<Int>) -> [Recorded<Event<Int>>] {
    events { xs.retry(when: { (_: Observable<any Error>) in triggers.asObservable() }) }
  }

  @Test func retriesAtEachTrigger() {
    let xs = cold(.next(5, 1), .error(10, error))
    let received = events(disposed: 800) {
      xs.retry(when: { (errors: Observable<any Error>) in
        errors.enumerated().flatMap { index, error -> Observable<Int> in
          index >= 3 ? .error(error) : .timer(.seconds((index + 1) * 50), scheduler: scheduler)
        }
      })
    }
    #expect(received == [.next(205, 1), .next(265, 1), .next(375, 1), .next(535, 1), .error(540, error)])
    #expect(
      xs.subscriptions == [
        Subscription(200, 210), Subscription(260, 270), Subscription(370, 380), Subscription(530, 540),
      ])
  }

  @Test func triggersThatComeTooEarlyAreLost() {
    let xs = cold(.next(10, 1), .error(30, error))
    let triggers = hot(.next(210, 0), .next(300, 0), .next(310, 0), .next(500, 0))
    #expect(retrying(xs, at: triggers) == [.next(210, 1), .next(310, 1), .next(510, 1)])
    #expect(xs.subscriptions == [Subscription(200, 230), Subscription(300, 330), Subscription(500, 530)])
    #expect(triggers.subscriptions == [Subscription(200, 1000)])
  }

  @Test(arguments: [(300, 300), (220, 230)]) func triggersThatCompleteEndItAfterTheError(time: Int, end: Int) {
    let xs = cold(.next(10, 1), .error(30, error))
    let triggers = hot(.completed(time, Int.self))
    #expect(retrying(xs, at: triggers) == [.next(210, 1), .completed(end)])
    #expect(triggers.subscriptions == [Subscription(200, time)])
  }

  @Test func triggersThatEndWithTheLastRetry() {
    // A source that fails at once has not been subscribed to again when the triggers complete; another one has.
    let failing = Observable.just(1).concat(Observable.error(TestError.first))
    let retried = failing.retry(when: { (errors: Observable<any Error>) in errors.take(1) })
    #expect(immediateEvents(retried) == [.next(1), .completed])
    let xs = cold(.next(10, 1), .error(30, error))
    let later = xs.retry(when: { (errors: Observable<any Error>) in errors.take(1) })
    #expect(events { later } == [.next(210, 1), .next(240, 1), .completed(260)])
  }

  @Test func triggersThatFailEndIt() {
    let xs = cold(.next(10, 1), .error(30, error))
    let retried = xs.retry(when: { (errors: Observable<any Error>) in
      errors.enumerated().map { index, _ in if index == 1 { throw TestError.second } }
    })
    #expect(events { retried } == [.next(210, 1), .next(240, 1), .error(260, TestError.second)])
  }

  @Test func errorsOfOtherTypesEndIt() {
    let xs = cold(.next(10, 1), .error(30, error))
    #expect(
      events { xs.retry(when: { (errors: Observable<RxError>) in errors }) } == [.next(210, 1), .error(230, error)])
    let ys = cold(.next(10, 1), .error(30, error))
    #expect(
      scheduler.start(created: 1100, subscribed: 1200, disposed: 1265) {
        ys.retry(when: { (errors: Observable<TestError>) in errors })
      }.events == [.next(1210, 1), .next(1240, 1)])
  }

  @Test func completionEndsTheTriggers() {
    let xs = hot(.next(210, 1), .completed(250))
    let triggers = hot(.next(150, 0))
    #expect(retrying(xs, at: triggers) == [.next(210, 1), .completed(250)])
    #expect(triggers.subscriptions == [Subscription(200, 250)])
  }

  @Test func immediateRetriesTakeNoStack() {
    let attempts = Recorder<Int>()
    let source = Observable<Int>.create { observer in
      attempts.record(1)
      if attempts.values.count == 10_000 { observer.onCompleted() } else { observer.onError(TestError.first) }
      return Disposables.create()
    }
    #expect(immediateEvents(source.retry(when: { (errors: Observable<any Error>) in errors })) == [.completed])
    #expect(attempts.values.count == 10_000)
  }
}
