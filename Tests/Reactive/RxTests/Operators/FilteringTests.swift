import Rx
import RxTest
import RxTestSupport
import XCTest

final class FilteringTests: OperatorTestCase {
  private struct Place: Equatable, Sendable {
    let name: String
    let size: Int
  }

  private let error = TestError.first

  func testDistinctUntilChanged() {
    let xs = hot(.next(210, 1), .next(220, 1), .next(230, 2), .next(240, 1), .next(250, 1), .completed(300))
    XCTAssertEqual(
      events { xs.distinctUntilChanged() }, [.next(210, 1), .next(230, 2), .next(240, 1), .completed(300)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
  }

  func testDistinctUntilChangedForms() {
    let places = [Place(name: "a", size: 1), Place(name: "b", size: 1), Place(name: "b", size: 2)]
    let source = Observable.from(places)
    let byName: [Event<Place>] = [.next(places[0]), .next(places[1]), .completed]
    XCTAssertEqual(immediateEvents(source.distinctUntilChanged { $0.name }), byName)
    XCTAssertEqual(immediateEvents(source.distinctUntilChanged(at: \.name)), byName)
    XCTAssertEqual(immediateEvents(source.distinctUntilChanged { $0.name == $1.name }), byName)
    XCTAssertEqual(
      immediateEvents(source.distinctUntilChanged({ $0.size }, comparer: { $0 == $1 })),
      [.next(places[0]), .next(places[2]), .completed])
  }

  func testDistinctUntilChangedOfOptionals() {
    XCTAssertEqual(
      immediateEvents(Observable<Int?>.of(nil, nil, 1, nil).distinctUntilChanged()),
      [.next(nil), .next(1), .next(nil), .completed])
  }

  func testDistinctUntilChangedComparesWithTheLastThatPassed() {
    XCTAssertEqual(
      immediateEvents(Observable.of(1, 2, 3, 4).distinctUntilChanged { abs($0 - $1) < 2 }),
      [.next(1), .next(3), .completed])
  }

  func testDistinctUntilChangedThrows() {
    let xs = hot(.next(210, 1), .next(220, 2))
    XCTAssertEqual(
      events { xs.distinctUntilChanged { (_: Int, _: Int) -> Bool in throw TestError.second } },
      [.next(210, 1), .error(220, TestError.second)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 220)])
  }

  func testDistinctUntilChangedKeyThrows() {
    let xs = hot(.next(210, 1), .next(220, 2))
    XCTAssertEqual(
      events { xs.distinctUntilChanged { (_: Int) -> Int in throw TestError.second } },
      [.error(210, TestError.second)])
  }

  func testDistinctUntilChangedError() {
    let xs = hot(.next(210, 1), .error(220, error))
    XCTAssertEqual(events { xs.distinctUntilChanged() }, [.next(210, 1), .error(220, error)])
  }

  func testIfEmptyDefault() {
    XCTAssertEqual(immediateEvents(Observable.empty().ifEmpty(default: 1)), [.next(1), .completed])
    XCTAssertEqual(immediateEvents(Observable.just(2).ifEmpty(default: 1)), [.next(2), .completed])
    XCTAssertEqual(immediateEvents(Observable.error(error).ifEmpty(default: 1)), [.error(error)])
    XCTAssertEqual(immediateEvents(Observable.never().ifEmpty(default: 1)), [])
  }

  func testIfEmptySwitches() {
    let xs = hot(.completed(210, Int.self))
    let ys = cold(.next(10, 1), .completed(50))
    XCTAssertEqual(events { xs.ifEmpty(switchTo: ys.asObservable()) }, [.next(220, 1), .completed(260)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 210)])
    XCTAssertEqual(ys.subscriptions, [Subscription(210, 260)])
  }

  func testIfEmptyDoesNotSwitch() {
    let xs = hot(.next(205, 0), .completed(210))
    let ys = cold(.next(10, 1), .completed(50))
    XCTAssertEqual(events { xs.ifEmpty(switchTo: ys.asObservable()) }, [.next(205, 0), .completed(210)])
    XCTAssertEqual(ys.subscriptions, [])
  }

  func testIfEmptyDisposal() {
    let xs = hot(.completed(210, Int.self))
    let ys = cold(.next(10, 1), .error(50, error))
    XCTAssertEqual(events(disposed: 240) { xs.ifEmpty(switchTo: ys.asObservable()) }, [.next(220, 1)])
    XCTAssertEqual(ys.subscriptions, [Subscription(210, 240)])
  }
}
