import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct MaybeTests {
  private let failing = Maybe<Int>.error(TestError.first)
  private let noElements = "failure Sequence doesn't contain any elements."

  @Test func saysOneThing() {
    #expect(log(Maybe.just(1)) == ["success 1", "disposed"])
    #expect(log(Maybe.just(1, scheduler: CurrentThreadScheduler.instance)) == ["success 1", "disposed"])
    #expect(log(Maybe<Int>.empty()) == ["completed", "disposed"])
    #expect(log(failing) == ["error first", "disposed"])
    #expect(log(Maybe<Int>.never()) == ["disposed"])
    #expect(log(Maybe<Int>.deferred { throw TestError.second }) == ["error second", "disposed"])
  }

  @Test func ofSeveralAnswersOfCreateTheFirstCounts() {
    func made(_ events: MaybeEvent<Int>...) -> [String] {
      let disposals = Recorder<Int>()
      let result = log(
        Maybe<Int>.create { maybe in
          for event in events { maybe(event) }
          return Disposables.create { disposals.record(1) }
        })
      #expect(disposals.values.count == 1)
      return result
    }
    #expect(made(.success(1), .success(2), .error(TestError.first)) == ["success 1", "disposed"])
    #expect(made(.completed, .success(2)) == ["completed", "disposed"])
    #expect(made(.error(TestError.first), .completed) == ["error first", "disposed"])
  }

  @Test func subscribesWithOneClosure() {
    let log = Recorder<MaybeEvent<Int>>()
    for maybe in [Maybe.just(1), .empty(), failing] { maybe.subscribe { log.record($0) }.dispose() }
    #expect(log.values == [.success(1), .completed, .error(TestError.first)])
  }

  @Test func filters() {
    #expect(log(Single.just(1).filter { $0 > 0 }) == ["success 1", "disposed"])
    #expect(log(Single.just(1).filter { $0 > 1 }) == ["completed", "disposed"])
    #expect(log(Maybe.just(1).filter { _ in throw TestError.first }) == ["error first", "disposed"])
    #expect(log(Single.just("2").compactMap { Int($0) }) == ["success 2", "disposed"])
    #expect(log(Maybe.just("x").compactMap { Int($0) }) == ["completed", "disposed"])
  }

  @Test func maps() {
    #expect(log(Maybe.just(1).map { $0 + 1 }) == ["success 2", "disposed"])
    #expect(log(Maybe<Int>.empty().map { $0 + 1 }) == ["completed", "disposed"])
    #expect(log(Maybe.just(1).map { _ -> Int in throw TestError.first }) == ["error first", "disposed"])
    #expect(log(Maybe.just(1).flatMap { Maybe.just("\($0)!") }) == ["success 1!", "disposed"])
    #expect(log(Maybe.just(1).flatMap { _ in Maybe<Int>.empty() }) == ["completed", "disposed"])
    #expect(log(Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() }) == ["completed", "disposed"])
    #expect(log(Single.just(1).flatMapCompletable { _ in .empty() }) == ["completed", "disposed"])
    #expect(log(Single.just(1).flatMapCompletable { _ in .error(TestError.first) }) == ["error first", "disposed"])
  }

  @Test func goesOnWithAnother() {
    #expect(log(Maybe.empty().ifEmpty(default: 3)) == ["success 3", "disposed"])
    #expect(log(Maybe.just(1).ifEmpty(default: 3)) == ["success 1", "disposed"])
    #expect(log(Maybe.empty().ifEmpty(switchTo: Maybe.just(3))) == ["success 3", "disposed"])
    #expect(log(Maybe.empty().ifEmpty(switchTo: Maybe<Int>.empty())) == ["completed", "disposed"])
    #expect(log(Maybe.empty().ifEmpty(switchTo: Single.just(3))) == ["success 3", "disposed"])
    #expect(log(failing.catchAndReturn(4)) == ["success 4", "disposed"])
    #expect(log(failing.catch { _ in .empty() }) == ["completed", "disposed"])
    #expect(log(failing.retry(2)) == ["error first", "disposed"])
  }

  @Test func doesSomethingAtItsEvents() {
    let log = Recorder<String>()
    func note(_ maybe: Maybe<Int>) {
      log.removeAll()
      maybe.do(
        onNext: { log.record("onNext \($0)") }, afterNext: { log.record("afterNext \($0)") },
        onError: { _ in log.record("onError") }, afterError: { _ in log.record("afterError") },
        onCompleted: { log.record("onCompleted") }, afterCompleted: { log.record("afterCompleted") },
        onSubscribe: { log.record("onSubscribe") }, onDispose: { log.record("onDispose") }
      ).subscribe().dispose()
    }
    note(.just(1))
    #expect(log.values == ["onSubscribe", "onNext 1", "afterNext 1", "onCompleted", "afterCompleted", "onDispose"])
    note(.empty())
    #expect(log.values == ["onSubscribe", "onCompleted", "afterCompleted", "onDispose"])
    note(failing.catch { _ in .never() })
    #expect(log.values == ["onSubscribe", "onDispose"])
  }

  @Test func zips() {
    #expect(log(Maybe.zip(.just(1), .just("a")) { "\($0)\($1)" }) == ["success 1a", "disposed"])
    #expect(log(Maybe.zip(Maybe.just(1), Maybe<Int>.empty()).map { $0 + $1 }) == ["completed", "disposed"])
    #expect(log(Maybe.zip([.just(1), .just(2)])) == ["success [1, 2]", "disposed"])
  }

  @Test func becomesOtherTraits() {
    #expect(log(Observable.just(1).asMaybe()) == ["success 1", "disposed"])
    #expect(log(Observable<Int>.empty().asMaybe()) == ["completed", "disposed"])
    #expect(log(Observable.of(1, 2).asMaybe()) == ["error Sequence contains more than one element.", "disposed"])
    #expect(log(Single.just(1).asMaybe()) == ["success 1", "disposed"])
    #expect(log(Maybe.just(1).asSingle()) == ["success 1", "disposed"])
    #expect(log(Maybe<Int>.empty().asSingle()) == [noElements, "disposed"])
    #expect(log(Maybe.just(1).asCompletable()) == ["completed", "disposed"])
    #expect(log(failing.asCompletable()) == ["error first", "disposed"])
    #expect(log(Completable.empty().asMaybe()) == ["completed", "disposed"])
    #expect(log(Maybe.just(1).asObservable()) == ["1", "completed", "disposed"])
  }

  @Test func isAwaited() async throws {
    #expect(try await Maybe.just(1).value == 1)
    #expect(try await Maybe<Int>.empty().value == nil)
    await #expect(throws: TestError.first) { try await failing.value }
  }
}
