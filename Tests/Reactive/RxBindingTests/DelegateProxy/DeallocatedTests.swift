import Rx
import RxBinding
import RxTestSupport
import Testing

@MainActor @Suite(.inTurn) struct DeallocatedTests {
  private final class Dial: DelegateProxyHolder, ReactiveCompatible {
    let delegateProxies = DelegateProxies()
  }

  private final class Plain: ReactiveCompatible {
    var name = "plain"
  }

  private final class Constant: ReactiveCompatible, Sendable {}

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

  /// The end of an object without a place for its proxies is found out soon, whether the object is `Sendable` or not. Nothing
  /// is said of an object that is still there.
  @Test func theEndOfAnyObjectIsFoundOut() async {
    let log = Recorder<String>()
    let (bag, values) = (DisposeBag(), PublishSubject<Int>())
    var (plain, constant): (Plain?, Constant?) = (Plain(), Constant())
    let other = Plain()
    if let plain, let constant {
      log.subscribe(to: values.take(until: plain.rx.deallocated).map { "\($0)" }, as: "plain ").disposed(by: bag)
      log.subscribe(to: values.take(until: ended(constant)).map { "\($0)" }, as: "constant ").disposed(by: bag)
      other.rx.deallocated.subscribe(onNext: { log.record("other") }).disposed(by: bag)
    }
    values.onNext(1)
    (plain, constant) = (nil, nil)
    #expect(await eventually { !values.hasObservers })
    #expect(
      log.values.sorted() == [
        "constant 1", "constant completed", "constant disposed", "plain 1", "plain completed", "plain disposed",
      ])
    withExtendedLifetime(other) {}
  }

  /// The end of an object, asked for off the main actor.
  private nonisolated func ended(_ constant: Constant) -> Observable<Void> { constant.rx.deallocated }

  /// Also after the object has gone.
  @Test func mayBeSubscribedToFromAnyThread() async {
    let (log, bag) = (Recorder<Bool>(), DisposeBag())
    var constant: Constant? = Constant()
    let sequence = constant.map { ended($0) }
    let early = onBackgroundQueue { sequence?.subscribe(onNext: { log.recordWhetherOnMain() }) }
    constant = nil
    #expect(await eventually { log.values == [true] })
    let late = onBackgroundQueue { sequence?.subscribe(onNext: { log.recordWhetherOnMain() }) }
    #expect(await eventually { log.values == [true, true] })
    for subscription in [early, late] { subscription?.disposed(by: bag) }
  }
}
