import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct TakeTests {
  @Test func takesThree() throws {
    try expect("x^abcd--|", "^--!", becomes: "-ab(c|)") { xs, _ in xs.take(3) }
    try expect("-ab--|", "^----!", becomes: "-ab--|") { xs, _ in xs.take(3) }
    try expect("-a#", "^-!", becomes: "-a#") { xs, _ in xs.take(3) }
  }

  @Test(arguments: [0, -1]) func takesNoneWithoutASubscription(count: Int) throws {
    try expect("-abc|", "", becomes: "|") { xs, _ in xs.take(count) }
  }

  @Test func disposalEndsIt() throws {
    try expect("-a-b", "^-!", becomes: "-a", disposed: 2) { xs, _ in xs.take(2) }
  }

  @Test func endsOnceWhenElementsComeBack() {
    let subject = PublishSubject<Int>()
    let log = Recorder<Event<Int>>()
    let completions = Recorder<Int>()
    _ = subject.take(2)
      .do(onNext: { if $0 == 1 { subject.onNext(2) } }, onCompleted: { completions.record(1) })
      .subscribe { log.record($0) }
    subject.onNext(1)
    #expect(log.values == [.next(2), .completed])
    #expect(completions.values == [1])
    #expect(!subject.hasObservers)
  }

  @Test func nothingComesAfterTheEndOfAnImmediateSource() {
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onNext(2)
      observer.onError(TestError.first)
      return Disposables.create()
    }
    for taken in [source.take(1), source.take(until: { $0 == 2 }), source.first().asObservable().compactMap { $0 }] {
      #expect(immediateEvents(taken.toArray().asObservable()) == [.next([1]), .completed])
    }
  }

  /// Nothing is subscribed to after the last element, even if that comes while the chain is still being built.
  @Test func nothingIsSubscribedToAfterTheLastElement() {
    let subscriptions = Recorder<String>()
    let one = Observable<Int>.deferred {
      subscriptions.record("one")
      return .just(1)
    }
    let failing = one.concat(Observable.error(TestError.first))
    let many = Array(repeating: one, count: 1000)
    let chains: [String: Observable<Int>] = [
      "retry": failing.retry().map { $0 }, "retry(when:)": failing.retry { (errors: Observable<any Error>) in errors },
      "catch": failing.catch { _ in one }, "catch(sequence:)": .catch(sequence: [failing, one]),
      "concat": .concat(many).filter { _ in true }, "merge": .merge(many).map { $0 }, "amb": .amb(many),
      "flatMap": .just(0).flatMap { _ in failing.retry() }, "concatMap": .just(0).concatMap { _ in failing.retry() },
      "flatMapLatest": .just(0).flatMapLatest { _ in failing.retry() },
      "take(until:)": failing.retry().take(until: Observable<Int>.never()),
      "combineLatest": .combineLatest([failing.retry()]) { $0[0] }, "ifEmpty": one.ifEmpty(switchTo: one),
      "startWith": failing.retry().startWith(1).concat(one),
    ]
    for (name, chain) in chains {
      #expect(immediateEvents(chain.take(1)) == [.next(1), .completed], "\(name)")
      #expect(subscriptions.values.count == (name == "startWith" ? 0 : 1), "\(name)")
      subscriptions.removeAll()
    }
  }

  @Test(arguments: [["-ab-c|", "^--!", "-ab|"], ["-a|", "^-!", "-a|"], ["-#", "^!", "-#"]])
  func takesForThreeFrames(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2]) { $0.take(for: .seconds(30), scheduler: $1) }
  }
}

@Suite(.inTurn) struct TakeUntilTests {
  @Test func takesUntilAnotherSends() throws {
    // The first element of the other one ends it, as does its error, but not its completion.
    try expect("-ab-cd-|", "^--!", "---x-x", "^--!", becomes: "-ab|") { $0.take(until: $1) }
    try expect("-ab-cd-|", "^------!", "---|", "^--!", becomes: "-ab-cd-|") { $0.take(until: $1) }
    try expect("-ab-cd-|", "^--!", "---#", "^--!", becomes: "-ab#") { $0.take(until: $1) }
    try expect("-a#", "^-!", "-----x", "^-!", becomes: "-a#") { $0.take(until: $1) }
  }

  @Test func takesNothingIfTheOtherSendsAtOnce() throws {
    let scheduler = TestScheduler(initialClock: 0)
    let xs = try scheduler.createHotObservable("-a")
    #expect(scheduler.start { xs.take(until: Observable.just(1)) }.events == [.completed(200)])
    #expect(xs.subscriptions == [Subscription(200, 200)])
  }

  @Test(arguments: [(TakeBehavior.exclusive, "-ab|"), (.inclusive, "-ab(c|)")])
  func takesUntilAnElementIsFound(behavior: TakeBehavior, result: String) throws {
    try expect("-abcd|", "^--!", becomes: result) { xs, _ in xs.take(until: { $0 == "c" }, behavior: behavior) }
    try expect("-abcd|", "^--!", becomes: result) { xs, _ in xs.take(while: { $0 < "c" }, behavior: behavior) }
  }
}

@Suite(.inTurn) struct TakeLastTests {
  @Test(arguments: [["-abcd-|", "^-----!", "------(cd|)"], ["-a#", "^-!", "--#"]])
  func takesTheLastTwo(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2]) { xs, _ in xs.takeLast(2) }
  }

  @Test func takesNoneOrFewer() {
    #expect(immediateEvents(Observable.of(1, 2).takeLast(0)) == [.completed])
    #expect(immediateEvents(Observable.of(1, 2).takeLast(-3)) == [.completed])
    #expect(immediateEvents(Observable.of(1, 2).takeLast(5)) == [.next(1), .next(2), .completed])
    #expect(immediateEvents(Observable.of(1, 2, 3, 4).takeLast(3).take(1)) == [.next(2), .completed])
  }

  @Test func firstIsTheFirstOrNil() throws {
    for (source, result) in [("-ab|", "-(a|)"), ("-|", "-(0|)"), ("-#", "-#")] {
      try expect(source, "^!", becomes: result) { xs, _ in xs.first().asObservable().map { $0 ?? "0" } }
    }
  }
}
