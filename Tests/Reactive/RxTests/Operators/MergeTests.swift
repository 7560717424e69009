import Rx
import RxTest
import RxTestSupport
import XCTest

final class MergeTests: OperatorTestCase {
  private let first = TestError.first

  func testMergeOfSeveral() {
    let xs = hot(.next(210, 1), .next(230, 2), .completed(300))
    let ys = hot(.next(220, 10), .next(240, 20), .completed(350))
    let expected: [Recorded<Event<Int>>] = [
      .next(210, 1), .next(220, 10), .next(230, 2), .next(240, 20), .completed(350),
    ]
    XCTAssertEqual(events { Observable.merge(xs.asObservable(), ys.asObservable()) }, expected)
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 350)])
  }

  func testMergeOfArrayAndCollection() {
    let array = [Observable.of(1, 2), .of(10, 20)]
    let expected: [Event<Int>] = [.next(1), .next(10), .next(2), .next(20), .completed]
    XCTAssertEqual(immediateEvents(.merge(array)), expected)
    XCTAssertEqual(immediateEvents(.merge(AnyCollection(array))), expected)
    XCTAssertEqual(immediateEvents(Observable<Int>.merge([])), [.completed])
  }

  func testMergeErrorAndDisposal() {
    let xs = hot(.next(210, 1), .error(230, first))
    let ys = hot(.next(220, 10), .next(240, 20))
    XCTAssertEqual(
      events { Observable.merge(xs.asObservable(), ys.asObservable()) },
      [.next(210, 1), .next(220, 10), .error(230, first)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 230)])
  }

  func testMergeDisposal() {
    let xs = hot(.next(210, 1))
    let ys = hot(.next(220, 10), .next(240, 20))
    XCTAssertEqual(
      events(disposed: 230) { Observable.merge([xs.asObservable(), ys.asObservable()]) },
      [.next(210, 1), .next(220, 10)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 230)])
  }

  func testMergeOfSequencesOfSequences() {
    let ys = cold(.next(10, 1), .next(100, 2), .completed(150))
    let zs = cold(.next(10, 3), .completed(20))
    let xs = hot(.next(300, ys.asObservable()), .next(350, zs.asObservable()), .completed(360))
    XCTAssertEqual(events { xs.merge() }, [.next(310, 1), .next(360, 3), .next(400, 2), .completed(450)])
    XCTAssertEqual(ys.subscriptions, [Subscription(300, 450)])
    XCTAssertEqual(zs.subscriptions, [Subscription(350, 370)])
  }

  func testMaxConcurrent() {
    let sources = [
      cold(.next(50, 1), .completed(100)), cold(.next(20, 2), .completed(40)), cold(.next(30, 3), .completed(60)),
      cold(.next(10, 4), .completed(20)),
    ]
    let xs = hot(
      .next(210, sources[0].asObservable()), .next(220, sources[1].asObservable()),
      .next(230, sources[2].asObservable()), .next(240, sources[3].asObservable()), .completed(400))
    XCTAssertEqual(
      events { xs.merge(maxConcurrent: 2) },
      [.next(240, 2), .next(260, 1), .next(290, 3), .next(320, 4), .completed(400)])
    XCTAssertEqual(
      sources.map(\.subscriptions),
      [[Subscription(210, 310)], [Subscription(220, 260)], [Subscription(260, 320)], [Subscription(310, 330)]])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 400)])
  }

  func testMaxConcurrentErrorWhileOthersWait() {
    let waiting = cold(.next(10, 2))
    let xs = hot(.next(210, cold(.error(50, first)).asObservable()), .next(220, waiting.asObservable()))
    XCTAssertEqual(events { xs.merge(maxConcurrent: 1) }, [Recorded<Event<Int>>.error(260, first)])
    XCTAssertEqual(waiting.subscriptions, [])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 260)])
  }

  func testMaxConcurrentOfNone() {
    let inner = cold(.next(10, 1))
    let xs = hot(.next(210, inner.asObservable()), .completed(300))
    XCTAssertEqual(events { xs.merge(maxConcurrent: 0) }, [.completed(300)])
    XCTAssertEqual(inner.subscriptions, [])
  }

  func testConcatOfSequencesOfSequences() {
    let ys = cold(.next(10, 1), .completed(100))
    let zs = cold(.next(10, 2), .completed(20))
    let xs = hot(.next(210, ys.asObservable()), .next(220, zs.asObservable()), .completed(230))
    XCTAssertEqual(events { xs.concat() }, [.next(220, 1), .next(320, 2), .completed(330)])
    XCTAssertEqual(zs.subscriptions, [Subscription(310, 330)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
  }

  func testStartWith() {
    let xs = hot(.next(220, 3), .completed(250))
    XCTAssertEqual(
      events { xs.startWith(1, 2).startWith(0) },
      [.next(200, 0), .next(200, 1), .next(200, 2), .next(220, 3), .completed(250)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 250)])
    XCTAssertEqual(immediateEvents(Observable.just(2).startWith(1).take(1)), [.next(1), .completed])
  }
}
