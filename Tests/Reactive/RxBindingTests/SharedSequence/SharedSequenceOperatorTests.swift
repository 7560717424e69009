import Rx
import RxBinding
import RxTestSupport
import XCTest

final class SharedSequenceOperatorTests: SharedSequenceTestCase {
  /// What `transform` makes of a driver that sends `sent` and then fails, to be -1.
  private func results<Strategy: SharingStrategyProtocol, Result: Equatable & Sendable>(
    sending sent: [Int] = [1, 2], line: UInt = #line,
    _ transform: (Driver<Int>) -> SharedSequence<Strategy, Result>
  ) -> [Result] {
    let source = CountedSource<Int>()
    let results = elements(of: transform(source.asDriver(onErrorJustReturn: -1)), line: line) {
      for element in sent { source.send(element) }
      source.fail()
    }
    XCTAssertEqual(source.subscriptionCount, 1, "not shared", line: line)
    XCTAssertEqual(source.subscriberCount, 0, "not disposed", line: line)
    return results
  }

  func testMap() {
    XCTAssertEqual(results { $0.map { $0 + 1 } }, [2, 3, 0])
  }

  func testCompactMap() {
    XCTAssertEqual(results { $0.compactMap { $0 > 1 ? "\($0)" : nil } }, ["2"])
  }

  func testFilter() {
    XCTAssertEqual(results { $0.filter { $0 % 2 == 0 } }, [2])
  }

  func testFlatMap() {
    XCTAssertEqual(results { $0.flatMap { Signal.just($0 * 10) } }, [10, 20, -10])
  }

  func testFlatMapLatest() {
    XCTAssertEqual(results { $0.flatMapLatest { Signal.just($0 + 1) } }, [2, 3, 0])
  }

  func testFlatMapFirst() {
    let results: [Int] = results(sending: [1, 2, 3]) { driver in
      driver.flatMapFirst { Signal.just($0) }
    }
    XCTAssertEqual(results, [1, 2, 3, -1])
  }

  func testSwitchLatest() {
    XCTAssertEqual(results { $0.map { Signal.just($0 + 1) }.switchLatest() }, [2, 3, 0])
  }

  func testDo() {
    let log = Recorder<String>()
    let results = results { driver in
      driver.do(
        onNext: { log.record("next \($0)") }, afterNext: { log.record("after \($0)") },
        onCompleted: { log.record("completed") }, afterCompleted: { log.record("after") },
        onSubscribe: { log.record("subscribe") }, onSubscribed: { log.record("subscribed") },
        onDispose: { log.record("dispose") })
    }
    XCTAssertEqual(results, [1, 2, -1])
    XCTAssertEqual(
      log.values.filter { $0 != "dispose" },
      [
        "subscribe", "subscribed", "next 1", "after 1", "next 2", "after 2", "next -1", "after -1", "completed",
        "after",
      ])
    XCTAssertEqual(log.values.count { $0 == "dispose" }, 1)
  }

  func testDebug() {
    XCTAssertEqual(results(sending: [1]) { $0.debug("driver", trimOutput: true) }, [1, -1])
  }

  func testDistinctUntilChanged() {
    let sent = [1, 2, 2, 1]
    XCTAssertEqual(results(sending: sent) { $0.distinctUntilChanged() }, [1, 2, 1, -1])
    XCTAssertEqual(results(sending: sent) { $0.distinctUntilChanged { $0 > 0 } }, [1, -1])
    XCTAssertEqual(results(sending: sent) { $0.distinctUntilChanged { $0 == $1 } }, [1, 2, 1, -1])
    XCTAssertEqual(
      results(sending: sent) { $0.distinctUntilChanged({ $0 * 2 }, comparer: { $0 == $1 }) }, [1, 2, 1, -1])
  }

  func testMerge() {
    XCTAssertEqual(results { Driver.merge($0) }, [1, 2, -1])
    XCTAssertEqual(results { Driver.merge([$0]) }, [1, 2, -1])
    XCTAssertEqual(results { Driver.merge(CollectionOfOne($0)) }, [1, 2, -1])
    XCTAssertEqual(results { $0.map { Signal.just($0) }.merge() }, [1, 2, -1])
    XCTAssertEqual(results { $0.map { Signal.just($0) }.merge(maxConcurrent: 1) }, [1, 2, -1])
    XCTAssertEqual(results { Driver.merge($0, .of(5, 6)) }, [5, 6, 1, 2, -1])
  }

  func testScan() {
    XCTAssertEqual(results { $0.scan(0, accumulator: +) }, [1, 3, 2])
  }

  func testConcat() {
    XCTAssertEqual(results { Driver.concat([$0, .just(9)]) }, [1, 2, -1, 9])
    XCTAssertEqual(results { Driver.concat(Sequence(first: $0, second: .just(9))) }, [1, 2, -1, 9])
  }

  private struct Sequence: Swift.Sequence, Sendable {
    let first: Driver<Int>
    let second: Driver<Int>

    func makeIterator() -> some IteratorProtocol<Driver<Int>> {
      [first, second].makeIterator()
    }
  }

  func testSkip() {
    XCTAssertEqual(results { $0.skip(1) }, [2, -1])
  }

  func testStartWith() {
    XCTAssertEqual(results { $0.startWith(0) }, [0, 1, 2, -1])
  }

  func testWithLatestFrom() {
    XCTAssertEqual(results { $0.withLatestFrom(Driver.of(7, 8)) { "\($0) \($1)" } }, ["1 8", "2 8", "-1 8"])
    XCTAssertEqual(results { $0.withLatestFrom(Signal.of(7, 8)) }, [8, 8, 8])
  }

  func testDeferred() {
    XCTAssertEqual(results { driver in Driver.deferred { driver } }, [1, 2, -1])
  }
}
