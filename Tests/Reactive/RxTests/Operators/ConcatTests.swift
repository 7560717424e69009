import Rx
import RxTest
import RxTestSupport
import Testing
import XCTest

@Suite struct ConcatMarbleTests {
  @Test(arguments: [
    // The second when the first has completed; not at all when that has failed.
    ["-a-|", "^--!", "--b-c|", "---^-!", "-a--c|"],
    ["-a-#", "^--!", "----b", "", "-a-#"],
  ])
  func theSecondFollowsTheFirst(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], diagrams[2], diagrams[3], becomes: diagrams[4]) { $0.concat($1) }
  }

  @Test func disposalEndsTheSecond() throws {
    try expect("---|", "^--!", "----b-c", "---^-!", becomes: "----b", disposed: 5) { $0.concat($1) }
  }
}

final class ConcatTests: OperatorTestCase {
  func testOneAfterTheOther() {
    let xs = cold(.next(10, 1), .next(20, 2), .completed(40))
    let ys = cold(.next(10, 3), .completed(30))
    XCTAssertEqual(
      events { Observable.concat([xs.asObservable(), ys.asObservable(), xs.asObservable()]) },
      [.next(210, 1), .next(220, 2), .next(250, 3), .next(280, 1), .next(290, 2), .completed(310)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 240), Subscription(270, 310)])
    XCTAssertEqual(ys.subscriptions, [Subscription(240, 270)])
  }

  func testSecondMayBeASingle() {
    XCTAssertEqual(
      immediateEvents(Observable.just(1).concat(Single.just(2))), [.next(1), .next(2), .completed])
  }

  func testOfNone() {
    XCTAssertEqual(immediateEvents(Observable<Int>.concat([])), [.completed])
    XCTAssertEqual(immediateEvents(Observable<Int>.concat(EmptyCollection())), [.completed])
  }

  func testSequenceIsAskedOnlyWhenNeeded() {
    let asked = Recorder<Int>()
    let subscription = Observable.concat(
      MadeSequence(0...) { n in
        asked.record(n)
        return n == 2 ? Observable<Int>.never() : .just(n)
      }
    ).subscribe()
    XCTAssertEqual(asked.values, [0, 1, 2])
    subscription.dispose()
  }

  func testManyImmediateSequencesTakeNoStack() {
    let log = Recorder<Int>()
    let sources = (0..<200_000).map { n in n % 1000 == 0 ? Observable.just(n) : .empty() }
    Observable.concat(sources).subscribe(onNext: { log.record($0) }).dispose()
    XCTAssertEqual(log.values, Array(stride(from: 0, to: 200_000, by: 1000)))
  }

  func testEndlessTailRecursionTakesNoStack() {
    @Sendable func count(from start: Int) -> Observable<Int> {
      .concat(
        MadeCollection { $0 == 0 ? .just(start, scheduler: CurrentThreadScheduler.instance) : count(from: start + 1) })
    }
    XCTAssertEqual(nesting { XCTAssertEqual(first(20_000, of: count(from: 0)), Array(0..<20_000)) } ?? 1, 1)
  }

  func testEndlessTailRecursionOfUnknownLengthTakesNoStack() {
    @Sendable func count(from start: Int) -> Observable<Int> {
      .concat(
        MadeSequence(0..<2) {
          $0 == 0 ? .just(start, scheduler: CurrentThreadScheduler.instance) : count(from: start + 1)
        })
    }
    XCTAssertGreaterThan(
      nesting { XCTAssertEqual(first(20_000, of: count(from: 0)), Array(0..<20_000)) } ?? .max, 1_000)
  }

  private func first(_ count: Int, of source: Observable<Int>) -> [Int] {
    let log = Recorder<Int>()
    source.take(count).subscribe(onNext: { log.record($0) }).dispose()
    return log.values
  }

  /// How deep sequences waited inside each other during `body`; `nil` in builds that do not count.
  private func nesting(_ body: () -> Void) -> Int? {
    #if TRACE_RESOURCES
      maxTailRecursiveSinkStackSize = 0
      body()
      return maxTailRecursiveSinkStackSize
    #else
      body()
      return nil
    #endif
  }
}

/// Makes its elements when they are asked for.
private struct MadeSequence<Base: Sequence & Sendable, Element: Sendable>: Sequence, Sendable {
  let base: Base
  let make: @Sendable (Base.Element) -> Element

  init(_ base: Base, _ make: @escaping @Sendable (Base.Element) -> Element) {
    self.base = base
    self.make = make
  }

  func makeIterator() -> AnyIterator<Element> {
    var iterator = base.makeIterator()
    return AnyIterator { iterator.next().map(make) }
  }
}

/// Two sequences that are made when they are asked for.
private struct MadeCollection: Collection, Sendable {
  let make: @Sendable (Int) -> Observable<Int>

  var startIndex: Int { 0 }
  var endIndex: Int { 2 }

  func index(after index: Int) -> Int { index + 1 }

  subscript(index: Int) -> Observable<Int> { make(index) }
}
