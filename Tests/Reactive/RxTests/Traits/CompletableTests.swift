import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct CompletableTests {
  private let failing = Completable.error(TestError.first)

  @Test func saysOneThing() {
    #expect(log(Completable.empty()) == ["completed", "disposed"])
    #expect(log(failing) == ["error first", "disposed"])
    #expect(log(Completable.never()) == ["disposed"])
    #expect(log(Completable.deferred { throw TestError.second }) == ["error second", "disposed"])
    #expect(log(Observable<Never>.empty().asCompletable()) == ["completed", "disposed"])
    #expect(log(Observable.of(1, 2).ignoreElements().asCompletable()) == ["completed", "disposed"])
    #expect(log(Single.just(1).asCompletable()) == ["completed", "disposed"])
  }

  @Test func ofSeveralAnswersOfCreateTheFirstCounts() {
    func made(_ events: CompletableEvent...) -> [String] {
      log(
        Completable.create { completable in
          for event in events { completable(event) }
          return Disposables.create()
        })
    }
    #expect(made(.completed, .error(TestError.first)) == ["completed", "disposed"])
    #expect(made(.error(TestError.first), .completed) == ["error first", "disposed"])
  }

  @Test func subscribesWithOneClosure() {
    let log = Recorder<CompletableEvent>()
    for completable in [Completable.empty(), failing] { completable.subscribe { log.record($0) }.dispose() }
    #expect(log.values == [.completed, .error(TestError.first)])
  }

  @Test func goesOnWithAnything() {
    #expect(log(Completable.empty().andThen(Single.just(1))) == ["success 1", "disposed"])
    #expect(log(Completable.empty().andThen(Maybe<Int>.empty())) == ["completed", "disposed"])
    #expect(log(Completable.empty().andThen(failing)) == ["error first", "disposed"])
    #expect(log(Completable.empty().andThen(Observable.of(1, 2))) == ["1", "2", "completed", "disposed"])
    #expect(log(failing.andThen(Single.just(1))) == ["failure first", "disposed"])
  }

  @Test func doesNotSubscribeToTheNextBeforeItIsDone() {
    let log = Recorder<String>()
    let (first, second) = (PublishSubject<Never>(), PublishSubject<Never>())
    let next = Single<Int>.deferred {
      log.record("next")
      return .just(1)
    }
    _ = first.asCompletable().andThen(next).subscribe(onSuccess: { log.record("\($0)") })
    second.asCompletable().andThen(next).subscribe().dispose()
    second.onCompleted()
    #expect(log.values == [])
    first.onCompleted()
    #expect(log.values == ["next", "1"])
  }

  @Test func concatenates() {
    let log = Recorder<String>()
    @Sendable func step(_ name: String) -> Completable {
      Completable.empty().do(onSubscribe: { log.record(name) })
    }
    step("a").concat(step("b")).subscribe(onCompleted: { log.record("done") }).dispose()
    #expect(log.values == ["a", "b", "done"])
    log.removeAll()
    Completable.concat(step("a"), failing, step("b")).subscribe(onError: { log.record("\($0)") }).dispose()
    #expect(log.values == ["a", "first"])
    log.removeAll()
    let steps = MadeSequence(["a", "b"]) { step($0) }
    Completable.concat(steps).subscribe(onCompleted: { log.record("done") }).dispose()
    #expect(log.values == ["a", "b", "done"])
  }

  @Test func waitsForAll() {
    for zip in [{ .zip($0, $1) }, { .zip([$0, $1]) }] as [(Completable, Completable) -> Completable] {
      let log = Recorder<String>()
      let (first, second) = (PublishSubject<Never>(), PublishSubject<Never>())
      _ = zip(first.asCompletable(), second.asCompletable()).subscribe(onCompleted: { log.record("done") })
      second.onCompleted()
      #expect(log.values == [])
      first.onCompleted()
      #expect(log.values == ["done"])
    }
  }

  @Test func doesNotWaitAfterAnErrorOrDisposal() {
    let log = Recorder<String>()
    let (first, second) = (PublishSubject<Never>(), PublishSubject<Never>())
    let both = Completable.zip([first.asCompletable(), second.asCompletable()])
    both.subscribe(onError: { log.record("\($0)") }).dispose()
    #expect(!first.hasObservers && !second.hasObservers)
    _ = both.subscribe(onError: { log.record("\($0)") })
    second.onError(TestError.second)
    #expect(log.values == ["second"])
    #expect(!first.hasObservers)
  }

  @Test func doesSomethingAtItsEnd() {
    let log = Recorder<String>()
    let completable = Completable.empty().do(
      onCompleted: { log.record("onCompleted") }, afterCompleted: { log.record("afterCompleted") },
      onSubscribe: { log.record("onSubscribe") }, onDispose: { log.record("onDispose") })
    completable.subscribe(onCompleted: { log.record("completed") }).dispose()
    #expect(log.values == ["onSubscribe", "onCompleted", "completed", "afterCompleted", "onDispose"])
  }

  @Test func isAwaited() async throws {
    try await Completable.empty().value
    await #expect(throws: TestError.first) { try await failing.value }
  }
}
