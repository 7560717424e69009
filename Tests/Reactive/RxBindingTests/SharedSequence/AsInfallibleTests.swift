import Dispatch
import Rx
import RxBinding
import RxTestSupport
import TestSupport
import Testing

@MainActor
@Suite struct AsInfallibleTests {
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

  @Test func everyRelayIsADriverAndASignalWithoutMore() {
    let (published, replayed, log) = (PublishRelay<Int>(), ReplayRelay<Int>.create(bufferSize: 1), Recorder<String>())
    let bag = DisposeBag()
    replayed.accept(1)
    published.asDriver().drive(onNext: { log.record("driver \($0)") }).disposed(by: bag)
    replayed.asSignal().emit(onNext: { log.record("signal \($0)") }).disposed(by: bag)
    published.accept(2)
    #expect(log.values == ["signal 1", "driver 2"])
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
