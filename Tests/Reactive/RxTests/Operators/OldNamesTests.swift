import Dispatch
import Rx
import RxTest
import RxTestSupport
import TestSupport
import Testing

/// The spellings of older tutorials still work.
@Suite(.leavesNoResources) struct OldNamesTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func oldNamesOfOperatorsWork() { (self as any OldNames).oldNames() }
  @Test func oldNamesWithSchedulersWork() { (self as any OldNames).oldNamesWithSchedulers() }
  @Test func oldNamesOfSinglesWork() { (self as any OldNames).oldNamesOfSingles() }
}

/// What is called through a protocol may be deprecated without a warning where it is called.
private protocol OldNames {
  func oldNames()
  func oldNamesWithSchedulers()
  func oldNamesOfSingles()
}

extension OldNamesTests: OldNames {
  @available(*, deprecated)
  fileprivate func oldNames() {
    let failing = Observable.just(1).concat(Observable.error(TestError.first))
    #expect(immediateEvents(failing.catchErrorJustReturn(2)) == [.next(1), .next(2), .completed])
    #expect(immediateEvents(failing.catchError { _ in .just(3) }) == [.next(1), .next(3), .completed])
    #expect(immediateEvents(Observable.catchError([failing, .just(4)])) == [.next(1), .next(4), .completed])
    #expect(immediateEvents(failing.retryWhen { $0.take(1) }) == [.next(1), .completed])

    let numbers = Observable.of(1, 2, 3, 4)
    let ticks = PublishSubject<Int>()
    #expect(immediateEvents(numbers.elementAt(2)) == [.next(3), .completed])
    #expect(immediateEvents(numbers.takeWhile { $0 < 2 }) == [.next(1), .completed])
    #expect(immediateEvents(numbers.skipWhile { $0 < 4 }) == [.next(4), .completed])
    #expect(immediateEvents(numbers.takeUntil(.inclusive) { $0 == 2 }) == [.next(1), .next(2), .completed])
    #expect(
      immediateEvents(numbers.do(onNext: { if $0 == 3 { ticks.onNext(0) } }).takeUntil(ticks)) == [
        .next(1), .next(2), .completed,
      ])
    #expect(
      immediateEvents(numbers.do(onNext: { if $0 == 3 { ticks.onNext(0) } }).skipUntil(ticks)) == [
        .next(3), .next(4), .completed,
      ])
  }

  @available(*, deprecated)
  fileprivate func oldNamesWithSchedulers() {
    let schedulers = (0..<3).map { _ in TestScheduler(initialClock: 0) }
    #expect(
      schedulers[0].start { Observable.just(1).observeOn(schedulers[0]) }.events == [.next(201, 1), .completed(202)])
    #expect(
      schedulers[1].start { Observable.just(1).subscribeOn(schedulers[1]) }.events == [.next(201, 1), .completed(201)])
    #expect(
      schedulers[2].start {
        Observable<Int>.interval(.seconds(10), scheduler: schedulers[2]).take(.seconds(15), scheduler: schedulers[2])
      }.events == [.next(210, 0), .completed(215)])
  }

  @available(*, deprecated)
  fileprivate func oldNamesOfSingles() {
    let log = Recorder<String>()
    let failing = Single<Int>.error(TestError.first)
    failing.catchErrorJustReturn(2).subscribe(onSuccess: { log.record("\($0)") }).dispose()
    failing.catchError { _ in .just(3) }.subscribe(onSuccess: { log.record("\($0)") }).dispose()
    failing.retryWhen { $0.take(1) }.subscribe(onError: { log.record("\($0)") }).dispose()
    Single.just(4).observeOn(CurrentThreadScheduler.instance).subscribeOn(CurrentThreadScheduler.instance)
      .subscribe(onSuccess: { log.record("\($0)") }).dispose()
    #expect(log.values == ["2", "3", "\(RxError.noElements)", "4"])
  }
}
