import Rx
import RxTest
import RxTestSupport
import Testing
import XCTest

@Suite struct AccumulatingMarbleTests {
  private let sums: [Character: String] = ["x": "01", "y": "012", "z": "0123"]

  @Test(arguments: [["-1-2-3-|", "^------!", "-x-y-z-|"], ["-1-#", "^--!", "-x-#"]])
  func scanSendsEachResult(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2], values: sums) { xs, _ in xs.scan("0") { $0 + $1 } }
  }

  @Test(arguments: [["-1-2-3-|", "^------!", "-------(z|)"], ["-1-#", "^--!", "---#"]])
  func reduceSendsTheLastOne(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2], values: sums) { xs, _ in
      xs.reduce("0", accumulator: +)
    }
  }

  @Test func reduceMapsTheResult() throws {
    try expect("-1-2-3-|", "^------!", becomes: "-------(4|)") { xs, _ in
      xs.reduce("0", accumulator: { $0 + $1 }, mapResult: { "\($0.count)" })
    }
  }
}

final class AccumulatingTests: OperatorTestCase {
  private let error = TestError.first

  private func source() -> TestableObservable<Int> {
    hot(.next(150, 9), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
  }

  func testScanInto() {
    let xs = source()
    XCTAssertEqual(
      events { xs.scan(into: [0]) { $0.append($1) } },
      [.next(210, [0, 1]), .next(220, [0, 1, 2]), .next(230, [0, 1, 2, 3]), .completed(250)])
  }

  func testScanBeginsAnewForEachSubscription() {
    let source = Observable.of(1, 2).scan(0) { $0 + $1 }
    XCTAssertEqual(immediateEvents(source), [.next(1), .next(3), .completed])
    XCTAssertEqual(immediateEvents(source), [.next(1), .next(3), .completed])
  }

  func testScanThrows() {
    let xs = source()
    XCTAssertEqual(
      events {
        xs.scan(0) { sum, element in
          if element == 2 { throw TestError.second }
          return sum + element
        }
      }, [.next(210, 1), .error(220, TestError.second)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 220)])
  }

  func testReduceOfNone() {
    XCTAssertEqual(immediateEvents(Observable<Int>.empty().reduce(42, accumulator: +)), [.next(42), .completed])
    XCTAssertEqual(immediateEvents(Observable<Int>.never().reduce(42, accumulator: +)), [])
    XCTAssertEqual(immediateEvents(Observable<Int>.error(error).reduce(42, accumulator: +)), [.error(error)])
  }

  func testReduceThrows() {
    let xs = source()
    XCTAssertEqual(
      events { xs.reduce(0) { _, _ in throw TestError.second } }, [.error(210, TestError.second)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 210)])
  }

  func testReduceMapThrows() {
    let xs = source()
    XCTAssertEqual(
      events {
        xs.reduce(0, accumulator: { $0 + $1 }, mapResult: { _ -> Int in throw TestError.second })
      }, [.error(250, TestError.second)])
  }

  func testToArray() {
    let xs = source()
    XCTAssertEqual(events { xs.toArray().asObservable() }, [.next(250, [1, 2, 3]), .completed(250)])
    XCTAssertEqual(immediateEvents(Observable<Int>.empty().toArray().asObservable()), [.next([]), .completed])
  }

  func testToArrayErrorAndDisposal() {
    let xs = hot(.next(210, 1), .error(220, error))
    XCTAssertEqual(events { xs.toArray().asObservable() }, [.error(220, error)])
  }

  func testToArrayDisposal() {
    let xs = source()
    XCTAssertEqual(events(disposed: 240) { xs.toArray().asObservable() }, [])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 240)])
  }

  func testEnumerated() {
    let xs = source()
    XCTAssertEqual(
      events { xs.enumerated().map { "\($0.index)\($0.element)" } },
      [.next(210, "01"), .next(220, "12"), .next(230, "23"), .completed(250)])
    XCTAssertEqual(
      immediateEvents(Observable.of("a", "b").enumerated().map { index, element in "\(index)\(element)" }),
      [.next("0a"), .next("1b"), .completed])
  }

  func testEnumeratedError() {
    let xs = hot(.next(210, 1), .error(220, error))
    XCTAssertEqual(events { xs.enumerated().map { $0.index } }, [.next(210, 0), .error(220, error)])
  }
}
