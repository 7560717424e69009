import Rx
import RxBinding
import RxTestSupport
import XCTest

// `@unchecked Sendable`: XCTest calls it on the main thread only.
final class SharedSequenceCombinationTests: SharedSequenceTestCase, @unchecked Sendable {
  private func results<Result: Equatable & Sendable>(
    line: UInt = #line, _ combine: (Driver<Int>, Driver<Int>) -> Driver<Result>
  ) -> [Result] {
    let first = CountedSource<Int>()
    let second = CountedSource<Int>()
    let driver = combine(first.asDriver(onErrorJustReturn: -1), second.asDriver(onErrorJustReturn: -2))
    let results = elements(of: driver, line: line) {
      first.send(1)
      second.send(4)
      first.send(2)
      second.send(5)
      first.fail()
      second.fail()
    }
    XCTAssertEqual([first.subscriptionCount, second.subscriptionCount], [1, 1], line: line)
    XCTAssertEqual([first.subscriberCount, second.subscriberCount], [0, 0], line: line)
    return results
  }

  func testCombineLatest() {
    XCTAssertEqual(results { Driver.combineLatest($0, $1, resultSelector: +) }, [5, 6, 7, 4, -3])
    XCTAssertEqual(results { Driver.combineLatest($0, $1).map(+) }, [5, 6, 7, 4, -3])
    XCTAssertEqual(results { Driver.combineLatest([$0, $1]) { $0.reduce(0, +) } }, [5, 6, 7, 4, -3])
    XCTAssertEqual(results { Driver.combineLatest([$0, $1]).map { $0.reduce(0, +) } }, [5, 6, 7, 4, -3])
  }

  func testZip() {
    XCTAssertEqual(results { Driver.zip($0, $1, resultSelector: +) }, [5, 7, -3])
    XCTAssertEqual(results { Driver.zip($0, $1).map(+) }, [5, 7, -3])
    XCTAssertEqual(results { Driver.zip([$0, $1]) { $0.reduce(0, +) } }, [5, 7, -3])
    XCTAssertEqual(results { Driver.zip([$0, $1]).map { $0.reduce(0, +) } }, [5, 7, -3])
  }

  @MainActor private func first<Element: Sendable>(_ driver: Driver<Element>) -> Element? {
    let received = Recorder<Element>()
    _ = driver.drive(onNext: { received.record($0) })
    return received.values.count == 1 ? received.values[0] : nil
  }

  func testZipOfThreeToEight() {
    onMain {
      let d = (1...8).map { Driver.just($0) }
      XCTAssertEqual(first(Driver.zip(d[0], d[1], d[2]) { [$0, $1, $2] }), [1, 2, 3])
      XCTAssertEqual(first(Driver.zip(d[0], d[1], d[2], d[3]) { [$0, $1, $2, $3] }), [1, 2, 3, 4])
      XCTAssertEqual(first(Driver.zip(d[0], d[1], d[2], d[3], d[4]) { [$0, $1, $2, $3, $4] }), [1, 2, 3, 4, 5])
      XCTAssertEqual(
        first(Driver.zip(d[0], d[1], d[2], d[3], d[4], d[5]) { [$0, $1, $2, $3, $4, $5] }), [1, 2, 3, 4, 5, 6])
      XCTAssertEqual(
        first(Driver.zip(d[0], d[1], d[2], d[3], d[4], d[5], d[6]) { [$0, $1, $2, $3, $4, $5, $6] }),
        [1, 2, 3, 4, 5, 6, 7])
      XCTAssertEqual(
        first(Driver.zip(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]) { [$0, $1, $2, $3, $4, $5, $6, $7] }),
        [1, 2, 3, 4, 5, 6, 7, 8])
    }
  }

  func testCombineLatestOfThreeToEight() {
    onMain {
      let d = (1...8).map { Driver.just($0) }
      XCTAssertEqual(first(Driver.combineLatest(d[0], d[1], d[2]) { [$0, $1, $2] }), [1, 2, 3])
      XCTAssertEqual(first(Driver.combineLatest(d[0], d[1], d[2], d[3]) { [$0, $1, $2, $3] }), [1, 2, 3, 4])
      XCTAssertEqual(
        first(Driver.combineLatest(d[0], d[1], d[2], d[3], d[4]) { [$0, $1, $2, $3, $4] }), [1, 2, 3, 4, 5])
      XCTAssertEqual(
        first(Driver.combineLatest(d[0], d[1], d[2], d[3], d[4], d[5]) { [$0, $1, $2, $3, $4, $5] }),
        [1, 2, 3, 4, 5, 6])
      XCTAssertEqual(
        first(Driver.combineLatest(d[0], d[1], d[2], d[3], d[4], d[5], d[6]) { [$0, $1, $2, $3, $4, $5, $6] }),
        [1, 2, 3, 4, 5, 6, 7])
      XCTAssertEqual(
        first(
          Driver.combineLatest(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]) { [$0, $1, $2, $3, $4, $5, $6, $7] }),
        [1, 2, 3, 4, 5, 6, 7, 8])
    }
  }

  func testTuplesOfDifferentTypes() throws {
    try onMain {
      let number = Driver.just(1)
      let text = Driver.just("a")
      let flag = Driver.just(true)
      let real = Driver.just(2.5)

      let zipped = try XCTUnwrap(first(Driver.zip(number, text, flag, real)))
      XCTAssertEqual("\(zipped)", #"(1, "a", true, 2.5)"#)
      let latest = try XCTUnwrap(first(Driver.combineLatest(number, text, flag)))
      XCTAssertEqual("\(latest)", #"(1, "a", true)"#)
      XCTAssertNotNil(first(Driver.zip(number, text, flag, real, number, text, flag, real)))
      XCTAssertNotNil(first(Driver.combineLatest(number, text, flag, real, number, text, flag, real)))
    }
  }

  func testNoSequencesAtAll() {
    onMain {
      XCTAssertEqual(events(Driver.combineLatest([Driver<Int>]())), [.next([]), .completed])
      XCTAssertEqual(events(Driver.combineLatest([Driver<Int>]()) { $0.count }), [.next(0), .completed])
      XCTAssertEqual(events(Driver.zip([Driver<Int>]())), [.completed])
    }
  }

  @MainActor private func events<Element: Sendable>(_ driver: Driver<Element>) -> [Event<Element>] {
    let events = Recorder<Event<Element>>()
    _ = driver.drive(AnyObserver { events.record($0) })
    return events.values
  }
}
