import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct JoinSelectorTests {
  @Test func whatASelectorThrowsEndsBoth() throws {
    let fail: @Sendable (String, String) throws -> String = { _, _ in throw MarbleFailure() }
    try expect("-a", "^-!", "--b", "^-!", becomes: "--#") { .combineLatest($0, $1, resultSelector: fail) }
    try expect("-a", "^-!", "--b", "^-!", becomes: "--#") { .zip($0, $1, resultSelector: fail) }
    try expect("--a", "^-!", "-b", "^-!", becomes: "--#") { $0.withLatestFrom($1, resultSelector: fail) }
  }

  @Test(arguments: ["zip", "zip of many", "combineLatest"]) func aSelectorMaySendToASource(name: String) {
    let (first, second, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Recorder<Event<Int>>())
    let select: @Sendable (Int, Int) -> Int = { one, other in
      if one == 1 { first.onNext(2) }
      return one * 10 + other
    }
    let joined: Observable<Int> =
      switch name {
      case "zip": .zip(first, second, resultSelector: select)
      case "zip of many": .zip([first, second]) { select($0[0], $0[1]) }
      default: .combineLatest(first, second, resultSelector: select)
      }
    _ = joined.subscribe { log.record($0) }
    first.onNext(1)
    second.onNext(1)
    second.onNext(2)
    #expect(log.values == (name == "combineLatest" ? [.next(21), .next(11), .next(22)] : [.next(11), .next(22)]))
  }
}

@Suite(.inTurn) struct CombineLatestTests {
  @Test(arguments: [
    // The latest of each, until all have completed, or until nothing can come any more.
    ["-a-b------|", "^---------!", "--c-d-------|", "^-----------!", "--ABC-------|"],
    ["-|", "^!", "--a-b----|", "^-!", "--|"],
    ["-|", "^!", "---|", "^--!", "---|"],
    // An error ends both.
    ["-a---b", "^--!", "--c#", "^--!", "--A#"],
  ])
  func combinesTheLatest(_ diagrams: [String]) throws {
    let values: [Character: String] = ["A": "ac", "B": "bc", "C": "bd"]
    try expect(diagrams[0], diagrams[1], diagrams[2], diagrams[3], becomes: diagrams[4], values: values) {
      Observable.combineLatest($0, $1, resultSelector: +)
    }
  }

  @Test(arguments: [
    ["-a-b------|", "^---------!", "--c--|", "^----!", "--AB------|"],
    ["-|", "^!", "--a-------|", "^-!", "--|"],
  ])
  func aCollectionIsCombinedAlike(_ diagrams: [String]) throws {
    let values: [Character: String] = ["A": "ac", "B": "bc"]
    try expect(diagrams[0], diagrams[1], diagrams[2], diagrams[3], becomes: diagrams[4], values: values) {
      Observable.combineLatest([$0, $1]) { $0.joined() }
    }
  }

  @Test func collectionForms() {
    #expect(
      immediateEvents(Observable.combineLatest([Observable.of(1, 2), .just(3), .just(4)]))
        == [.next([1, 3, 4]), .next([2, 3, 4]), .completed])
  }

  @Test func noSourcesAreCombinedOnce() {
    let none: [Observable<Int>] = []
    #expect(immediateEvents(Observable.combineLatest(none)) == [.next([]), .completed])
    #expect(immediateEvents(Observable.combineLatest(none) { $0.count }) == [.next(0), .completed])
    #expect(
      immediateEvents(Observable<Int>.combineLatest(none) { _ in throw TestError.first }) == [.error(TestError.first)])
  }

  @Test func optionalElements() {
    let xs = Observable<Int?>.of(nil, 1)
    #expect(
      immediateEvents(Observable.combineLatest(xs, Observable.just(2)) { [$0, $1] }) == [
        .next([nil, 2]), .next([1, 2]), .completed,
      ])
  }

  @Test func twoToEight() {
    let s = (1...8).map { Observable.just($0) }
    let sums: [Observable<Int>] = [
      .combineLatest(s[0], s[1]) { $0 + $1 },
      .combineLatest(s[0], s[1], s[2]) { $0 + $1 + $2 },
      .combineLatest(s[0], s[1], s[2], s[3]) { $0 + $1 + $2 + $3 },
      .combineLatest(s[0], s[1], s[2], s[3], s[4]) { $0 + $1 + $2 + $3 + $4 },
      .combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
      .combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) { $0 + $1 + $2 + $3 + $4 + $5 + $6 },
      .combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 },
    ]
    let tuples: [Observable<Int>] = [
      Observable.combineLatest(s[0], s[1]).map { $0 + $1 },
      Observable.combineLatest(s[0], s[1], s[2]).map { $0 + $1 + $2 },
      Observable.combineLatest(s[0], s[1], s[2], s[3]).map { $0 + $1 + $2 + $3 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]).map { $0 + $1 + $2 + $3 + $4 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]).map { $0 + $1 + $2 + $3 + $4 + $5 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { $0 + $1 + $2 + $3 + $4 + $5 + $6 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7])
        .map { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 },
    ]
    let expected = (2...8).map { n in [Event.next(n * (n + 1) / 2), .completed] }
    #expect(sums.map { immediateEvents($0) } == expected)
    #expect(tuples.map { immediateEvents($0) } == expected)
  }
}

