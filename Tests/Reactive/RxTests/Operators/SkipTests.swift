import Rx
import RxTest
import RxTestSupport
import XCTest

final class SkipTests: OperatorTestCase {
  private let error = TestError.first

  private func source() -> TestableObservable<Int> {
    hot(.next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 1), .completed(300))
  }

  func testCount() {
    let xs = source()
    XCTAssertEqual(events { xs.skip(2) }, [.next(230, 3), .next(240, 1), .completed(300)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
  }

  func testCountOfNoneAndOfAll() {
    XCTAssertEqual(immediateEvents(Observable.of(1, 2).skip(0)), [.next(1), .next(2), .completed])
    XCTAssertEqual(immediateEvents(Observable.of(1, 2).skip(-1)), [.next(1), .next(2), .completed])
    XCTAssertEqual(immediateEvents(Observable.of(1, 2).skip(9)), [.completed])
  }

  func testCountError() {
    let xs = hot(.next(210, 1), .error(220, error))
    XCTAssertEqual(events { xs.skip(1) }, [.error(220, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 220)])
  }

  func testDuration() {
    let xs = source()
    XCTAssertEqual(
      events { [scheduler] in xs.skip(.seconds(25), scheduler: scheduler) },
      [.next(230, 3), .next(240, 1), .completed(300)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
  }

  func testDurationOfMoreThanItTakes() {
    let xs = source()
    XCTAssertEqual(
      events { [scheduler] in xs.skip(.seconds(500), scheduler: scheduler) }, [.completed(300)])
  }

  func testDurationError() {
    let xs = hot(.next(210, 1), .error(220, error))
    XCTAssertEqual(
      events { [scheduler] in xs.skip(.seconds(500), scheduler: scheduler) }, [.error(220, error)])
  }

  func testUntilOther() {
    let xs = source()
    let other = hot(.next(225, "now"), .next(235, "again"), .error(238, error))
    XCTAssertEqual(events { xs.skip(until: other) }, [.next(230, 3), .next(240, 1), .completed(300)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
    XCTAssertEqual(other.subscriptions, [Subscription(200, 225)])
  }

  func testUntilOtherThatIsThereAtOnce() {
    let xs = source()
    XCTAssertEqual(
      events { xs.skip(until: Observable.just(0)) },
      [.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 1), .completed(300)])
  }

  func testUntilOtherThatFails() {
    let xs = source()
    let other = hot(.error(225, error, String.self))
    XCTAssertEqual(events { xs.skip(until: other) }, [.error(225, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 225)])
  }

  func testUntilOtherThatCompletes() {
    let xs = source()
    let other = hot(.completed(225, String.self))
    XCTAssertEqual(events { xs.skip(until: other) }, [])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
    XCTAssertEqual(other.subscriptions, [Subscription(200, 225)])
  }

  func testUntilOtherThatIsTooLate() {
    let xs = source()
    let other = hot(.next(350, "late"))
    XCTAssertEqual(events { xs.skip(until: other) }, [])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
    XCTAssertEqual(other.subscriptions, [Subscription(200, 300)])
  }

  func testUntilOtherThatIsTooLateLeavesNothingBehind() {
    // Nobody disposes these subscriptions; that nothing is leaked is checked after the test.
    _ = Observable.just(1).skip(until: Observable.just(1).delay(.seconds(20), scheduler: scheduler)).subscribe()
    _ = hot(.next(210, 1), .completed(220)).skip(until: hot(.next(300, 1))).subscribe()
    scheduler.start()
  }

  func testUntilOtherDisposal() {
    let xs = source()
    let other = hot(.next(215, "now"))
    XCTAssertEqual(events(disposed: 225) { xs.skip(until: other) }, [.next(220, 2)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 225)])
    XCTAssertEqual(other.subscriptions, [Subscription(200, 215)])
  }

  func testUntilOtherSourceError() {
    let xs = hot(.next(210, 1), .error(220, error))
    let other = hot(.next(350, "late"))
    XCTAssertEqual(events { xs.skip(until: other) }, [.error(220, error)])
    XCTAssertEqual(other.subscriptions, [Subscription(200, 220)])
  }

  func testWhile() {
    let xs = source()
    XCTAssertEqual(events { xs.skip(while: { $0 < 3 }) }, [.next(230, 3), .next(240, 1), .completed(300)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
  }

  func testWhileAsksNoMoreAfterTheFirst() {
    let asked = Recorder<Int>()
    _ = immediateEvents(
      Observable.of(1, 5, 2).skip(while: {
        asked.record($0)
        return $0 < 3
      }))
    XCTAssertEqual(asked.values, [1, 5])
  }

  func testWhileThrows() {
    let xs = source()
    XCTAssertEqual(
      events { xs.skip(while: { _ in throw TestError.second }) }, [.error(210, TestError.second)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 210)])
  }
}
