import Rx
import RxBinding
import RxTest
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct SignalTests {
  @Test func nothingIsReplayed() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable([
      .next(10, 0), .next(20, 1), .next(30, 2), .error(40, TestError.first),
    ])
    let signal = source.asSignal(onErrorJustReturn: -1)
    let observers = (0..<3).map { _ in scheduler.createObserver(Int.self) }
    for (time, observer) in zip([200, 225, 260], observers) {
      scheduler.scheduleAt(time) { _ = signal.emit(to: observer) }
    }
    scheduler.start()

    #expect(observers[0].events == [.next(210, 0), .next(220, 1), .next(230, 2), .next(240, -1), .completed(240)])
    #expect(observers[1].events == [.next(230, 2), .next(240, -1), .completed(240)])
    #expect(observers[2].events.first == .next(270, 0))
    #expect(source.subscriptions == [Subscription(200, 240), Subscription(260, 300)])
  }

  @Test func emitSendsToObservers() {
    let first = Recorder<Event<Int>>()
    let second = Recorder<Event<Int>>()
    let optional = Recorder<Event<Int?>>()
    _ = Signal.just(1).emit(to: AnyObserver { first.record($0) }, AnyObserver { second.record($0) })
    _ = (Signal.just(1) as Signal<Int>).emit(to: AnyObserver<Int?> { optional.record($0) })
    #expect(first.values == [.next(1), .completed])
    #expect(second.values == [.next(1), .completed])
    #expect(optional.values == [.next(1), .completed])
  }

  @Test func emitSendsToRelays() {
    let (behavior, publish) = (BehaviorRelay(value: 0), PublishRelay<Int?>())
    let (replay, received) = (ReplayRelay<Int>.create(bufferSize: 1), Recorder<Int?>())
    let subscription = publish.subscribe(onNext: { received.record($0) })
    let signal: Signal<Int> = .just(1)
    _ = signal.emit(to: behavior)
    _ = signal.emit(to: publish)
    _ = signal.emit(to: replay)
    replay.subscribe(onNext: { received.record($0) }).dispose()
    #expect(behavior.value == 1)
    #expect(received.values == [1, 1])
    subscription.dispose()
  }

  @Test func emitCallsItsClosures() async {
    let received = Recorder<String>()
    _ = Signal.of(1, 2).emit(
      onNext: { received.record("next \($0)") }, onCompleted: { received.record("completed") },
      onDisposed: { received.record("disposed") })
    #expect(await eventually { received.values == ["next 1", "next 2", "completed", "disposed"] })
  }

  @Test func anOrdinarySubscriptionOnAnyThreadCallsTheClosuresOnTheMainActor() async {
    let isOnMain = Recorder<Bool>()
    let relay = PublishRelay<Int>()
    let signal = relay.asSignal().startWith(0)
      .do(onNext: { _ in isOnMain.recordWhetherOnMain() }, onDispose: { isOnMain.recordWhetherOnMain() })
    let subscription = onBackgroundQueue { signal.asObservable().subscribe() }
    #expect(await eventually { isOnMain.values.count == 1 })
    onBackgroundQueue { relay.accept(1) }
    #expect(await eventually { isOnMain.values.count == 2 })
    onBackgroundQueue { subscription.dispose() }
    #expect(await eventually { isOnMain.values == [true, true, true] })
  }

  @Test func emitWithAnObjectHoldsItWeakly() {
    let (relay, received) = (PublishRelay<Int>(), Recorder<Int>())
    var owner: Captured? = Captured()
    weak let held = owner
    _ = owner.map { relay.asSignal().emit(with: $0, onNext: { received.record($1) }) }
    relay.accept(1)
    owner = nil
    #expect(held == nil)
    relay.accept(2)
    #expect(received.values == [1])
  }

  @Test func withUnretainedCompletesWhenTheObjectHasGone() {
    let (relay, received) = (PublishRelay<Int>(), Recorder<String>())
    var owner: Captured? = Captured()
    _ = relay.asSignal().withUnretained(owner!).map { "\($1)" }
      .emit(onNext: { received.record($0) }, onCompleted: { received.record("completed") })
    _ = relay.asSignal().withUnretained(owner!) { _, element in "!\(element)" }.emit(onNext: { received.record($0) })
    relay.accept(1)
    owner = nil
    relay.accept(2)
    #expect(received.values == ["1", "!1", "completed"])
  }
}
