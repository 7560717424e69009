import Rx
import RxTest
import RxTestSupport
import XCTest

final class CombineLatestTests: OperatorTestCase {
  private let error = TestError.first

  func testCombinesTheLatest() {
    let xs = hot(.next(210, 1), .next(230, 2), .completed(300))
    let ys = hot(.next(220, "a"), .next(240, "b"), .completed(320))
    XCTAssertEqual(
      events { Observable.combineLatest(xs, ys) { "\($0)\($1)" } },
      [.next(220, "1a"), .next(230, "2a"), .next(240, "2b"), .completed(320)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 320)])
  }

  func testTuples() {
    let xs = Observable.of(1, 2)
    let ys = Observable.just("a")
    XCTAssertEqual(
      immediateEvents(Observable.combineLatest(xs, ys).map { number, letter in "\(number)\(letter)" }),
      [.next("1a"), .next("2a"), .completed])
  }

  func testCompletesWhenNothingCanCome() {
    let xs = hot(.completed(210, Int.self))
    let ys = hot(.next(220, 1), .next(230, 2), .completed(300))
    XCTAssertEqual(events { Observable.combineLatest(xs, ys) { $0 + $1 } }, [.completed(220)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 220)])
  }

  func testEmptyAndNever() {
    let xs = hot(.completed(210, Int.self))
    let ys = hot(.completed(230, Int.self))
    XCTAssertEqual(events { Observable.combineLatest(xs, ys) { $0 + $1 } }, [.completed(230)])
  }

  func testErrorEndsAll() {
    let xs = hot(.next(210, 1), .next(250, 2))
    let ys = hot(.next(220, 1), .error(230, error))
    XCTAssertEqual(
      events { Observable.combineLatest(xs, ys) { $0 + $1 } }, [.next(220, 2), .error(230, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 230)])
  }

  func testSelectorThrows() {
    let xs = hot(.next(210, 1))
    let ys = hot(.next(220, 1))
    XCTAssertEqual(
      events { Observable.combineLatest(xs, ys) { _, _ -> Int in throw TestError.second } },
      [.error(220, TestError.second)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 220)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 220)])
  }

  func testDisposalEndsAll() {
    let xs = hot(.next(210, 1), .next(250, 2))
    let ys = hot(.next(220, 1))
    XCTAssertEqual(events(disposed: 240) { Observable.combineLatest(xs, ys) { $0 + $1 } }, [.next(220, 2)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 240)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 240)])
  }

  func testCollection() {
    let xs = hot(.next(210, 1), .next(230, 2), .completed(300))
    let ys = hot(.next(220, 10), .completed(250))
    let zs = hot(.next(225, 100), .completed(320))
    XCTAssertEqual(
      events { Observable.combineLatest([xs, ys, zs]) { $0.reduce(0, +) } },
      [.next(225, 111), .next(230, 112), .completed(320)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 250)])
  }

  func testCollectionForms() {
    XCTAssertEqual(
      immediateEvents(Observable.combineLatest([Observable.of(1, 2), .just(3)])),
      [.next([1, 3]), .next([2, 3]), .completed])
  }

  func testNoSourcesAreCombinedOnce() {
    let none: [Observable<Int>] = []
    XCTAssertEqual(immediateEvents(Observable.combineLatest(none)), [.next([]), .completed])
    XCTAssertEqual(immediateEvents(Observable.combineLatest(none) { $0.count }), [.next(0), .completed])
    XCTAssertEqual(
      immediateEvents(Observable<Int>.combineLatest(none) { _ in throw TestError.first }), [.error(error)])
  }

  func testCollectionCompletesWhenNothingCanCome() {
    let xs = hot(.completed(210, Int.self))
    let ys = hot(.next(220, 1), .completed(300))
    XCTAssertEqual(events { Observable.combineLatest([xs, ys]) }, [.completed(220)])
  }

  func testOptionalElements() {
    let xs = Observable<Int?>.of(nil, 1)
    XCTAssertEqual(
      immediateEvents(Observable.combineLatest(xs, Observable.just(2)) { [$0, $1] }),
      [.next([nil, 2]), .next([1, 2]), .completed])
  }

  func testTwoToEight() {
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
    XCTAssertEqual(sums.map { immediateEvents($0) }, expected)
    XCTAssertEqual(tuples.map { immediateEvents($0) }, expected)
  }
}

final class ZipTests: OperatorTestCase {
  private let error = TestError.first

