import Rx
import RxBinding
import RxTestSupport
import Testing

@MainActor @Suite(.inTurn) struct AsInfallibleTests {
  @Test func whatNeverFailsIsInfallible() {
    let log = Recorder<String>()
    let bag = DisposeBag()
    let (relay, taps) = (BehaviorRelay(value: 1), PublishSubject<Int>())
    let property = ControlProperty(values: relay.asObservable(), valueSink: AnyObserver<Int> { _ in })
    let ways: [(String, Infallible<Int>)] = [
      ("driver", relay.asDriver().asInfallible()), ("signal", taps.asSignal(onErrorJustReturn: 0).asInfallible()),
      ("event", ControlEvent(events: taps).asInfallible()), ("property", property.asInfallible()),
    ]
    for (name, infallible) in ways {
      infallible.subscribe(onNext: { log.record("\(name) \($0)") }).disposed(by: bag)
    }
    #expect(log.values == ["driver 1", "property 1"])
    taps.onNext(2)
    #expect(log.values.dropFirst(2) == ["signal 2", "event 2"])
  }

  /// What is sent elsewhere comes to the main actor.
  @Test func relaysAndControlsAreDriversAndSignalsWithoutMore() async {
    let (state, published, replayed) = (BehaviorRelay(value: 0), PublishRelay<Int>(), ReplayRelay<Int>.createUnbound())
    let property = ControlProperty(values: state.asObservable(), valueSink: AnyObserver<Int> { _ in })
    let (event, bag) = (ControlEvent(events: published).asControlEvent(), DisposeBag())
    published.accept(1)
    replayed.accept(2)
    let drivers = [state.asDriver(), property.asControlProperty().asDriver(), published.asDriver(), event.asDriver()]
    let signals = [published.asSignal(), event.asSignal(), replayed.asSignal()]
    let logs = (drivers.map { $0.asObservable() } + signals.map { $0.asObservable() }).map { source in
      let log = Recorder<Int>()
      source.subscribe(onNext: { element in
        MainActor.assertIsolated()
        log.record(element)
      }).disposed(by: bag)
      return log
    }
    onBackgroundQueue {
      state.accept(3)
      published.accept(4)
      replayed.accept(5)
    }
    let expected = [[0, 3], [0, 3], [4], [4], [4], [4], [2, 5]]
    #expect(await eventually { logs.map(\.values) == expected })
  }

  /// Fails if it does not move to the main actor, or does not share.
  @Test func whatIsInfallibleIsADriverWithoutMore() async {
    let (subscriptions, log) = (Recorder<Int>(), Recorder<String>())
    let driver = Infallible<Int>.create { observer in
      subscriptions.record(1)
      DispatchQueue.global().async { observer(.next(7)) }
      return Disposables.create()
    }.asDriver()
    let bag = DisposeBag()
    for name in ["first", "second"] {
      driver.drive(onNext: { log.record("\(name) \($0)") }).disposed(by: bag)
    }
    #expect(await eventually { log.values.count == 2 })
    #expect(log.values == ["first 7", "second 7"])
    #expect(subscriptions.values.count == 1)
  }
}
