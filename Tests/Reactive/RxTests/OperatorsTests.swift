import RxTest
import RxTestSupport
import Testing

@testable import Rx

@Suite(.leavesNoResources, .inTurn) @MainActor struct OperatorsTests {
  private let recorder = Recorder<String>()

  @Test func sourcesSendTheirElementsAndTheirEnd() {
    recorder.subscribe(to: Observable.just(1))
    recorder.subscribe(to: Observable.of(2, 3))
    recorder.subscribe(to: Observable.from([4]))
    recorder.subscribe(to: Observable.from(5...6))
    recorder.subscribe(to: Observable.from(optional: 7))
    recorder.subscribe(to: Observable<Int>.from(optional: nil))
    recorder.subscribe(to: Observable<Int>.empty())
    recorder.subscribe(to: Observable<Int>.error(TestError.first))
    recorder.subscribe(to: Observable<Int>.never()).dispose()
    let end = ["completed", "disposed"]
    let parts = [["1"], end, ["2", "3"], end, ["4"], end, ["5", "6"], end, ["7"], end, end, end]
    #expect(recorder.values == parts.flatMap { $0 } + ["error(first)", "disposed", "disposed"])
  }

  @Test func sourcesOnASchedulerWaitForIt() {
    let time = HistoricalScheduler()
    let bag = CompositeDisposable()
    _ = bag.insert(recorder.subscribe(to: Observable.just(1, scheduler: time)))
    _ = bag.insert(recorder.subscribe(to: Observable.from(optional: 2, scheduler: time)))
    _ = bag.insert(recorder.subscribe(to: Observable<Int>.from(optional: nil, scheduler: time), as: "nil "))
    #expect(recorder.values == [])
    time.start()
    #expect(
      recorder.values == ["1", "2", "nil completed", "nil disposed", "completed", "disposed", "completed", "disposed"])
    bag.dispose()
  }

  // RxSwift's trampoline: two sources that begin within one subscription take turns.
  @Test func sequencesTakeTurns() {
    let both = Observable<Int>.create { observer in
      Disposables.create(
        Observable.of(1, 2, 3).subscribe(onNext: { observer.onNext($0) }),
        Observable.of(10, 20, 30).subscribe(onNext: { observer.onNext($0) }))
    }
    recorder.subscribe(to: both).dispose()
    #expect(recorder.values == ["1", "10", "2", "20", "3", "30", "disposed"])
  }

  @Test func disposalStopsASequence() {
    let serial = SerialDisposable()
    let recorder = recorder
    // Within another subscription the elements come when that has been made, so that it can be disposed.
    Observable<Int>.create { _ in
      serial.disposable = Observable.from(1...Int.max).subscribe(onNext: { element in
        recorder.record("\(element)")
        if element == 3 { serial.dispose() }
      })
      return Disposables.create()
    }.subscribe().dispose()
    #expect(recorder.values == ["1", "2", "3"])
  }

  @Test func anErrorPassesThrough() {
    let (failing, owner) = (Observable.of(1).concat(Observable.error(TestError.first)), Captured())
    let operators: [(Observable<Int>) -> Observable<Int>] = [
      { $0.map { $0 } }, { $0.compactMap { $0 } }, { $0.filter { _ in true } }, { $0.distinctUntilChanged() },
      { $0.enumerated().map { $0.element } }, { $0.withUnretained(owner) { $1 } },
      { $0.debug("numbers", trimOutput: true) },
    ]
    for (index, apply) in operators.enumerated() {
      #expect(immediateEvents(apply(failing)) == [.next(1), .error(TestError.first)], "operator \(index)")
    }
    #expect(immediateEvents(failing.toArray().asObservable()) == [.error(TestError.first)])
  }

  @Test func whatAClosureThrowsEndsTheSequence() {
    let calls = Locked(0)
    let check: @Sendable (Int) throws -> Bool = { element in
      calls.withLock { $0 += 1 }
      if element == 2 { throw TestError.second }
      return true
    }
    let checked: @Sendable (Int) throws -> Int = { try check($0) ? $0 : 0 }
    let operators: [(sent: [String], apply: (Observable<Int>) -> Observable<Int>)] = [
      (["1"], { $0.map(checked) }),
      (["1"], { $0.compactMap(checked) }),
      (["1"], { $0.filter(check) }),
      (["1"], { $0.do(onNext: { _ = try check($0) }) }),
      (["1"], { $0.scan(0) { try checked($1) } }),
      (["1"], { $0.scan(into: 0) { $0 = try checked($1) } }),
      ([], { $0.reduce(0) { try checked($1) } }),
      (["1"], { $0.distinctUntilChanged(checked) }),
      (["1"], { $0.startWith(0).distinctUntilChanged { try !check($1) }.skip(1) }),
      (["1"], { $0.take(while: check) }),
      (["1"], { $0.take(until: { try !check($0) }) }),
      ([], { $0.skip(while: check) }),
    ]
    for (index, (sent, apply)) in operators.enumerated() {
      calls.withLock { $0 = 0 }
      let (subject, recorder) = (PublishSubject<Int>(), Recorder<String>())
      recorder.subscribe(to: apply(subject.asObservable()))
      for i in 1...4 { subject.onNext(i) }
      #expect(recorder.values == sent + ["error(second)", "disposed"], "operator \(index)")
      #expect(calls.withLock { $0 } == 2, "operator \(index) was called after the end")
      #expect(!subject.hasObservers, "operator \(index)")
    }
  }

  @Test func doCallsItsClosuresInOrder() {
    let recorder = recorder
    let source = Observable<Int>.create { observer in
      recorder.record("subscribe source")
      observer.onNext(1)
      observer.onCompleted()
      return Disposables.create { recorder.record("dispose source") }
    }
    recorder.subscribe(
      to: source.do(
        onNext: { recorder.record("on \($0)") }, afterNext: { recorder.record("after \($0)") },
        onCompleted: { recorder.record("onCompleted") }, afterCompleted: { recorder.record("afterCompleted") },
        onSubscribe: { recorder.record("onSubscribe") }, onSubscribed: { recorder.record("onSubscribed") },
        onDispose: { recorder.record("onDispose") }))
    #expect(
      recorder.values == [
        "onSubscribe", "subscribe source", "on 1", "1", "after 1", "onCompleted", "completed", "disposed",
        "afterCompleted", "dispose source", "onSubscribed", "onDispose",
      ])
  }

  @Test func doDisposesAfterItsAfterClosure() {
    let recorder = recorder
    let subject = PublishSubject<Int>()
    recorder.subscribe(
      to: subject.do(
        onError: { recorder.record("on \($0)") }, afterError: { recorder.record("after \($0)") },
        onDispose: { recorder.record("onDispose") }))
    subject.onError(TestError.first)
    #expect(recorder.values == ["on first", "error(first)", "disposed", "after first", "onDispose"])
  }

  @Test func observeOnKeepsOrderAndTurnsOver() {
    for end in [Event<Int>.completed, .error(TestError.first)] {
      let (time, subject, recorder) = (HistoricalScheduler(), PublishSubject<Int>(), Recorder<String>())
      recorder.subscribe(to: subject.observe(on: time))
      subject.onNext(1)
      subject.onNext(2)
      subject.on(end)
      #expect(recorder.values == [])
      time.start()
      #expect(recorder.values == ["1", "2", end.error == nil ? "completed" : "error(first)", "disposed"])
    }
  }

  @Test func observeOnSendsNothingAfterDisposal() {
    let time = HistoricalScheduler()
    let subject = PublishSubject<Int>()
    let subscription = recorder.subscribe(to: subject.observe(on: time))
    subject.onNext(1)
    time.start()
    subject.onNext(2)
    subscription.dispose()
    time.start()
    #expect(recorder.values == ["1", "disposed"])
  }
}
