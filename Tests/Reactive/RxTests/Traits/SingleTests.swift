import Foundation
import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct SingleTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  private let error = TestError.first

  @Test func sourcesSendOneEvent() {
    #expect(log(Single.just(1)) == ["success 1", "disposed"])
    #expect(log(Single<Int>.error(error)) == ["failure first", "disposed"])
    #expect(log(Single<Int>.never()) == ["disposed"])
    #expect(log(Single.just(1, scheduler: CurrentThreadScheduler.instance)) == ["success 1", "disposed"])
    #expect(log(Single.deferred { .just(2) }) == ["success 2", "disposed"])
    #expect(log(Single<Int>.deferred { throw TestError.second }) == ["failure second", "disposed"])
  }

  @Test func createTakesTheFirstEventOnly() {
    for (events, told) in [
      ([.success(1), .success(2), .failure(TestError.first)], "success 1"),
      ([.failure(TestError.first), .success(1)], "failure first"),
    ] as [([SingleEvent<Int>], String)] {
      let disposals = Recorder<Int>()
      let single = Single<Int>.create { single in
        for event in events { single(event) }
        return Disposables.create { disposals.record(1) }
      }
      #expect(log(single) == [told, "disposed"])
      #expect(disposals.values.count == 1)
    }
  }

  @Test func oneClosureReceivesTheEvent() {
    let log = Recorder<String>()
    for single in [Single.just(1), .error(error)] {
      single.subscribe { (event: SingleEvent<Int>) in log.record("\(event)") }.dispose()
    }
    #expect(log.values == ["success(1)", "failure(RxTestSupport.TestError.first)"])
  }

  @Test func unhandledErrorGoesToTheHook() {
    struct Unhandled: Error {}
    let handler = Hooks.defaultErrorHandler
    defer { Hooks.defaultErrorHandler = handler }
    let log = Recorder<String>()
    Hooks.defaultErrorHandler = { _, error in if error is Unhandled { log.record("\(error)") } }
    Single<Int>.error(Unhandled()).subscribe().dispose()
    #expect(log.values == ["Unhandled()"])
  }

  @Test func asSingleNeedsExactlyOneElement() {
    #expect(log(Observable.just(1).asSingle()) == ["success 1", "disposed"])
    #expect(log(Observable<Int>.empty().asSingle()) == ["failure Sequence doesn't contain any elements.", "disposed"])
    #expect(log(Observable.of(1, 2).asSingle()) == ["failure Sequence contains more than one element.", "disposed"])
    #expect(log(Observable<Int>.error(error).asSingle()) == ["failure first", "disposed"])
  }

  @Test func asSingleWaitsForTheEnd() {
    let xs = hot(.next(210, 1), .completed(250))
    #expect(events { xs.asSingle().asObservable() } == [.next(250, 1), .completed(250)])
  }

  @Test func asSingleFailsWithTheSecondElement() {
    let xs = hot(.next(210, 1), .next(220, 2), .completed(250))
    #expect(events { xs.asSingle().asObservable() } == [.error(220, RxError.moreThanOneElement)])
    #expect(xs.subscriptions == [Subscription(200, 220)])
  }

  @Test func mapAndFlatMapConvertTheElement() {
    #expect(log(Single.just(1).map { $0 + 1 }) == ["success 2", "disposed"])
    #expect(log(Single.just(1).flatMap { .just($0 + 1) }) == ["success 2", "disposed"])
    #expect(log(Single.just(1).map { _ -> Int in throw TestError.first }) == ["failure first", "disposed"])
    #expect(
      log(Single.just(1).flatMap { _ -> Single<Int> in .error(TestError.first) }) == ["failure first", "disposed"])
  }

  @Test func catchAndRetryRecover() {
    let failing = Single<Int>.error(error)
    #expect(log(failing.catchAndReturn(3)) == ["success 3", "disposed"])
    #expect(log(failing.catch { _ in .just(4) }) == ["success 4", "disposed"])
    #expect(log(failing.retry(3)) == ["failure first", "disposed"])
    let attempts = Recorder<Int>()
    let third = Single<Int>.deferred {
      attempts.record(1)
      return attempts.values.count % 3 == 0 ? .just(9) : .error(TestError.first)
    }
    #expect(log(third.retry()) == ["success 9", "disposed"])
    #expect(log(third.retry(when: { (errors: Observable<any Error>) in errors })) == ["success 9", "disposed"])
    #expect(log(third.retry(when: { (errors: Observable<TestError>) in errors })) == ["success 9", "disposed"])
    let unanswered = failing.retry(when: { (_: Observable<any Error>) in Observable<Int>.empty() })
    #expect(log(unanswered) == ["failure Sequence doesn't contain any elements.", "disposed"])
  }

  @Test func doCallsItsClosuresInOrder() {
    let log = Recorder<String>()
    let single = Single.just(1).do(
      onSuccess: { log.record("onSuccess \($0)") }, afterSuccess: { log.record("afterSuccess \($0)") },
      onError: { _ in log.record("onError") }, afterError: { _ in log.record("afterError") },
      onSubscribe: { log.record("onSubscribe") },
      onSubscribed: { log.record("onSubscribed") }, onDispose: { log.record("onDispose") })
    single.subscribe(onSuccess: { log.record("success \($0)") }).dispose()
    #expect(
      log.values.filter { $0 != "onSubscribed" } == [
        "onSubscribe", "onSuccess 1", "success 1", "afterSuccess 1", "onDispose",
      ])
  }

  @Test func timerAndDelayAddUp() {
    let single = Single<Int>.timer(.seconds(10), scheduler: scheduler).delay(.seconds(5), scheduler: scheduler)
    #expect(events { single.asObservable() } == [.next(215, 0), .completed(216)])
  }

  @Test func timeoutSwitches() {
    let single = Single<Int>.never().timeout(.seconds(10), other: .just(7), scheduler: scheduler)
    #expect(events { single.asObservable() } == [.next(210, 7), .completed(210)])
  }

  @Test func timeoutFails() {
    let single = Single<Int>.never().timeout(.seconds(10), scheduler: scheduler)
    #expect(events { single.asObservable() } == [.error(210, RxError.timeout)])
  }

  @Test func subscribeOnAndObserveOnUseTheirSchedulers() async {
    let log = Recorder<Bool>()
    let queue = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let subscription = Single<Bool>.create { single in
      single(.success(MainQueue.isCurrent))
      return Disposables.create()
    }
    .subscribe(on: queue).observe(on: MainScheduler.instance)
    .subscribe(onSuccess: { subscribedOnMain in
      log.record(subscribedOnMain)
      log.recordWhetherOnMain()
    })
    #expect(await eventually { log.values == [false, true] })
    subscription.dispose()
  }

  @Test func zipWaitsForAll() {
    #expect(log(Single.zip(.just(1), .just("a")) { "\($0)\($1)" }) == ["success 1a", "disposed"])
    #expect(log(Single.zip(.just(1), .just("a")).map { "\($0)\($1)" }) == ["success 1a", "disposed"])
    let four: Single<(Int, Int, Int, Int)> = Single.zip(.just(1), .just(2), .just(3), .just(4))
    #expect(log(four.map { [$0.0, $0.1, $0.2, $0.3].reduce(0, +) }) == ["success 10", "disposed"])
    #expect(
      log(
        Single.zip(.just(1), .just(2), .just(3), .just(4), .just(5), .just(6), .just(7), .just(8)) {
          [$0, $1, $2, $3, $4, $5, $6, $7].reduce(0, +)
        }) == ["success 36", "disposed"])
    #expect(log(Single.zip(.just(1), Single<Int>.error(error)).map { $0 + $1 }) == ["failure first", "disposed"])
  }

  @Test func zipOfACollectionKeepsTheOrder() {
    #expect(log(Single.zip([.just(1), .just(2)])) == ["success [1, 2]", "disposed"])
    #expect(log(Single.zip([.just(1), .just(2)]) { $0.reduce(0, +) }) == ["success 3", "disposed"])
    #expect(log(Single<Int>.zip([])) == ["success []", "disposed"])
    #expect(log(Single<Int>.zip([]) { $0.count }) == ["success 0", "disposed"])
  }

  @Test func flatMapOfAnObservableTakesASingle() {
    #expect(
      immediateEvents(Observable.of(1, 2).flatMap { Single.just($0 * 10) }) == [.next(10), .next(20), .completed])
  }
}

@Suite(.inTurn) struct SingleAsyncTests {
  @Test func valueIsTheElementOrTheError() async throws {
    #expect(try await Single.just(5).value == 5)
    await #expect(throws: TestError.first) { try await Single<Int>.error(TestError.first).value }
  }

  @Test func cancellationUnsubscribes() async {
    let (subscriptions, disposals) = (Recorder<Int>(), Recorder<Int>())
    let single = Single<Int>.create { _ in
      subscriptions.record(1)
      return Disposables.create { disposals.record(1) }
    }
    let task = Task { try await single.value }
    #expect(await eventually { !subscriptions.values.isEmpty })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(disposals.values.count == 1)
  }

  @Test func aCancelledTaskGetsNoValue() async {
    let task = Task {
      _ = await eventually { Task.isCancelled }
      return try await Single<Int>.never().value
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
