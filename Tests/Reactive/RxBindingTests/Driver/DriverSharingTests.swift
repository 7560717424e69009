import Rx
import RxBinding
import RxTest
import RxTestSupport
import XCTest

// `@unchecked Sendable`: XCTest calls it on the main thread only.
final class DriverSharingTests: SharedSequenceTestCase, @unchecked Sendable {
  @MainActor private func events(
    ending end: Recorded<Event<Int>>, expecting lastEvents: [Recorded<Event<Int>>], line: UInt = #line
  ) {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable([.next(10, 0), .next(20, 1), .next(30, 2), .next(40, 3), end])
    let driver = source.asDriver(onErrorJustReturn: -1)
    let observers = (0..<3).map { _ in scheduler.createObserver(Int.self) }
    var subscriptions: [any Disposable] = []

    for (time, observer) in [(200, observers[0]), (225, observers[1])] {
      scheduler.scheduleAt(time) { subscriptions.append(driver.drive(observer)) }
    }
    scheduler.scheduleAt(235) { subscriptions[0].dispose() }
    scheduler.scheduleAt(260) {
      subscriptions[1].dispose()
      subscriptions.append(driver.drive(observers[2]))
    }
    scheduler.scheduleAt(285) { subscriptions[2].dispose() }
    scheduler.start()

    XCTAssertEqual(observers[0].events, [.next(210, 0), .next(220, 1), .next(230, 2)], line: line)
    XCTAssertEqual(
      observers[1].events, [.next(225, 1), .next(230, 2), .next(240, 3)] + lastEvents, line: line)
    XCTAssertEqual(observers[2].events, [.next(270, 0), .next(280, 1)], line: line)
    XCTAssertEqual(source.subscriptions, [Subscription(200, 250), Subscription(260, 285)], line: line)
  }

  func testTheNewestElementIsReplayedWhileThereAreSubscribers() {
    onMain {
      events(ending: .completed(50), expecting: [.completed(250)])
    }
  }

  func testAnErrorBecomesAnElementAndTheSourceIsSubscribedToAnew() {
    onMain {
      events(ending: .error(50, TestError.first), expecting: [.next(250, -1), .completed(250)])
    }
  }

  func testTheNewestElementIsForgottenWithTheLastSubscriber() {
    onMain {
      let source = CountedSource<Int>()
      let driver = source.asDriver(onErrorJustReturn: -1)
      let received = Recorder<Int>()

      driver.drive(onNext: { received.record($0) }).dispose()
      let first = driver.drive()
      source.send(1)
      first.dispose()
      XCTAssertEqual(source.subscriberCount, 0)

      let second = driver.drive(onNext: { received.record($0) })
      XCTAssertEqual(received.values, [])
      source.send(2)
      XCTAssertEqual(received.values, [2])
      second.dispose()
      XCTAssertEqual(source.subscriptionCount, 3)
    }
  }

  func testAsDriverWithAnElementForErrors() {
    let source = CountedSource<Int>()
    let elements = elements(of: source.asDriver(onErrorJustReturn: -1)) {
      source.send(1, 2)
      source.fail()
    }
    XCTAssertEqual(elements, [1, 2, -1])
    XCTAssertEqual(source.subscriptionCount, 1)
    XCTAssertEqual(source.subscriberCount, 0)
  }

  func testAsDriverWithADriverForErrors() {
    let source = CountedSource<Int>()
    let elements = elements(of: source.asDriver(onErrorDriveWith: .of(-1, -2))) {
      source.send(1, 2)
      source.fail()
    }
    XCTAssertEqual(elements, [1, 2, -1, -2])
    XCTAssertEqual(source.subscriptionCount, 1)
  }

  func testAsDriverWithAClosureForErrors() {
    let source = CountedSource<Int>()
    let driver = source.asDriver { error in .just(error as? TestError == .first ? -1 : -2) }
    let elements = elements(of: driver) {
      source.send(1)
      source.fail()
    }
    XCTAssertEqual(elements, [1, -1])
  }

  func testAsSharedSequenceWithEachFormForErrors() {
    onMain {
      let source = CountedSource<Int>()
      let forms: [Signal<Int>] = [
        source.asSharedSequence(onErrorJustReturn: -1),
        source.asSharedSequence(onErrorDriveWith: .just(-1)),
        source.asSharedSequence(sharingStrategy: SignalSharingStrategy.self) { _ in .just(-1) },
      ]
      let received = Recorder<Int>()
      for form in forms {
        _ = form.emit(onNext: { received.record($0) })
      }
      source.send(7)
      source.fail()
      XCTAssertEqual(received.values, [7, 7, 7, -1, -1, -1])
    }
  }

  func testABehaviorRelayAsDriver() {
    onMain {
      let relay = BehaviorRelay(value: 0)
      let received = Recorder<Int>()
      let subscription = relay.asDriver().drive(onNext: { received.record($0) })
      XCTAssertEqual(received.values, [0])

      onBackgroundQueue {
        relay.accept(1)
        relay.accept(2)
      }
      XCTAssertTrue(eventually { received.values == [0, 1, 2] })
      subscription.dispose()
    }
  }

  func testASingleAsDriver() {
    onMain {
      let received = Recorder<Int>()
      _ = Single.just(1).asDriver(onErrorJustReturn: -1).drive(onNext: { received.record($0) })
      _ = Single<Int>.error(TestError.first).asDriver(onErrorJustReturn: -1).drive(onNext: { received.record($0) })
      XCTAssertEqual(received.values, [1, -1])
    }
  }

  func testASequenceOfMainQueueElementsIsDeliveredInOrderAndAtOnce() {
    onMain {
      let scheduler = TestScheduler(initialClock: 0)
      let observer = scheduler.createObserver(String.self)
      let relay = BehaviorRelay(value: "initial")
      let bag = DisposeBag()

      relay.asDriver().drive(observer).disposed(by: bag)
      for item in ["first", "second"] {
        Observable<String>.create { observer in
          observer.onNext(item)
          observer.onCompleted()
          return Disposables.create()
        }
        .asDriver(onErrorJustReturn: "").drive(relay).disposed(by: bag)
      }
      Observable.just("third").bind(to: relay).disposed(by: bag)

      XCTAssertEqual(observer.elements, ["initial", "first", "second", "third"])
    }
  }

  func testDriversWithinDriversAreSynchronous() {
    onMain {
      let state = BehaviorSubject(value: 1)
      let received = Recorder<Int>()
      let subscription = state.asDriver(onErrorJustReturn: 0)
        .flatMapLatest { Driver.just($0 * 2) }
        .flatMapLatest { Observable.just($0).asDriver(onErrorJustReturn: -1) }
        .flatMapLatest { Observable.just($0).asDriver(onErrorDriveWith: .empty()) }
        .flatMapLatest { Observable.just($0).asDriver(onErrorRecover: { _ in .empty() }) }
        .drive(onNext: { received.record($0) })
      subscription.dispose()
      XCTAssertEqual(received.values, [2])
    }
  }
}
