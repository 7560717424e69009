import Rx
import RxTest
import RxTestSupport
import XCTest

final class FlatMapTests: OperatorTestCase {
  private func outer() -> TestableObservable<TestableObservable<Int>> {
    hot(
      .next(250, cold(.next(10, 11), .next(60, 12), .next(120, 13), .completed(150))),
      .next(300, cold(.next(5, 21), .next(20, 22), .completed(80))),
      .next(420, cold(.next(10, 31), .completed(30))),
      .completed(500))
  }

  func testFlatMapMergesAsElementsCome() {
    let xs = outer()
    XCTAssertEqual(
      events { xs.flatMap { $0 } },
      [
        .next(260, 11), .next(305, 21), .next(310, 12), .next(320, 22), .next(370, 13), .next(430, 31),
        .completed(500),
      ])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 500)])
    XCTAssertEqual(
      xs.recordedEvents.compactMap(\.value.element).flatMap(\.subscriptions),
      [Subscription(250, 400), Subscription(300, 380), Subscription(420, 450)])
  }

  func testFlatMapFirstIgnoresWhileOneGoesOn() {
    let xs = outer()
    XCTAssertEqual(
      events { xs.flatMapFirst { $0 } },
      [.next(260, 11), .next(310, 12), .next(370, 13), .next(430, 31), .completed(500)])
    XCTAssertEqual(
      xs.recordedEvents.compactMap(\.value.element).flatMap(\.subscriptions),
      [Subscription(250, 400), Subscription(420, 450)])
  }

  func testConcatMapGoesOneByOne() {
    let xs = outer()
    XCTAssertEqual(
      events { xs.concatMap { $0 } },
      [
        .next(260, 11), .next(310, 12), .next(370, 13), .next(405, 21), .next(420, 22), .next(490, 31),
        .completed(510),
      ])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 500)])
    XCTAssertEqual(
      xs.recordedEvents.compactMap(\.value.element).flatMap(\.subscriptions),
      [Subscription(250, 400), Subscription(400, 480), Subscription(480, 510)])
  }

  func testFlatMapLatestLeavesTheEarlierOnes() {
    let xs = outer()
    XCTAssertEqual(
      events { xs.flatMapLatest { $0 } },
      [.next(260, 11), .next(305, 21), .next(320, 22), .next(430, 31), .completed(500)])
    XCTAssertEqual(
      xs.recordedEvents.compactMap(\.value.element).flatMap(\.subscriptions),
      [Subscription(250, 300), Subscription(300, 380), Subscription(420, 450)])
  }

  func testSwitchLatestCompletesWithTheLatest() {
    let xs = hot(
      .next(250, cold(.next(10, 1), .error(100, TestError.first))),
      .next(300, cold(.next(10, 2), .next(300, 3), .completed(400))),
      .completed(400))
    XCTAssertEqual(
      events { xs.map { $0.asObservable() }.switchLatest() },
      [.next(260, 1), .next(310, 2), .next(600, 3), .completed(700)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 400)])
  }

  func testInnerErrorEndsAll() {
    each(Operation.allCases) { [self] operation in
      let first = cold(.next(10, 1), .error(60, TestError.first))
      let xs = hot(.next(250, first), .completed(900))
      XCTAssertEqual(
        events { operation.apply(xs.asObservable()) { $0.asObservable() } },
        [.next(260, 1), .error(310, TestError.first)], "\(operation)")
      XCTAssertEqual(xs.subscriptions, [Subscription(200, 310)], "\(operation)")
      XCTAssertEqual(first.subscriptions, [Subscription(250, 310)], "\(operation)")
    }
  }

  func testOuterErrorEndsAll() {
    each(Operation.allCases) { [self] operation in
      let first = cold(.next(10, 1), .next(100, 2))
      let xs = hot(.next(250, first), .error(300, TestError.first))
      XCTAssertEqual(
        events { operation.apply(xs.asObservable()) { $0.asObservable() } },
        [.next(260, 1), .error(300, TestError.first)], "\(operation)")
      XCTAssertEqual(first.subscriptions, [Subscription(250, 300)], "\(operation)")
    }
  }

  func testSelectorErrorEndsAll() {
    each(Operation.allCases) { [self] operation in
      let xs = hot(.next(250, 1), .next(300, 2), .next(350, 3))
      XCTAssertEqual(
        events {
          operation.apply(xs.asObservable()) { element in
            if element == 2 { throw TestError.second }
            return .just(element)
          }
        }, [.next(250, 1), .error(300, TestError.second)], "\(operation)")
      XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)], "\(operation)")
    }
  }

  func testDisposalEndsAll() {
    each(Operation.allCases) { [self] operation in
      let first = cold(.next(10, 1), .next(100, 2))
      let xs = hot(.next(250, first), .completed(270))
      XCTAssertEqual(
        events(disposed: 300) { operation.apply(xs.asObservable()) { $0.asObservable() } }, [.next(260, 1)],
        "\(operation)")
      XCTAssertEqual(xs.subscriptions, [Subscription(200, 270)], "\(operation)")
      XCTAssertEqual(first.subscriptions, [Subscription(250, 300)], "\(operation)")
    }
  }

  func testEmpty() {
    each(Operation.allCases) { [self] operation in
      XCTAssertEqual(
        events { operation.apply(Observable<Int>.empty()) { .just($0) } }, [.completed(200)], "\(operation)")
    }
  }

  func testNever() {
    each(Operation.allCases) { [self] operation in
      XCTAssertEqual(
        events { [self] in
          operation.apply(hot(.next(250, 1), .completed(300)).asObservable()) { _ in Observable<Int>.never() }
        }, [], "\(operation)")
    }
  }

  func testImmediateSequencesKeepTheirOrder() {
    each(Operation.allCases) { operation in
      let received = immediateEvents(
        operation.apply(Observable.from([1, 2, 3])) { immediately($0 * 10, $0 * 10 + 1) })
      XCTAssertEqual(received.compactMap(\.element), [10, 11, 20, 21, 30, 31], "\(operation)")
      XCTAssertEqual(received.last?.isCompleted, true, "\(operation)")
    }
  }

  func testConcatMapDoesNotRecurse() {
    let gate = PublishSubject<Int>()
    let source = PublishSubject<Int>()
    let log = Recorder<Int>()
    let subscription = source.concatMap { $0 == 0 ? gate.asObservable() : .just($0) }.subscribe(onNext: {
      log.record($0)
    })
    for n in 0...100_000 { source.onNext(n) }
    XCTAssertEqual(log.values, [])
    gate.onCompleted()
    XCTAssertEqual(log.values, Array(1...100_000))
    subscription.dispose()
  }

  func testDisposalInTheSelector() {
    for subscribed in [false, true] {
      each(Operation.allCases) { [self] operation in
        let inner = cold(.next(10, 1))
        let subscription = SerialDisposable()
        let xs = hot(.next(250, 1))
        subscription.disposable = operation.apply(xs.asObservable()) { _ in
          if !subscribed { subscription.dispose() }
          return inner.asObservable().do(onSubscribe: { subscription.dispose() })
        }.subscribe()
        scheduler.start()
        let expected = subscribed || operation == .flatMapLatest ? [Subscription(250, 250)] : []
        XCTAssertEqual(inner.subscriptions, expected, "\(operation)")
        XCTAssertTrue(subscription.isDisposed)
      }
    }
  }

  func testElementsThatComeBackWhileSubscribing() {
    let source = PublishSubject<Int>()
    let log = Recorder<Int>()
    let subscription =
      source
      .concatMap { Observable.just($0) }
      .do(onNext: { if $0 < 4 { source.onNext($0 + 1) } })
      .subscribe(onNext: { log.record($0) })
    source.onNext(1)
    XCTAssertEqual(log.values, [1, 2, 3, 4])
    subscription.dispose()
  }

  // What comes back waits for its turn: while the sequence of the element before it goes on, and at the moment when that
  // has ended and the next one that waits is about to begin.
  func testConcatMapKeepsTheOrderOfElementsThatComeBack() {
    let source = PublishSubject<Int>()
    let log = Recorder<Int>()
    let subscription =
      source
      .concatMap { number in
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
    XCTAssertEqual(log.values, [10, 11, 20, 21, 40, 41, 50, 51, 30, 31])
    source.onNext(6)
    XCTAssertEqual(log.values.suffix(2), [60, 61])
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
