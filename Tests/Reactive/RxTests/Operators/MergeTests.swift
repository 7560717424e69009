import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct MergeTests {
  @Test func sendsAsTheyCome() throws {
    // Until both have completed or one has failed.
    try expect("-a-b------|", "^---------!", "--c-d----------|", "^--------------!", becomes: "-acbd----------|") {
      Observable.merge($0.asObservable(), $1.asObservable())
    }
    try expect("-a-#", "^--!", "--c-d", "^--!", becomes: "-ac#") {
      Observable.merge($0.asObservable(), $1.asObservable())
    }
  }

  @Test func mergesAnArrayOrACollection() {
    let array = [Observable.of(1, 2), .of(10, 20)]
    let expected: [Event<Int>] = [.next(1), .next(10), .next(2), .next(20), .completed]
    #expect(immediateEvents(.merge(array)) == expected)
    #expect(immediateEvents(.merge(AnyCollection(array))) == expected)
    #expect(immediateEvents(Observable<Int>.merge([])) == [.completed])
  }

  @Test func startWithComesFirst() {
    let scheduler = TestScheduler(initialClock: 0)
    let xs = scheduler.createHotObservable([.next(220, 3), .completed(250)])
    #expect(
      scheduler.start { xs.startWith(1, 2).startWith(0) }.events
        == [.next(200, 0), .next(200, 1), .next(200, 2), .next(220, 3), .completed(250)])
    #expect(xs.subscriptions == [Subscription(200, 250)])
    #expect(immediateEvents(Observable.just(2).startWith(1).take(1)) == [.next(1), .completed])
  }
}

@Suite(.inTurn) struct MergeOfSequencesTests {
  @Test func sendsAsTheyCome() throws {
    try expect(
      "-----x----y|", "^----------!", ["-a--------b----|", "-c|"], becomes: "------a----c---b----|",
      subscriptions: ["-----^--------------!", "----------^-!"]
    ) { $0.merge() }
  }

  @Test func subscribesToSoManyAtATime() throws {
    try expect(
      "-xyzw---------------|", "^-------------------!", ["-----a----|", "--b-|", "---c--|", "-d|"],
      becomes: "----b-a--c--d-------|",
      subscriptions: ["-^---------!", "--^---!", "------^-----!", "-----------^-!"]
    ) { $0.merge(maxConcurrent: 2) }
  }

  @Test func anErrorEndsThoseThatWait() throws {
    try expect("-xy", "^-----!", ["-----#", "-a"], becomes: "------#", subscriptions: ["-^----!", ""]) {
      $0.merge(maxConcurrent: 1)
    }
  }

  @Test func subscribesToNone() throws {
    try expect("-x--------|", "^---------!", ["-a"], becomes: "----------|", subscriptions: [""]) {
      $0.merge(maxConcurrent: 0)
    }
  }

  @Test func concatSubscribesToOneAfterTheOther() throws {
    try expect(
      "-xy|", "^--!", ["-a--------|", "-b|"], becomes: "--a---------b|",
      subscriptions: ["-^---------!", "-----------^-!"]
    ) { $0.concat() }
  }

  /// Checks what `apply` makes of a sequence that sends the cold sequences `inner`, one at each letter, and when it
  /// subscribes to them.
  private func expect(
    _ source: String, _ subscription: String, _ inner: [String], becomes result: String, subscriptions: [String],
    at location: SourceLocation = #_sourceLocation,
    apply: @escaping (Observable<Observable<String>>) -> Observable<String>
  ) throws {
    let scheduler = TestScheduler(initialClock: 0)
    let sequences = try inner.map { try scheduler.createColdObservable($0) }
    let letters = source.filter(\.isLetter)
    let xs = try scheduler.createHotObservable(
      source, values: Dictionary(uniqueKeysWithValues: zip(letters, sequences.map { $0.asObservable() })))
    #expect(try scheduler.start { apply(xs.asObservable()) }.events == .marbles(result), sourceLocation: location)
    let expected = try subscriptions.map { $0.isEmpty ? [] : [try Subscription(marbles: $0)] }
    #expect(sequences.map(\.subscriptions) == expected, sourceLocation: location)
    #expect(try xs.subscriptions == [Subscription(marbles: subscription)], sourceLocation: location)
  }
}
