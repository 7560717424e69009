import Rx
import RxBinding
import RxTest
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct DriveTests {
  private func observer<Element: Sendable>(_ recorder: Recorder<Event<Element>>) -> AnyObserver<Element> {
    AnyObserver { recorder.record($0) }
  }

  @Test func driveSendsToObservers() {
    let (first, second) = (Recorder<Event<Int>>(), Recorder<Event<Int>>())
    _ = Driver.just(1).drive(observer(first), observer(second))
    #expect([first, second].map(\.values) == [[.next(1), .completed], [.next(1), .completed]])
    let (optional, another) = (Recorder<Event<Int?>>(), Recorder<Event<Int?>>())
    _ = (Driver.just(1) as Driver<Int>).drive(observer(optional), observer(another))
    #expect([optional, another].map(\.values) == [[.next(1), .completed], [.next(1), .completed]])
  }

  @Test func driveSendsToBehaviorRelays() {
    let relays = (BehaviorRelay(value: 0), BehaviorRelay(value: 0))
    let optionals = (BehaviorRelay<Int?>(value: 0), BehaviorRelay<Int?>(value: nil))
    _ = (Driver.just(1) as Driver<Int>).drive(relays.0, relays.1)
    _ = (Driver.just(2) as Driver<Int>).drive(optionals.0)
    _ = (Driver.just(nil) as Driver<Int?>).drive(optionals.0)
    _ = Driver.just(3).drive(optionals.1)
    #expect([relays.0.value, relays.1.value] == [1, 1])
    #expect([optionals.0.value, optionals.1.value] == [nil, 3])
  }

  @Test func driveSendsToReplayRelays() async {
    let relay = ReplayRelay<Int>.create(bufferSize: 2)
    let optional = ReplayRelay<Int?>.create(bufferSize: 2)
    _ = (Driver.of(1, 2) as Driver<Int>).drive(relay)
    _ = (Driver.of(1, 2) as Driver<Int>).drive(optional)
    let received = Recorder<Int?>()
    let bag = DisposeBag()
    relay.subscribe(onNext: { received.record($0) }).disposed(by: bag)
    optional.subscribe(onNext: { received.record($0) }).disposed(by: bag)
    #expect(await eventually { received.values == [1, 1, 2, 2] })
    _ = (Driver.just(nil) as Driver<Int?>).drive(optional)
    #expect(received.values.last == .some(nil))
  }

  @Test func driveCallsFunctions() async {
    let doubled = Driver.of(1, 2).drive { $0.map { $0 * 2 } }
    let scaled = Driver.of(1, 2).drive({ source in { factor in source.map { $0 * factor } } }, curriedArgument: 10)
    let received = Recorder<Int>()
    _ = doubled.subscribe(onNext: { received.record($0) })
    #expect(await eventually { received.values == [2, 4] })
    _ = scaled.subscribe(onNext: { received.record($0) })
    #expect(await eventually { received.values == [2, 4, 10, 20] })
  }

  @Test func driveCallsACurriedFunctionOfTheMainActor() async {
    let received = Recorder<Int>()
    let scaled: @MainActor (Observable<Int>) -> @MainActor (Int) -> any Disposable = { source in
      { factor in source.subscribe(onNext: { received.record($0 * factor) }) }
    }
    _ = Driver.of(1, 2).drive(scaled, curriedArgument: 10)
    #expect(await eventually { received.values == [10, 20] })
  }

  @Test func driveCallsItsClosures() {
    let received = Recorder<String>()
    let relay = BehaviorRelay(value: 1)
    let subscription = relay.asDriver().drive(
      onNext: { received.record("next \($0)") },
      onCompleted: { received.record("completed") },
      onDisposed: { received.record("disposed") })
    #expect(received.values == ["next 1"])
    subscription.dispose()
    relay.accept(2)
    #expect(received.values == ["next 1", "disposed"])

    _ = Driver<Int>.empty().drive(
      onCompleted: { received.record("completed") }, onDisposed: { received.record("disposed too") })
    #expect(received.values.suffix(2) == ["completed", "disposed too"])
  }

  @Test func aDisposalElsewhereIsToldOnTheMainActor() async {
    let isOnMain = Recorder<Bool>()
    let subscription = Driver<Int>.never().drive(onDisposed: { isOnMain.recordWhetherOnMain() })
    onBackgroundQueue { subscription.dispose() }
    #expect(await eventually { isOnMain.values == [true] })
  }

  @Test func driveWithAnObjectHoldsItWeakly() {
    let (relay, log) = (BehaviorRelay(value: "a"), Recorder<String>())
    func drive(_ driver: Driver<String>, with owner: Captured) -> any Disposable {
      driver.drive(
        with: owner, onNext: { log.record($1) }, onCompleted: { _ in log.record("completed") },
        onDisposed: { _ in log.record("disposed") })
    }
    var owner: Captured? = Captured()
    weak let held = owner
    let subscription = owner.map { drive(relay.asDriver(), with: $0) }
    relay.accept("b")
    owner = nil
    #expect(held == nil)
    relay.accept("c")
    subscription?.dispose()
    #expect(log.values == ["a", "b"])

    let kept = Captured()
    _ = drive(.just("d"), with: kept)
    withExtendedLifetime(kept) { #expect(log.values.dropFirst(2) == ["d", "completed", "disposed"]) }
  }

  /// The element that is replayed passes through the closures of a driver that is made of the first one.
  @Test func aDriverSubscribedToElsewhereCallsItsClosuresOnTheMainActor() async {
    let relay = BehaviorRelay(value: 1)
    let isOnMain = Recorder<Bool>()
    let received = Recorder<Int>()
    let source = relay.asDriver()
    let driver = source.map { value in
      isOnMain.recordWhetherOnMain()
      return value * 10
    }
    let subscriptions = [
      source.asObservable().subscribe(),
      onBackgroundQueue { driver.asObservable().subscribe(onNext: { received.record($0) }) },
    ]
    #expect(await eventually { received.values == [10] })
    relay.accept(2)
    #expect(await eventually { received.values == [10, 20] })
    #expect(isOnMain.values == [true, true])
    for subscription in subscriptions { subscription.dispose() }
  }
}