@Suite(.inTurn) struct ZipTests {
  @Test(arguments: [
    // The first of each, the second of each, until all have completed.
    ["-ab--c----|", "^---------!", "--d-e-------|", "^-----------!", "--A-B-------|"],
    ["-|", "^!", "-a|", "^-!", "--|"],
    // An error ends both.
    ["-a---b", "^--!", "--d#", "^--!", "--A#"],
  ])
  func pairsByIndex(_ diagrams: [String]) throws {
    let values: [Character: String] = ["A": "ad", "B": "be"]
    try expect(diagrams[0], diagrams[1], diagrams[2], diagrams[3], becomes: diagrams[4], values: values) {
      Observable.zip($0, $1, resultSelector: +)
    }
  }

  @Test(arguments: [
    // As soon as nothing can come any more, a collection completes.
    ["-a-b------|", "^---------!", "--d-e-------|", "^-----------!", "--A-B-------|"],
    ["-|", "^!", "--a|", "^-!", "--|"],
  ])
  func aCollectionIsPairedAlike(_ diagrams: [String]) throws {
    let values: [Character: String] = ["A": "ad", "B": "be"]
    try expect(diagrams[0], diagrams[1], diagrams[2], diagrams[3], becomes: diagrams[4], values: values) {
      Observable.zip([$0, $1]) { $0.joined() }
    }
  }

  @Test func collectionForms() {
    #expect(
      immediateEvents(Observable.zip([Observable.of(1, 2), .of(3, 4)])) == [.next([1, 3]), .next([2, 4]), .completed])
    #expect(immediateEvents(Observable<Int>.zip([Observable<Int>]())) == [.completed])
  }

  @Test func twoToEight() {
    let s = (1...8).map { Observable.of($0, $0) }
    let sums: [Observable<Int>] = [
      .zip(s[0], s[1]) { $0 + $1 },
      .zip(s[0], s[1], s[2]) { $0 + $1 + $2 },
      .zip(s[0], s[1], s[2], s[3]) { $0 + $1 + $2 + $3 },
      .zip(s[0], s[1], s[2], s[3], s[4]) { $0 + $1 + $2 + $3 + $4 },
      .zip(s[0], s[1], s[2], s[3], s[4], s[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
      .zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) { $0 + $1 + $2 + $3 + $4 + $5 + $6 },
      .zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 },
    ]
    let tuples: [Observable<Int>] = [
      Observable.zip(s[0], s[1]).map { $0 + $1 },
      Observable.zip(s[0], s[1], s[2]).map { $0 + $1 + $2 },
      Observable.zip(s[0], s[1], s[2], s[3]).map { $0 + $1 + $2 + $3 },
      Observable.zip(s[0], s[1], s[2], s[3], s[4]).map { $0 + $1 + $2 + $3 + $4 },
      Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5]).map { $0 + $1 + $2 + $3 + $4 + $5 },
      Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { $0 + $1 + $2 + $3 + $4 + $5 + $6 },
      Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 },
    ]
    let expected = (2...8).map { n in [Event.next(n * (n + 1) / 2), .next(n * (n + 1) / 2), .completed] }
    #expect(sums.map { immediateEvents($0) } == expected)
    #expect(tuples.map { immediateEvents($0) } == expected)
  }
}

@Suite(.inTurn) struct WithLatestFromTests {
  @Test(arguments: [
    // Each element with the latest of the other, whose end does not matter; an error of either ends both.
    ["-a-bc-----|", "^---------!", "--d---|", "^-----!", "---AB-----|"],
    ["-ab#", "^--!", "-d", "^--!", "--C#"],
    ["--b-", "^--!", "-d-#", "^--!", "--C#"],
  ])
  func takesTheLatest(_ diagrams: [String]) throws {
    let values: [Character: String] = ["A": "bd", "B": "cd", "C": "bd"]
    try expect(diagrams[0], diagrams[1], diagrams[2], diagrams[3], becomes: diagrams[4], values: values) {
      $0.withLatestFrom($1, resultSelector: +)
    }
  }

  @Test func sendsTheOthersWithoutASelector() throws {
    try expect("-a-b-c----|", "^---------!", "--d-e", "^---------!", becomes: "---d-e----|") { $0.withLatestFrom($1) }
  }
}

@Suite(.inTurn) struct WithUnretainedTests {
  @Test func givesTheObject() {
    let owner = Captured()
    let numbers = Observable.of(1, 2)
    let expected: [Event<Int>] = [.next(1), .next(2), .completed]
    #expect(immediateEvents(numbers.withUnretained(owner).map { $0 === owner ? $1 : 0 }) == expected)
    #expect(immediateEvents(numbers.withUnretained(owner) { $0 === owner ? $1 : 0 }) == expected)
  }

  @Test func completesWhenTheObjectHasGone() {
    let subject = PublishSubject<Int>()
    let log = Recorder<Event<Int>>()
    var owner: Captured? = Captured()
    weak let weakOwner = owner
    _ = owner.map { subject.withUnretained($0).map { $1 }.subscribe { log.record($0) } }
    subject.onNext(1)
    owner = nil
    #expect(weakOwner == nil)
    #expect(log.values == [.next(1)])
    subject.onNext(2)
    #expect(log.values == [.next(1), .completed])
    #expect(!subject.hasObservers)
  }
}
