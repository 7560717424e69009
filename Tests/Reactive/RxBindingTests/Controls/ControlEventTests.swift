import Rx
import RxBinding
import RxTestSupport
import TestSupport
import Testing

@Suite(.leavesNoResources) @MainActor struct ControlEventTests {
  @Test func itsSourceIsSubscribedToOnTheMainQueue() async {
    let isOnMain = Recorder<Bool>()
    let event = ControlEvent(
      events: Observable<Int>.deferred {
        isOnMain.recordWhetherOnMain()
        return .never()
      })
    let subscriptions = onBackgroundQueue {
      [event.subscribe(onNext: { _ in }), event.asObservable().subscribe(onNext: { _ in })]
    }
    #expect(await eventually { isOnMain.values == [true, true] })
    for subscription in subscriptions { subscription.dispose() }
  }

  @Test func onTheMainQueueTheSubscriptionBeginsAtOnce() async {
    let taps = PublishSubject<Int>()
    let event = ControlEvent(events: taps)
    let received = Recorder<Int>()
    let subscription = event.asControlEvent().subscribe(onNext: { received.record($0) })
    taps.onNext(1)
    #expect(received.values == [1])
    subscription.dispose()
    #expect(await eventually { !taps.hasObservers })
  }

  @Test func anEventBecomesADriverAndASignal() async {
    let taps = PublishSubject<Int>()
    let event = ControlEvent(events: taps)
    let driven = Recorder<Int>()
    let emitted = Recorder<Int>()
    _ = event.asDriver().drive(onNext: { driven.record($0) })
    _ = event.asSignal().emit(onNext: { emitted.record($0) })
    onBackgroundQueue { taps.onNext(1) }
    #expect(await eventually { driven.values == [1] && emitted.values == [1] })
    taps.onCompleted()
  }
}
