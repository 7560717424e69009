import Rx
import RxBinding
import RxTestSupport
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
}
