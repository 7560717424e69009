import Dispatch
import Foundation
import RxTest
import RxTestSupport
import TestSupport
import Testing

@testable import Rx

@Suite(.leavesNoResources) @MainActor struct OperatorsTests {
  private let recorder = Recorder<String>()

  @Test func sourcesSendTheirElementsAndTheirEnd() {
    _ = recorder.subscribe(to: Observable.just(1))
    _ = recorder.subscribe(to: Observable.of(2, 3))
    _ = recorder.subscribe(to: Observable.from([4]))
    _ = recorder.subscribe(to: Observable.from(5...6))
    _ = recorder.subscribe(to: Observable.from(optional: 7))
    _ = recorder.subscribe(to: Observable<Int>.from(optional: nil))
    _ = recorder.subscribe(to: Observable<Int>.empty())
    _ = recorder.subscribe(to: Observable<Int>.error(TestError.first))
    let end = ["completed", "disposed"]
    let parts = [["1"], end, ["2", "3"], end, ["4"], end, ["5", "6"], end, ["7"], end, end, end]
    #expect(recorder.values == parts.flatMap { $0 } + ["error(first)", "disposed"])
  }

  @Test func neverSaysNothing() {
    let subscription = recorder.subscribe(to: Observable<Int>.never())
    #expect(recorder.values == [])
    subscription.dispose()
    #expect(recorder.values == ["disposed"])
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
    recorder.subscribe(
      to: Observable.from(Array(1...1000)).map { element in
        if element == 3 { throw TestError.first }
        return element
      }
    ).dispose()
    #expect(recorder.values.suffix(4) == ["1", "2", "error(first)", "disposed"])
  }

  @Test func deferredMakesItsSequenceAnew() {
    let count = Locked(0)
    let source = Observable<Int>.deferred {
      let count = count.withLock { count in
        count += 1
        return count
      }
      if count == 3 { throw TestError.first }
      return .just(count)
    }
    for _ in 1...3 { _ = recorder.subscribe(to: source) }
    #expect(
      recorder.values == ["1", "completed", "disposed", "2", "completed", "disposed", "error(first)", "disposed"])
  }

  @Test func mapCompactMapAndFilterPassTheErrorOn() {
    let subject = PublishSubject<Int>()
    let subscriptions = [
      recorder.subscribe(to: subject.map { $0 * 2 }, as: "m"),
      recorder.subscribe(to: subject.compactMap { $0 > 1 ? "\($0)" : nil }, as: "c"),
      recorder.subscribe(to: subject.filter { $0 % 2 == 0 }, as: "f"),
    ]
    for i in 1...2 { subject.onNext(i) }
    subject.onError(TestError.first)
    #expect(
      recorder.values == ["m2", "m4", "c2", "f2"]
        + ["merror(first)", "mdisposed", "cerror(first)", "cdisposed", "ferror(first)", "fdisposed"])
    for subscription in subscriptions { subscription.dispose() }
  }

  @Test func whatAClosureThrowsEndsTheSequence() {
    let calls = Locked(0)
    let check: @Sendable (Int) throws -> Bool = { element in
      calls.withLock { $0 += 1 }
      if element == 2 { throw TestError.second }
      return true
    }
    for make in [
      { source in
        source.map {
          _ = try check($0); return $0
        }
      },
      { source in source.compactMap { try check($0) ? $0 : nil } },
      { source in source.filter(check) },
      { source in source.do(onNext: { _ = try check($0) }) },
    ] as [(Observable<Int>) -> Observable<Int>] {
      calls.withLock { $0 = 0 }
      let subject = PublishSubject<Int>()
      let recorder = Recorder<String>()
      let subscription = recorder.subscribe(to: make(subject))
      for i in 1...4 { subject.onNext(i) }
      #expect(recorder.values == ["1", "error(second)", "disposed"])
      #expect(calls.withLock { $0 } == 2, "called after the end")
      #expect(!subject.hasObservers)
      subscription.dispose()
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
    _ = recorder.subscribe(
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
    let subscription = recorder.subscribe(
      to: subject.do(
        onError: { recorder.record("on \($0)") }, afterError: { recorder.record("after \($0)") },
        onDispose: { recorder.record("onDispose") }))
    subject.onError(TestError.first)
    #expect(recorder.values == ["on first", "error(first)", "disposed", "after first", "onDispose"])
    subscription.dispose()
  }

  @Test func observeOnKeepsOrderAndTurnsOver() {
    for end in [Event<Int>.completed, .error(TestError.first)] {
      let (time, subject, recorder) = (HistoricalScheduler(), PublishSubject<Int>(), Recorder<String>())
      let subscription = recorder.subscribe(to: subject.observe(on: time))
      subject.onNext(1)
      subject.onNext(2)
      subject.on(end)
      #expect(recorder.values == [])
      time.start()
      #expect(recorder.values == ["1", "2", end.error == nil ? "completed" : "error(first)", "disposed"])
      subscription.dispose()
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

  @Test func observeOnASerialQueueKeepsTheOrder() async {
    let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "observe")
    let recorder = recorder
    let subscription = recorder.subscribe(to: Observable.from(Array(0..<500)).observe(on: scheduler))
    #expect(await eventually { recorder.values.last == "disposed" })
    let numbers: [String] = (0..<500).map { "\($0)" }
    #expect(recorder.values == numbers + ["completed", "disposed"])
    subscription.dispose()
  }

  @Test func debugPassesEverythingOn() {
    _ = recorder.subscribe(to: Observable.of(1, 2).debug("numbers", trimOutput: true))
    _ = recorder.subscribe(to: Observable<Int>.error(TestError.first).debug())
    #expect(recorder.values == ["1", "2", "completed", "disposed", "error(first)", "disposed"])
  }
}
