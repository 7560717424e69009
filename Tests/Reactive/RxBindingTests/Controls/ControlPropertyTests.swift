import Rx
import RxBinding
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct ControlPropertyTests {
  @Test func itsSourceIsSubscribedToOnTheMainQueue() async {
    let isOnMain = Recorder<Bool>()
    let property = ControlProperty(
      values: Observable<Int>.deferred {
        isOnMain.recordWhetherOnMain()
        return .never()
      }, valueSink: AnyObserver { _ in })
    let subscription = onBackgroundQueue { property.subscribe(onNext: { _ in }) }
    #expect(await eventually { isOnMain.values == [true] })
    subscription.dispose()
  }

  @Test func changedLeavesTheFirstValueOut() {
    let value = BehaviorSubject(value: 0)
    let property = ControlProperty(values: value, valueSink: AnyObserver { _ in })
    let received = Recorder<Int>()
    let subscription = property.changed.subscribe(onNext: { received.record($0) })
    #expect(received.values == [])
    value.onNext(1)
    subscription.dispose()
    value.onNext(2)
    #expect(received.values == [1])
  }

  @Test func orEmptyReadsNilAsEmpty() {
    let set = Recorder<Event<String?>>()
    let property = ControlProperty<String?>(values: Observable.just(nil), valueSink: AnyObserver { set.record($0) })
    let received = Recorder<String>()
    _ = property.orEmpty.subscribe(onNext: { received.record($0) })
    property.orEmpty.onNext("a")
    #expect(received.values == [""])
    #expect(set.values.compactMap(\.element) == ["a"])
  }
}
