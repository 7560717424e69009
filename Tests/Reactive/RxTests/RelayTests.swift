import RxTestSupport
import Testing

@testable import Rx

@Suite(.leavesNoResources, .inTurn) @MainActor struct RelayTests {
  @Test func aBehaviorRelayHasTheValueThatItSends() {
    let relay = BehaviorRelay(value: "a")
    let recorder = Recorder<String>()
    let subscription = relay.subscribe(onNext: { recorder.record("\($0) \(relay.value)") })
    relay.accept("b")
    subscription.dispose()
    relay.accept("c")
    #expect(relay.value == "c")
    #expect(recorder.values == ["a a", "b b"])
  }

  @Test func publishAndReplayRelaysSendAsTheirSubjects() {
    let publish = PublishRelay<Int>()
    let replay = ReplayRelay<Int>.create(bufferSize: 1)
    let unbound = ReplayRelay<Int>.createUnbound()
    let recorder = Recorder<String>()
    for i in 1...2 {
      publish.accept(i)
      replay.accept(i)
      unbound.accept(i)
    }
    recorder.subscribe(to: publish.asObservable(), as: "p")
    recorder.subscribe(to: replay.asObservable(), as: "r")
    recorder.subscribe(to: unbound.asObservable(), as: "u")
    publish.accept(3)
    #expect(recorder.values == ["r2", "u1", "u2", "p3"])
  }

  @Test func bindSendsToObserversAndRelays() {
    let source = PublishSubject<Int>()
    let publish = PublishRelay<Int>()
    let behavior = BehaviorRelay<Int>(value: 0)
    let optional = BehaviorRelay<Int?>(value: nil)
    let replay = ReplayRelay<Int>.createUnbound()
    let optionalReplay = ReplayRelay<Int?>.createUnbound()
    let optionalPublish = PublishRelay<Int?>()
    let subjects = [PublishSubject<Int>(), PublishSubject<Int>()]
    let optionalSubject = ReplaySubject<Int?>.createUnbounded()
    let recorder = Recorder<String>()
    let bag = CompositeDisposable(disposables: [
      recorder.subscribe(to: publish.asObservable(), as: "p"),
      recorder.subscribe(to: optionalPublish.asObservable().compactMap { $0 }, as: "op"),
      recorder.subscribe(to: subjects[0], as: "s0 "),
      recorder.subscribe(to: subjects[1], as: "s1 "),
      source.bind(to: publish),
      source.bind(to: behavior, behavior),
      source.bind(to: optional),
      source.bind(to: replay),
      source.bind(to: optionalReplay),
      source.bind(to: optionalPublish),
      source.bind(to: subjects[0], subjects[1]),
      source.bind(to: optionalSubject),
      source.bind(onNext: { recorder.record("on\($0)") }),
    ])
    source.onNext(1)
    #expect(recorder.values == ["p1", "op1", "s0 1", "s1 1", "on1"])
    #expect(behavior.value == 1)
    #expect(optional.value == 1)
    let late = Recorder<String>()
    late.subscribe(to: replay.asObservable()).dispose()
    late.subscribe(to: optionalReplay.asObservable()).dispose()
    late.subscribe(to: optionalSubject.asObservable()).dispose()
    #expect(late.values == ["1", "disposed", "Optional(1)", "disposed", "Optional(1)", "disposed"])
    bag.dispose()
  }

  @Test func bindCallsFunctions() {
    let source = Observable.of(1, 2)
    let sum = Locked(0)
    let subscribe: @Sendable (Observable<Int>) -> any Disposable = { source in
      source.subscribe(onNext: { element in sum.withLock { $0 += element } })
    }
    source.bind(to: subscribe).dispose()
    #expect(sum.withLock { $0 } == 3)
    let scaled: (Observable<Int>) -> (Int) -> any Disposable = { source in
      { factor in source.subscribe(onNext: { element in sum.withLock { $0 += factor * element } }) }
    }
    source.bind(to: scaled, curriedArgument: 10).dispose()
    #expect(sum.withLock { $0 } == 33)
    let infallible: (Infallible<Int>) -> (Int) -> any Disposable = { source in
      { factor in source.subscribe(onNext: { element in sum.withLock { $0 += factor * element } }) }
    }
    Infallible.of(1, 2).bind(to: infallible, curriedArgument: 100).dispose()
    #expect(sum.withLock { $0 } == 333)
  }

  @Test func bindCallsACurriedFunctionOfTheMainActor() {
    let sums = Locked<[Int]>([])
    let scaled: @MainActor (Observable<Int>) -> @MainActor (Int) -> any Disposable = { source in
      { factor in source.subscribe(onNext: { element in sums.withLock { $0.append(factor * element) } }) }
    }
    Observable.of(1, 2).bind(to: scaled, curriedArgument: 10).dispose()
    #expect(sums.withLock { $0 } == [10, 20])
  }
}
