import Rx
import RxTest
import RxTestSupport
import Testing

/// What becomes of three sequences that overlap, and when each is subscribed to.
@Suite(.inTurn) struct FlatMapMarbleTests {
  private let outer = "-a---b-----c-----|"
  private let inner = ["a": "-1---2------3-|", "b": "--4-5--|", "c": "-6-|"]

  private func expect(
    becomes result: String, _ subscriptions: [String: String], at location: Testing.SourceLocation = #_sourceLocation,
    apply:
      @escaping (
        Observable<String>, @escaping @Sendable (String) throws -> Observable<String>
      ) -> Observable<String>
  ) throws {
    var sources: [String: TestableObservable<String>] = [:]
    try RxTests.expect(outer, "^----------------!", becomes: result, at: location) { outer, scheduler in
      let made = inner.mapValues { try? scheduler.createColdObservable($0, tick: 10) }.compactMapValues { $0 }
      sources = made
      return apply(outer.asObservable()) { try #require(made[$0]).asObservable() }
    }
    for (name, diagram) in subscriptions {
      let expected = diagram.isEmpty ? [] : [try Subscription(marbles: diagram, tick: 10)]
      #expect(sources[name]?.subscriptions == expected, "\(name)", sourceLocation: location)
    }
  }

  @Test func flatMapMergesAsElementsCome() throws {
    try expect(
      becomes: "--1---24-5--63---|",
      ["a": "-^-------------!", "b": "-----^------!", "c": "-----------^--!"]
    ) { $0.flatMap($1) }
  }

  @Test func flatMapLatestLeavesTheEarlierOnes() throws {
    try expect(
      becomes: "--1----4-5--6----|",
      ["a": "-^---!", "b": "-----^-----!", "c": "-----------^--!"]
    ) { $0.flatMapLatest($1) }
  }

  @Test func flatMapFirstIgnoresWhileOneGoesOn() throws {
    try expect(becomes: "--1---2------3---|", ["a": "-^-------------!", "b": "", "c": ""]) { $0.flatMapFirst($1) }
  }

  @Test func concatMapGoesOneByOne() throws {
    try expect(
      becomes: "--1---2------3---4-5---6-|",
      ["a": "-^-------------!", "b": "---------------^------!", "c": "----------------------^--!"]
    ) { $0.concatMap($1) }
  }
}

@Suite(.leavesNoResources, .inTurn) struct FlatMapTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func switchLatestCompletesWithTheLatest() {
    let xs = hot(
      .next(250, cold(.next(10, 1), .error(100, TestError.first))),
      .next(300, cold(.next(10, 2), .next(300, 3), .completed(400))),
      .completed(400))
    #expect(
      events { xs.map { $0.asObservable() }.switchLatest() } == [
        .next(260, 1), .next(310, 2), .next(600, 3), .completed(700),
      ])
    #expect(xs.subscriptions == [Subscription(200, 400)])
  }

  @Test(arguments: Operation.allCases) fileprivate func innerErrorEndsAll(_ operation: Operation) {
    let first = cold(.next(10, 1), .error(60, TestError.first))
    let xs = hot(.next(250, first), .completed(900))
    #expect(
      events { operation.apply(xs.asObservable()) { $0.asObservable() } } == [
        .next(260, 1), .error(310, TestError.first),
      ])
    #expect(xs.subscriptions == [Subscription(200, 310)])
    #expect(first.subscriptions == [Subscription(250, 310)])
  }

  @Test(arguments: Operation.allCases) fileprivate func outerErrorEndsAll(_ operation: Operation) {
    let first = cold(.next(10, 1), .next(100, 2))
    let xs = hot(.next(250, first), .error(300, TestError.first))
    #expect(
      events { operation.apply(xs.asObservable()) { $0.asObservable() } } == [
        .next(260, 1), .error(300, TestError.first),
      ])
    #expect(first.subscriptions == [Subscription(250, 300)])
  }

  @Test(arguments: Operation.allCases) fileprivate func selectorErrorEndsAll(_ operation: Operation) {
    let xs = hot(.next(250, 1), .next(300, 2), .next(350, 3))
    #expect(
      events {
        operation.apply(xs.asObservable()) { element in
          if element == 2 { throw TestError.second }
          return .just(element)
        }
      } == [.next(250, 1), .error(300, TestError.second)])
    #expect(xs.subscriptions == [Subscription(200, 300)])
  }

  @Test(arguments: Operation.allCases) fileprivate func disposalEndsAll(_ operation: Operation) {
    let first = cold(.next(10, 1), .next(100, 2))
    let xs = hot(.next(250, first), .completed(270))
    #expect(events(disposed: 300) { operation.apply(xs.asObservable()) { $0.asObservable() } } == [.next(260, 1)])
    #expect(xs.subscriptions == [Subscription(200, 270)])
    #expect(first.subscriptions == [Subscription(250, 300)])
  }

  @Test(arguments: Operation.allCases) fileprivate func anEmptySequenceCompletesAtOnce(_ operation: Operation) {
    #expect(events { operation.apply(Observable<Int>.empty()) { .just($0) } } == [.completed(200)])
  }

  @Test(arguments: Operation.allCases) fileprivate func anInnerSequenceThatNeverEndsKeepsItOpen(_ operation: Operation)
  {
    let xs = hot(.next(250, 1), .completed(300)).asObservable()
    let received = events { operation.apply(xs) { _ in Observable<Int>.never() } }
    #expect(received == [])
  }

  @Test(arguments: Operation.allCases) fileprivate func immediateSequencesKeepTheirOrder(_ operation: Operation) {
    let received = immediateEvents(operation.apply(Observable.from([1, 2, 3])) { immediately($0 * 10, $0 * 10 + 1) })
    #expect(received.compactMap(\.element) == [10, 11, 20, 21, 30, 31])
    #expect(received.last?.isCompleted == true)
  }

  @Test func concatMapDoesNotRecurse() {
    let gate = PublishSubject<Int>()
    let source = PublishSubject<Int>()
    let log = Recorder<Int>()
    let subscription = source.concatMap { $0 == 0 ? gate.asObservable() : .just($0) }.subscribe(onNext: {
      log.record($0)
    })
    for n in 0...10_000 { source.onNext(n) }
    #expect(log.values == [])
    gate.onCompleted()
    #expect(log.values == Array(1...10_000))
    subscription.dispose()
  }

  @Test(arguments: Operation.allCases, [false, true])
  fileprivate func disposalInTheSelectorEndsTheInnerSequence(_ operation: Operation, subscribed: Bool) {
    let inner = cold(.next(10, 1))
    let subscription = SerialDisposable()
    let xs = hot(.next(250, 1))
    subscription.disposable = operation.apply(xs.asObservable()) { _ in
      if !subscribed { subscription.dispose() }
      return inner.asObservable().do(onSubscribe: { subscription.dispose() })
    }.subscribe()
    scheduler.start()
    let expected = subscribed || operation == .flatMapLatest ? [Subscription(250, 250)] : []
    #expect(inner.subscriptions == expected)
    #expect(subscription.isDisposed)
  }

  // What comes back waits for its turn: while the sequence of the element before it goes on, and at the moment when that
  // has ended and the next one that waits is about to begin.
  @Test func concatMapKeepsTheOrderOfElementsThatComeBack() {
    let source = PublishSubject<Int>()
    let log = Recorder<Int>()
    let subscription = source.concatMap { number in
      Observable<Int>.create { observer in
        observer.onNext(number * 10)
        if number == 1 { source.onNext(2) }
        observer.onNext(number * 10 + 1)
        observer.onCompleted()
        if number < 3 { source.onNext(number + 2) }
        return Disposables.create { if number == 2 { source.onNext(5) } }
      }
    }
    .subscribe(onNext: { log.record($0) })
    source.onNext(1)
    // 2 runs within the completion of 1, so 4 and 5 come before 3.
    #expect(log.values == [10, 11, 20, 21, 40, 41, 50, 51, 30, 31])
    source.onNext(6)
    #expect(log.values.suffix(2) == [60, 61])
    subscription.dispose()
  }
}

private enum Operation: CaseIterable {
  case flatMap, flatMapFirst, flatMapLatest, concatMap

  func apply<Element, Result>(
    _ source: Observable<Element>, _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    switch self {
    case .flatMap: source.flatMap(selector)
    case .flatMapFirst: source.flatMapFirst(selector)
    case .flatMapLatest: source.flatMapLatest(selector)
    case .concatMap: source.concatMap(selector)
    }
  }
}
