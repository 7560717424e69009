import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct InfallibleTests {
  private let failing = Observable.of(1).concat(Observable<Int>.error(TestError.first))

  @Test func isCreated() {
    #expect(log(Infallible.just(1)) == ["1", "completed", "disposed"])
    #expect(log(Infallible<Int>.empty()) == ["completed", "disposed"])
    #expect(log(Infallible<Int>.never()) == ["disposed"])
    #expect(log(Infallible.of(1, 2)) == ["1", "2", "completed", "disposed"])
    #expect(log(Infallible.from([1, 2])) == ["1", "2", "completed", "disposed"])
    #expect(log(Infallible.from(1...2)) == ["1", "2", "completed", "disposed"])
    #expect(log(Infallible.from(optional: Int?.none)) == ["completed", "disposed"])
    #expect(log(Infallible.deferred { .just(1) }) == ["1", "completed", "disposed"])
    #expect(
      log(
        Infallible<Int>.create { observer in
          observer(.next(1))
          observer(.completed)
          observer(.next(2))
          return Disposables.create()
        }) == ["1", "completed", "disposed"])
  }

  @Test func replacesAnError() {
    #expect(log(failing.asInfallible(onErrorJustReturn: 9)) == ["1", "9", "completed", "disposed"])
    #expect(log(failing.asInfallible(onErrorFallbackTo: .of(7, 8))) == ["1", "7", "8", "completed", "disposed"])
    #expect(
      log(failing.asInfallible { error in .just(error as? TestError == .first ? 5 : 6) })
        == ["1", "5", "completed", "disposed"])
    #expect(
      log(Single<Int>.error(TestError.first).asInfallible(onErrorJustReturn: 9)) == ["9", "completed", "disposed"])
  }

  @Test func subscribesInEveryWay() {
    let log = Recorder<String>()
    let relay = PublishRelay<Int>()
    let bag = DisposeBag()
    let infallible = relay.asInfallible()
    infallible.subscribe { event in log.record("\(event)") }.disposed(by: bag)
    let target = BehaviorRelay<Int?>(value: nil)
    infallible.bind(to: target).disposed(by: bag)
    infallible.bind(onNext: { log.record("bound \($0)") }).disposed(by: bag)
    infallible.bind(to: AnyObserver<Int> { log.record("observer \($0)") }).disposed(by: bag)
    relay.accept(1)
    #expect(target.value == 1)
    #expect(log.values == ["next(1)", "bound 1", "observer next(1)"])
  }

  @Test func operatorsAreThoseOfObservable() {
    let elements = Infallible.of(1, 1, 2, 3)
    let ways: [(Infallible<Int>, [Int])] = [
      (elements.filter { $0 > 1 }, [2, 3]),
      (elements.map { $0 * 2 }, [2, 2, 4, 6]),
      (elements.compactMap { $0 > 1 ? $0 : nil }, [2, 3]),
      (elements.scan(0, accumulator: +), [1, 2, 4, 7]),
      (elements.scan(into: 0) { $0 += $1 }, [1, 2, 4, 7]),
      (elements.startWith(8, 9), [8, 9, 1, 1, 2, 3]),
      (elements.distinctUntilChanged(), [1, 2, 3]),
      (elements.distinctUntilChanged { $0 / 2 }, [1, 2]),
      (elements.distinctUntilChanged { $0 + 1 == $1 }, [1, 1, 3]),
      (elements.distinctUntilChanged(at: \.isEven), [1, 2, 3]),
      (elements.distinctUntilChanged({ $0 / 2 }, comparer: ==), [1, 2]),
      (elements.flatMap { Infallible.of($0, 0) }, [1, 0, 1, 0, 2, 0, 3, 0]),
      (elements.flatMapLatest { Infallible.just($0) }, [1, 1, 2, 3]),
      (elements.flatMapFirst { Infallible.just($0) }, [1, 1, 2, 3]),
      (elements.concatMap { Infallible.just($0) }, [1, 1, 2, 3]),
      (elements.concat(Infallible.just(7)), [1, 1, 2, 3, 7]),
      (.concat(elements, .just(7)), [1, 1, 2, 3, 7]),
      (.merge(.just(1), .just(2)), [1, 2]),
      (.combineLatest(Infallible.just(1), Infallible.just(2)) { $0 + $1 }, [3]),
      (Infallible.combineLatest(Infallible.just(1), Infallible.just(2)).map { $0 + $1 }, [3]),
      (.combineLatest([Infallible.just(1), .just(2)]) { $0.reduce(0, +) }, [3]),
      (.zip(elements, Infallible.of(10, 20)) { $0 + $1 }, [11, 21]),
      (Infallible.zip(elements, Infallible.of(10, 20)).map { $0 + $1 }, [11, 21]),
      (elements.take(2), [1, 1]),
      (elements.take(while: { $0 < 2 }), [1, 1]),
      (elements.take(until: { $0 == 2 }, behavior: .inclusive), [1, 1, 2]),
      (elements.take(until: Infallible.just(1)), []),
      (elements.skip(3), [3]),
      (elements.skip(while: { $0 < 2 }), [2, 3]),
      (elements.share(), [1, 1, 2, 3]),
      (elements.observe(on: CurrentThreadScheduler.instance), [1, 1, 2, 3]),
      (elements.withLatestFrom(Infallible.just(5)) { $0 + $1 }, [6, 6, 7, 8]),
      (elements.do(onNext: { _ in }), [1, 1, 2, 3]),
    ]
    for (index, (infallible, expected)) in ways.enumerated() {
      #expect(log(infallible) == expected.map { "\($0)" } + ["completed", "disposed"], "way \(index)")
    }
  }

  @Test func isIterated() async {
    var elements: [Int] = []
    for await element in Infallible.of(1, 2).values { elements.append(element) }
    #expect(elements == [1, 2])
  }
}

extension Int {
  fileprivate var isEven: Bool { isMultiple(of: 2) }
}
