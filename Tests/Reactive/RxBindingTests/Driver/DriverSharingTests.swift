import Rx
import RxBinding
import RxTest
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct DriverSharingTests {
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

  @Test func eachFormReplacesTheError() async {
    await expect([-1]) { $0.asDriver(onErrorJustReturn: -1) }
    await expect([-1, -2]) { $0.asDriver(onErrorDriveWith: .of(-1, -2)) }
    await expect([-3]) { $0.asDriver { error in .just(error as? TestError == .first ? -3 : -4) } }
    await expect([-1]) { $0.asSignal(onErrorJustReturn: -1) }
    await expect([-2]) { $0.asSignal(onErrorSignalWith: .just(-2)) }
    await expect([]) { $0.asSignal { _ in .empty() } }
    await expect([-1]) { source -> Signal<Int> in source.asSharedSequence(onErrorJustReturn: -1) }
    await expect([-1]) { source -> Signal<Int> in source.asSharedSequence(onErrorDriveWith: .just(-1)) }
    await expect([-1]) { $0.asSharedSequence(sharingStrategy: SignalSharingStrategy.self) { _ in .just(-1) } }
  }

  /// Checks that what `make` makes is shared, and sends `replacement` in place of an error.
  private func expect<Strategy: SharingStrategyProtocol>(
    _ replacement: [Int], at location: SourceLocation = #_sourceLocation,
    _ make: (CountedSource<Int>) -> SharedSequence<Strategy, Int>
  ) async {
    let source = CountedSource<Int>()
    let elements = await elements(of: make(source), at: location) {
      source.send(1, 2)
      source.fail()
    }
    #expect(elements == [1, 2] + replacement, sourceLocation: location)
    #expect(source.subscriptionCount == 1, sourceLocation: location)
    #expect(source.subscriberCount == 0, sourceLocation: location)
  }

  @Test func aSingleBecomesADriver() {
    let received = Recorder<Int>()
    _ = Single.just(1).asDriver(onErrorJustReturn: -1).drive(onNext: { received.record($0) })
    _ = Single<Int>.error(TestError.first).asDriver(onErrorJustReturn: -1).drive(onNext: { received.record($0) })
    #expect(received.values == [1, -1])
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
