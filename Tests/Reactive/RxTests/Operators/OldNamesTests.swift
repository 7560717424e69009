import Rx
import RxTest
import RxTestSupport
import XCTest

/// The spellings of older tutorials still work.
final class OldNamesTests: OperatorTestCase {
  func testOldNames() { (self as any OldNames).oldNames() }
  func testOldNamesWithSchedulers() { (self as any OldNames).oldNamesWithSchedulers() }
  func testOldNamesOfSingles() { (self as any OldNames).oldNamesOfSingles() }
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
    XCTAssertEqual(immediateEvents(failing.catchErrorJustReturn(2)), [.next(1), .next(2), .completed])
    XCTAssertEqual(immediateEvents(failing.catchError { _ in .just(3) }), [.next(1), .next(3), .completed])
    XCTAssertEqual(immediateEvents(failing.retryWhen { $0.take(1) }), [.next(1), .completed])

    let numbers = Observable.of(1, 2, 3, 4)
    let ticks = PublishSubject<Int>()
    XCTAssertEqual(immediateEvents(numbers.elementAt(2)), [.next(3), .completed])
    XCTAssertEqual(immediateEvents(numbers.takeWhile { $0 < 2 }), [.next(1), .completed])
    XCTAssertEqual(immediateEvents(numbers.skipWhile { $0 < 4 }), [.next(4), .completed])
    XCTAssertEqual(
      immediateEvents(numbers.takeUntil(.inclusive) { $0 == 2 }), [.next(1), .next(2), .completed])
    XCTAssertEqual(
      immediateEvents(numbers.do(onNext: { if $0 == 3 { ticks.onNext(0) } }).takeUntil(ticks)),
      [.next(1), .next(2), .completed])
    XCTAssertEqual(
      immediateEvents(numbers.do(onNext: { if $0 == 3 { ticks.onNext(0) } }).skipUntil(ticks)),
      [.next(3), .next(4), .completed])
  }

  @available(*, deprecated)
  fileprivate func oldNamesWithSchedulers() {
    let schedulers = (0..<3).map { _ in TestScheduler(initialClock: 0) }
    XCTAssertEqual(
      schedulers[0].start { Observable.just(1).observeOn(schedulers[0]) }.events, [.next(201, 1), .completed(202)])
    XCTAssertEqual(
      schedulers[1].start { Observable.just(1).subscribeOn(schedulers[1]) }.events, [.next(201, 1), .completed(201)])
    XCTAssertEqual(
      schedulers[2].start {
        Observable<Int>.interval(.seconds(10), scheduler: schedulers[2]).take(.seconds(15), scheduler: schedulers[2])
      }.events, [.next(210, 0), .completed(215)])
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
    XCTAssertEqual(log.values, ["2", "3", "\(RxError.noElements)", "4"])
  }
}
