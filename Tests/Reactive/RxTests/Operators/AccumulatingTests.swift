import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct AccumulatingMarbleTests {
  private let sums: [Character: String] = ["x": "01", "y": "012", "z": "0123"]

  @Test func scanSendsEachResult() throws {
    try expect("-1-2-3-|", "^------!", becomes: "-x-y-z-|", values: sums) { xs, _ in xs.scan("0") { $0 + $1 } }
    try expect("-1-#", "^--!", becomes: "-x-#", values: sums) { xs, _ in xs.scan("0") { $0 + $1 } }
  }

  @Test func reduceSendsTheLastOne() throws {
    try expect("-1-2-3-|", "^------!", becomes: "-------(z|)", values: sums) { xs, _ in xs.reduce("0", accumulator: +) }
    try expect("-1-#", "^--!", becomes: "---#") { xs, _ in xs.reduce("0", accumulator: +) }
  }

  @Test func reduceMapsTheResult() throws {
    try expect("-1-2-3-|", "^------!", becomes: "-------(4|)") { xs, _ in
      xs.reduce("0", accumulator: { $0 + $1 }, mapResult: { "\($0.count)" })
    }
  }
}

@Suite(.leavesNoResources, .inTurn) struct AccumulatingTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  private let error = TestError.first

  private func source() -> TestableObservable<Int> {
    hot(.next(150, 9), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
  }

  @Test func scanIntoSendsEachState() {
    let xs = source()
    #expect(
      events { xs.scan(into: [0]) { $0.append($1) } } == [
        .next(210, [0, 1]), .next(220, [0, 1, 2]), .next(230, [0, 1, 2, 3]), .completed(250),
      ])
  }

  @Test func scanBeginsAnewForEachSubscription() {
    let source = Observable.of(1, 2).scan(0) { $0 + $1 }
    #expect(immediateEvents(source) == [.next(1), .next(3), .completed])
    #expect(immediateEvents(source) == [.next(1), .next(3), .completed])
  }

  @Test func reduceOfNothingSendsTheSeed() {
    #expect(immediateEvents(Observable<Int>.empty().reduce(42, accumulator: +)) == [.next(42), .completed])
    #expect(immediateEvents(Observable<Int>.never().reduce(42, accumulator: +)) == [])
    #expect(immediateEvents(Observable<Int>.error(error).reduce(42, accumulator: +)) == [.error(error)])
  }

  @Test func whatTheMappingOfReduceThrowsEndsIt() {
    let reduced = source().reduce(0, accumulator: { $0 + $1 }, mapResult: { _ -> Int in throw TestError.second })
    #expect(events { reduced } == [.error(250, TestError.second)])
  }

  @Test func toArraySendsAllElementsAtTheEnd() {
    let xs = source()
    #expect(events { xs.toArray().asObservable() } == [.next(250, [1, 2, 3]), .completed(250)])
    #expect(immediateEvents(Observable<Int>.empty().toArray().asObservable()) == [.next([]), .completed])
  }

  @Test func enumeratedCountsFromZero() {
    let xs = source()
    #expect(
      events { xs.enumerated().map { "\($0.index)\($0.element)" } } == [
        .next(210, "01"), .next(220, "12"), .next(230, "23"), .completed(250),
      ])
  }
}
