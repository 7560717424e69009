import Rx
import RxTest
import XCTest

/// The spellings of older tutorials still work.
final class OldNamesTests: OperatorTestCase {
  fileprivate let failing = Observable.just(1).concat(Observable.error(OperatorTestError.first))

  func testErrors() { (self as any OldNames).errors() }
  func testTakeAndSkip() { (self as any OldNames).takeAndSkip() }
  func testSpansInSeconds() { (self as any OldNames).spansInSeconds() }
  func testSpansOfSinglesInSeconds() { (self as any OldNames).spansOfSinglesInSeconds() }
  func testSingle() { (self as any OldNames).single() }
}

/// What is called through a protocol may be deprecated without a warning where it is called.
private protocol OldNames {
  func errors()
  func takeAndSkip()
  func spansInSeconds()
  func spansOfSinglesInSeconds()
  func single()
}

extension OldNamesTests: OldNames {
  @available(*, deprecated)
  fileprivate func errors() {
    XCTAssertEqual(immediateEvents(failing.catchErrorJustReturn(2)), [.next(1), .next(2), .completed])
    XCTAssertEqual(immediateEvents(failing.catchError { _ in .just(3) }), [.next(1), .next(3), .completed])
    XCTAssertEqual(immediateEvents(Observable.catchError([failing, .just(4)])), [.next(1), .next(4), .completed])
    XCTAssertEqual(
      immediateEvents(failing.retryWhen { (errors: Observable<any Error>) in errors.take(1) }),
      [.next(1), .completed])
    XCTAssertEqual(
      immediateEvents(failing.retryWhen { (_: Observable<OperatorTestError>) in Observable<Int>.empty() }),
      [.next(1), .completed])
  }

  @available(*, deprecated)
  fileprivate func takeAndSkip() {
    let source = Observable.of(1, 2, 3)
    XCTAssertEqual(immediateEvents(source.takeWhile { $0 < 3 }), [.next(1), .next(2), .completed])
    XCTAssertEqual(
      immediateEvents(source.takeUntil(.inclusive) { $0 == 2 }), [.next(1), .next(2), .completed])
    XCTAssertEqual(immediateEvents(source.takeUntil(Observable.just(0))), [.completed])
    XCTAssertEqual(immediateEvents(source.skipWhile { $0 < 3 }), [.next(3), .completed])
    XCTAssertEqual(immediateEvents(source.skipUntil(Observable.just(0))), [.next(1), .next(2), .next(3), .completed])
    XCTAssertEqual(
      immediateEvents(source.observeOn(CurrentThreadScheduler.instance).subscribeOn(CurrentThreadScheduler.instance)),
      [.next(1), .next(2), .next(3), .completed])
  }

  @available(*, deprecated)
  fileprivate func spansInSeconds() {
    let received = events(disposed: 300) { [scheduler] in
      Observable<Int>.interval(10, scheduler: scheduler).take(45, scheduler: scheduler)
        .delay(5, scheduler: scheduler).debounce(1, scheduler: scheduler).throttle(15, scheduler: scheduler)
        .timeout(50, scheduler: scheduler).timeout(50, other: Observable.just(-1), scheduler: scheduler)
        .skip(1, scheduler: scheduler)
        .buffer(timeSpan: 1000, count: 2, scheduler: scheduler)
    }
    XCTAssertEqual(received, [.next(231, [0, 1]), .next(261, [2, 3]), .next(261, []), .completed(261)])
    let timer = scheduler.start(created: 300, subscribed: 300, disposed: 400) { [scheduler] in
      Observable<Int>.timer(10, period: 40, scheduler: scheduler).take(10.5, scheduler: scheduler)
    }
    XCTAssertEqual(timer.events.first, .next(310, 0))
  }

  @available(*, deprecated)
  fileprivate func spansOfSinglesInSeconds() {
    let received = events { [scheduler] in
      Single<Int>.timer(10, scheduler: scheduler).delay(5, scheduler: scheduler).timeout(50, scheduler: scheduler)
        .timeout(2, other: .just(-1), scheduler: scheduler).asObservable()
    }
    XCTAssertEqual(received, [.next(202, -1), .completed(202)])
  }

  @available(*, deprecated)
  fileprivate func single() {
    let log = Log<String>()
    let failing = Single<Int>.error(OperatorTestError.first)
    failing.subscribe(onSuccess: { _ in log("success") }, onError: { _ in log("error") }).dispose()
    failing.catchErrorJustReturn(2).observeOn(CurrentThreadScheduler.instance)
      .subscribeOn(CurrentThreadScheduler.instance).subscribe(onSuccess: { log("\($0)") }).dispose()
    failing.catchError { _ in .just(3) }.subscribe(onSuccess: { log("\($0)") }).dispose()
    failing.retryWhen { (errors: Observable<any Error>) in errors.flatMap { Observable<Int>.error($0) } }
      .subscribe(onFailure: { _ in log("retried") }).dispose()
    XCTAssertEqual(log.values, ["error", "2", "3", "retried"])
  }
}