  func testPairsByIndex() {
    let xs = hot(.next(210, 1), .next(215, 2), .next(240, 3), .completed(300))
    let ys = hot(.next(220, "a"), .next(230, "b"), .completed(320))
    XCTAssertEqual(
      events { Observable.zip(xs, ys) { "\($0)\($1)" } },
      [.next(220, "1a"), .next(230, "2b"), .completed(320)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 320)])
  }

  func testTuples() {
    XCTAssertEqual(
      immediateEvents(Observable.zip(Observable.of(1, 2, 3), Observable.of("a", "b")).map { "\($0)\($1)" }),
      [.next("1a"), .next("2b"), .completed])
  }

  func testCompletesWhenAllHave() {
    let xs = hot(.completed(210, Int.self))
    let ys = hot(.next(215, 2), .completed(220))
    XCTAssertEqual(events { Observable.zip(xs, ys) { $0 + $1 } }, [.completed(220)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 210)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 220)])
  }

  func testNever() {
    let xs = hot(.completed(210, Int.self))
    let ys = hot(.next(150, 2))
    XCTAssertEqual(events { Observable.zip(xs, ys) { $0 + $1 } }, [])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 1000)])
  }

  func testErrorEndsAll() {
    let xs = hot(.next(210, 1), .next(250, 2))
    let ys = hot(.next(220, 1), .error(230, error))
    XCTAssertEqual(events { Observable.zip(xs, ys) { $0 + $1 } }, [.next(220, 2), .error(230, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
  }

  func testSelectorThrows() {
    let xs = hot(.next(210, 1))
    let ys = hot(.next(220, 1))
    XCTAssertEqual(
      events { Observable.zip(xs, ys) { _, _ -> Int in throw TestError.second } },
      [.error(220, TestError.second)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 220)])
  }

  func testDisposalEndsAll() {
    let xs = hot(.next(210, 1), .next(250, 2))
    let ys = hot(.next(220, 1))
    XCTAssertEqual(events(disposed: 240) { Observable.zip(xs, ys) { $0 + $1 } }, [.next(220, 2)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 240)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 240)])
  }

  func testCollection() {
    let xs = hot(.next(210, 1), .next(230, 2), .completed(300))
    let ys = hot(.next(220, 10), .next(240, 20), .completed(320))
    XCTAssertEqual(
      events { Observable.zip([xs, ys]) { $0.reduce(0, +) } }, [.next(220, 11), .next(240, 22), .completed(320)])
  }

  func testCollectionCompletesWhenNothingCanCome() {
    let xs = hot(.completed(210, Int.self))
    let ys = hot(.next(215, 2), .completed(220))
    XCTAssertEqual(events { Observable.zip([xs, ys]) }, [.completed(215)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 215)])
  }

  func testCollectionForms() {
    XCTAssertEqual(
      immediateEvents(Observable.zip([Observable.of(1, 2), .of(3, 4)])), [.next([1, 3]), .next([2, 4]), .completed])
    XCTAssertEqual(immediateEvents(Observable<Int>.zip([Observable<Int>]())), [.completed])
  }

  func testTwoToEight() {
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
    XCTAssertEqual(sums.map { immediateEvents($0) }, expected)
    XCTAssertEqual(tuples.map { immediateEvents($0) }, expected)
  }
}

final class WithLatestFromTests: OperatorTestCase {
  private let error = TestError.first

  func testTakesTheLatest() {
    let xs = hot(.next(210, 1), .next(230, 2), .next(240, 3), .completed(300))
    let ys = hot(.next(220, "a"), .next(235, "b"), .completed(250))
    XCTAssertEqual(
      events { xs.withLatestFrom(ys) { "\($0)\($1)" } }, [.next(230, "2a"), .next(240, "3b"), .completed(300)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 250)])
  }

  func testWithoutSelector() {
    let xs = hot(.next(210, 1), .next(230, 2), .completed(300))
    let ys = hot(.next(220, "a"))
    XCTAssertEqual(events { xs.withLatestFrom(ys) }, [.next(230, "a"), .completed(300)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 300)])
  }

  func testErrors() {
    let xs = hot(.next(210, 1), .error(230, error))
    let ys = hot(.next(205, "a"))
    XCTAssertEqual(events { xs.withLatestFrom(ys) }, [.next(210, "a"), .error(230, error)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 230)])
  }

  func testErrorOfSecond() {
    let xs = hot(.next(210, 1))
    let ys = hot(.next(205, "a"), .error(230, error))
    XCTAssertEqual(events { xs.withLatestFrom(ys) }, [.next(210, "a"), .error(230, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
  }

  func testSelectorThrows() {
    let xs = hot(.next(210, 1))
    let ys = hot(.next(205, "a"))
    XCTAssertEqual(
      events { xs.withLatestFrom(ys) { _, _ -> Int in throw TestError.second } },
      [.error(210, TestError.second)])
    XCTAssertEqual(ys.subscriptions, [Subscription(200, 210)])
  }
}

final class WithUnretainedTests: OperatorTestCase {
  private final class Owner: Sendable {
    let name = "owner"
  }

  func testGivesTheObject() {
    let owner = Owner()
    XCTAssertEqual(
      immediateEvents(Observable.of(1, 2).withUnretained(owner).map { owner, element in "\(owner.name) \(element)" }),
      [.next("owner 1"), .next("owner 2"), .completed])
    XCTAssertEqual(
      immediateEvents(Observable.of(1, 2).withUnretained(owner) { owner, element in "\(owner.name) \(element)" }),
      [.next("owner 1"), .next("owner 2"), .completed])
  }

  func testCompletesWhenTheObjectHasGone() {
    let subject = PublishSubject<Int>()
    let log = Recorder<Event<Int>>()
    var owner: Owner? = Owner()
    weak let weakOwner = owner
    let subscription = owner.map { subject.withUnretained($0).map { $1 }.subscribe { log.record($0) } }
    subject.onNext(1)
    owner = nil
    XCTAssertNil(weakOwner)
    XCTAssertEqual(log.values, [.next(1)])
    subject.onNext(2)
    XCTAssertEqual(log.values, [.next(1), .completed])
    XCTAssertFalse(subject.hasObservers)
    subscription?.dispose()
  }

  func testPassesErrorsOn() {
    let owner = Owner()
    XCTAssertEqual(
      immediateEvents(Observable<Int>.error(TestError.first).withUnretained(owner) { $0.1 }),
      [.error(TestError.first)])
  }
}
