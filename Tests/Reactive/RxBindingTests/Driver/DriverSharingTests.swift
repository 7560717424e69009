import Rx
import RxBinding
import RxTest
import RxTestSupport
import TestSupport
import Testing

@Suite(.leavesNoResources) @MainActor struct DriverSharingTests {
  /// An error becomes an element, and the source is subscribed to anew.
  @Test(arguments: [
    (Event<Int>.completed, [Event<Int>.completed]), (.error(TestError.first), [.next(-1), .completed]),
  ])
  func theNewestElementIsReplayedWhileThereAreSubscribers(end: Event<Int>, becomes last: [Event<Int>]) {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable([
      .next(10, 0), .next(20, 1), .next(30, 2), .next(40, 3), Recorded(time: 50, value: end),
    ])
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

    #expect(observers[0].events == [.next(210, 0), .next(220, 1), .next(230, 2)])
    #expect(
      observers[1].events
        == [.next(225, 1), .next(230, 2), .next(240, 3)] + last.map { Recorded(time: 250, value: $0) })
    #expect(observers[2].events == [.next(270, 0), .next(280, 1)])
    #expect(source.subscriptions == [Subscription(200, 250), Subscription(260, 285)])
  }

  @Test func theNewestElementIsForgottenWithTheLastSubscriber() {
    let source = CountedSource<Int>()
    let driver = source.asDriver(onErrorJustReturn: -1)
    let received = Recorder<Int>()

    driver.drive(onNext: { received.record($0) }).dispose()
    let first = driver.drive()
    source.send(1)
    first.dispose()
    #expect(source.subscriberCount == 0)

    let second = driver.drive(onNext: { received.record($0) })
    #expect(received.values == [])
    source.send(2)
    #expect(received.values == [2])
    second.dispose()
    #expect(source.subscriptionCount == 3)
  }

  @Test(arguments: [("element", [-1]), ("driver", [-1, -2]), ("closure", [-3])])
  func eachFormOfADriverReplacesTheError(_ form: String, with replacement: [Int]) async {
    let source = CountedSource<Int>()
    let driver =
      switch form {
      case "element": source.asDriver(onErrorJustReturn: -1)
      case "driver": source.asDriver(onErrorDriveWith: .of(-1, -2))
      default: source.asDriver { error in .just(error as? TestError == .first ? -3 : -4) }
      }
    let elements = await elements(of: driver) {
      source.send(1, 2)
      source.fail()
    }
    #expect(elements == [1, 2] + replacement)
    #expect(source.subscriptionCount == 1 && source.subscriberCount == 0)
  }

  @Test func eachFormOfASharedSequenceReplacesTheError() {
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
    #expect(received.values == [7, 7, 7, -1, -1, -1])
  }

  @Test func aBehaviorRelayBecomesADriver() async {
    let relay = BehaviorRelay(value: 0)
    let received = Recorder<Int>()
    let subscription = relay.asDriver().drive(onNext: { received.record($0) })
    #expect(received.values == [0])

    onBackgroundQueue {
      relay.accept(1)
      relay.accept(2)
    }
    #expect(await eventually { received.values == [0, 1, 2] })
    subscription.dispose()
  }

  @Test func aSingleBecomesADriver() {
    let received = Recorder<Int>()
    _ = Single.just(1).asDriver(onErrorJustReturn: -1).drive(onNext: { received.record($0) })
    _ = Single<Int>.error(TestError.first).asDriver(onErrorJustReturn: -1).drive(onNext: { received.record($0) })
    #expect(received.values == [1, -1])
  }

  @Test func aSequenceOfMainQueueElementsIsDeliveredInOrderAndAtOnce() {
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

    #expect(observer.elements == ["initial", "first", "second", "third"])
  }

  @Test func driversWithinDriversAreSynchronous() {
    let state = BehaviorSubject(value: 1)
    let received = Recorder<Int>()
    let subscription = state.asDriver(onErrorJustReturn: 0)
      .flatMapLatest { Driver.just($0 * 2) }
      .flatMapLatest { Observable.just($0).asDriver(onErrorJustReturn: -1) }
      .flatMapLatest { Observable.just($0).asDriver(onErrorDriveWith: .empty()) }
      .flatMapLatest { Observable.just($0).asDriver(onErrorRecover: { _ in .empty() }) }
      .drive(onNext: { received.record($0) })
    subscription.dispose()
    #expect(received.values == [2])
  }
}
