import Rx
import RxTest
import RxTestSupport
import Testing

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

@Suite(.leavesNoResources) struct AccumulatingTests: VirtualTimeSuite {
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

  @Test func whatScanThrowsEndsIt() {
    let xs = source()
    #expect(
      events {
        xs.scan(0) { sum, element in
          if element == 2 { throw TestError.second }
          return sum + element
        }
      } == [.next(210, 1), .error(220, TestError.second)])
    #expect(xs.subscriptions == [Subscription(200, 220)])
  }

  @Test func reduceOfNothingSendsTheSeed() {
    #expect(immediateEvents(Observable<Int>.empty().reduce(42, accumulator: +)) == [.next(42), .completed])
    #expect(immediateEvents(Observable<Int>.never().reduce(42, accumulator: +)) == [])
    #expect(immediateEvents(Observable<Int>.error(error).reduce(42, accumulator: +)) == [.error(error)])
  }

  @Test func whatReduceThrowsEndsIt() {
    let xs = source()
    #expect(events { xs.reduce(0) { _, _ in throw TestError.second } } == [.error(210, TestError.second)])
    #expect(xs.subscriptions == [Subscription(200, 210)])
  }

  @Test func whatTheMappingOfReduceThrowsEndsIt() {
    let xs = source()
    #expect(
      events {
        xs.reduce(0, accumulator: { $0 + $1 }, mapResult: { _ -> Int in throw TestError.second })
      } == [.error(250, TestError.second)])
  }

  @Test func toArraySendsAllElementsAtTheEnd() {
    let xs = source()
    #expect(events { xs.toArray().asObservable() } == [.next(250, [1, 2, 3]), .completed(250)])
    #expect(immediateEvents(Observable<Int>.empty().toArray().asObservable()) == [.next([]), .completed])
  }

  @Test func toArraySendsOnlyTheError() {
    let xs = hot(.next(210, 1), .error(220, error))
    #expect(events { xs.toArray().asObservable() } == [.error(220, error)])
  }

  @Test func disposalEndsToArray() {
    let xs = source()
    #expect(events(disposed: 240) { xs.toArray().asObservable() } == [])
    #expect(xs.subscriptions == [Subscription(200, 240)])
  }

  @Test func enumeratedCountsFromZero() {
    let xs = source()
    #expect(
      events { xs.enumerated().map { "\($0.index)\($0.element)" } } == [
        .next(210, "01"), .next(220, "12"), .next(230, "23"), .completed(250),
      ])
    #expect(
      immediateEvents(Observable.of("a", "b").enumerated().map { index, element in "\(index)\(element)" }) == [
        .next("0a"), .next("1b"), .completed,
      ])
  }

  @Test func enumeratedPassesTheErrorOn() {
    let xs = hot(.next(210, 1), .error(220, error))
    #expect(events { xs.enumerated().map { $0.index } } == [.next(210, 0), .error(220, error)])
  }
}
