import Rx
import RxTest
import RxTestSupport
import XCTest

final class TakeTests: OperatorTestCase {
  private let error = TestError.first

  private func source() -> TestableObservable<Int> {
    hot(.next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(300))
  }

  func testCount() {
    let xs = source()
    XCTAssertEqual(events { xs.take(3) }, [.next(210, 1), .next(220, 2), .next(230, 3), .completed(230)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
  }

  func testCountOfMoreThanThereAre() {
    let xs = source()
    XCTAssertEqual(
      events { xs.take(9) }, [.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(300)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
  }

  func testCountOfNone() {
    let xs = source()
    XCTAssertEqual(events { xs.take(0) }, [.completed(200)])
    XCTAssertEqual(immediateEvents(Observable.just(1).take(-1)), [.completed])
    XCTAssertEqual(xs.subscriptions, [])
  }

  func testCountErrorAndDisposal() {
    let xs = hot(.next(210, 1), .error(220, error))
    XCTAssertEqual(events { xs.take(2) }, [.next(210, 1), .error(220, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 220)])
  }

  func testCountDisposal() {
    let xs = source()
    XCTAssertEqual(events(disposed: 215) { xs.take(2) }, [.next(210, 1)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 215)])
  }

  func testCountEndsOnceWhenElementsComeBack() {
    let subject = PublishSubject<Int>()
    let log = Recorder<Event<Int>>()
    let completions = Recorder<Int>()
    let subscription = subject.take(2).do(
      onNext: { if $0 == 1 { subject.onNext(2) } }, onCompleted: { completions.record(1) }
    )
    .subscribe { log.record($0) }
    subject.onNext(1)
    XCTAssertEqual(log.values, [.next(2), .completed])
    XCTAssertEqual(completions.values.count, 1)
    XCTAssertFalse(subject.hasObservers)
    subscription.dispose()
  }

  func testNothingComesAfterTheEndOfAnImmediateSource() {
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onNext(2)
      observer.onError(TestError.first)
      return Disposables.create()
    }
    XCTAssertEqual(immediateEvents(source.take(1).toArray().asObservable()), [.next([1]), .completed])
    XCTAssertEqual(
      immediateEvents(source.take(until: { $0 == 2 }).toArray().asObservable()), [.next([1]), .completed])
    XCTAssertEqual(immediateEvents(source.first().asObservable().toArray().asObservable()), [.next([1]), .completed])
  }

  func testDuration() {
    let xs = source()
    XCTAssertEqual(
      events { [scheduler] in xs.take(for: .seconds(25), scheduler: scheduler) },
      [.next(210, 1), .next(220, 2), .completed(225)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 225)])
  }

  func testDurationOfMoreThanItTakes() {
    let xs = source()
    XCTAssertEqual(
      events { [scheduler] in xs.take(for: .seconds(500), scheduler: scheduler) },
      [.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(300)])
  }

  func testDurationErrorAndNever() {
    let xs = hot(.error(210, error, Int.self))
    XCTAssertEqual(
      events { [scheduler] in xs.take(for: .seconds(25), scheduler: scheduler) }, [.error(210, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 210)])
  }

  func testUntilOther() {
    let xs = source()
    let other = hot(.next(225, "now"), .next(230, "again"))
    XCTAssertEqual(events { xs.take(until: other) }, [.next(210, 1), .next(220, 2), .completed(225)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 225)])
    XCTAssertEqual(other.subscriptions, [Subscription(200, 225)])
  }

  func testUntilOtherThatCompletes() {
    let xs = source()
    let other = hot(.completed(225, String.self))
    XCTAssertEqual(
      events { xs.take(until: other) },
      [.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(300)])
    XCTAssertEqual(other.subscriptions, [Subscription(200, 225)])
  }

  func testUntilOtherThatFails() {
    let xs = source()
    let other = hot(.error(225, error, String.self))
    XCTAssertEqual(events { xs.take(until: other) }, [.next(210, 1), .next(220, 2), .error(225, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 225)])
  }

  func testUntilOtherThatIsThereAtOnce() {
    let xs = source()
    XCTAssertEqual(events { xs.take(until: Observable.just(1)) }, [.completed(200)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 200)])
  }

  func testUntilOtherEndsWithTheSource() {
    let xs = hot(.next(210, 1), .error(220, error))
    let other = hot(.next(300, "now"))
    XCTAssertEqual(events { xs.take(until: other) }, [.next(210, 1), .error(220, error)])
    XCTAssertEqual(other.subscriptions, [Subscription(200, 220)])
  }

  func testUntilPredicate() {
    let xs = source()
    XCTAssertEqual(events { xs.take(until: { $0 == 3 }) }, [.next(210, 1), .next(220, 2), .completed(230)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
  }

  func testUntilPredicateInclusive() {
    let xs = source()
    XCTAssertEqual(
      events { xs.take(until: { $0 == 3 }, behavior: .inclusive) },
      [.next(210, 1), .next(220, 2), .next(230, 3), .completed(230)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
  }

  func testWhilePredicate() {
    let xs = source()
    XCTAssertEqual(events { xs.take(while: { $0 < 3 }) }, [.next(210, 1), .next(220, 2), .completed(230)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
  }

  func testWhilePredicateInclusive() {
    let xs = source()
    XCTAssertEqual(
      events { xs.take(while: { $0 < 3 }, behavior: .inclusive) },
      [.next(210, 1), .next(220, 2), .next(230, 3), .completed(230)])
  }

  func testWhilePredicateThrows() {
    let xs = source()
    XCTAssertEqual(
      events {
        xs.take(while: { element in
          if element == 2 { throw TestError.second }
          return true
        })
      }, [.next(210, 1), .error(220, TestError.second)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 220)])
  }

  func testLast() {
    let xs = source()
    XCTAssertEqual(events { xs.takeLast(2) }, [.next(300, 3), .next(300, 4), .completed(300)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
  }

  func testLastOfNoneAndOfFewer() {
    XCTAssertEqual(immediateEvents(Observable.of(1, 2).takeLast(0)), [.completed])
    XCTAssertEqual(immediateEvents(Observable.of(1, 2).takeLast(-3)), [.completed])
    XCTAssertEqual(immediateEvents(Observable.of(1, 2).takeLast(5)), [.next(1), .next(2), .completed])
    XCTAssertEqual(immediateEvents(Observable.of(1, 2, 3, 4).takeLast(3).take(1)), [.next(2), .completed])
  }

  func testLastError() {
    let xs = hot(.next(210, 1), .error(220, error))
    XCTAssertEqual(events { xs.takeLast(2) }, [.error(220, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 220)])
  }

  func testFirst() {
    let xs = source()
    XCTAssertEqual(events { xs.first().asObservable() }, [.next(210, 1), .completed(210)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 210)])
  }

  func testFirstOfNone() {
    let xs = hot(.completed(210, Int.self))
    XCTAssertEqual(events { xs.first().asObservable() }, [.next(210, nil), .completed(210)])
  }

  func testFirstError() {
    let xs = hot(.error(210, error, Int.self))
    XCTAssertEqual(events { xs.first().asObservable() }, [.error(210, error)])
  }
}
