import Rx
import RxBinding
import RxTestSupport
import Testing

@MainActor
@Suite struct DeallocatedTests {
  private final class Dial: DelegateProxyHolder, ReactiveCompatible {
    let delegateProxies = DelegateProxies()
  }

  @Test func sendsOnceWhenTheObjectGoes() {
    let log = Recorder<String>()
    let (bag, values) = (DisposeBag(), PublishSubject<Int>())
    var dial: Dial? = Dial()
    dial?.rx.deallocated.subscribe(
      onNext: { log.record("deallocated") }, onCompleted: { log.record("completed") }
    ).disposed(by: bag)
    if let dial {
      values.take(until: dial.rx.deallocated).subscribe(onNext: { log.record("\($0)") }).disposed(by: bag)
    }
    values.onNext(1)
    let late = dial?.rx.deallocated
    dial = nil
    values.onNext(2)
    #expect(log.values == ["1", "deallocated", "completed"])
    #expect(!values.hasObservers)
    late?.subscribe(onNext: { log.record("late") }).disposed(by: bag)
    #expect(log.values.last == "late")
  }
}
