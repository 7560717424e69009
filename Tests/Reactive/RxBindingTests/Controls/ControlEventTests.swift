import Rx
import RxBinding
import RxTestSupport
import XCTest

// `@unchecked Sendable`: XCTest calls it on the main thread only.
final class ControlEventTests: RxTestCase, @unchecked Sendable {
  func testItsSourceIsSubscribedToOnTheMainQueue() {
    let isOnMain = Recorder<Bool>()
    let event = ControlEvent(
      events: Observable<Int>.deferred {
        isOnMain.recordWhetherOnMain()
        return .never()
      })
    let subscriptions = onBackgroundQueue {
      [event.subscribe(onNext: { _ in }), event.asObservable().subscribe(onNext: { _ in })]
    }
    XCTAssertTrue(eventually { isOnMain.values == [true, true] })
    for subscription in subscriptions { subscription.dispose() }
  }

  func testOnTheMainQueueTheSubscriptionBeginsAtOnce() {
    let taps = PublishSubject<Int>()
    let event = ControlEvent(events: taps)
    let received = Recorder<Int>()
    let subscription = event.asControlEvent().subscribe(onNext: { received.record($0) })
    taps.onNext(1)
    XCTAssertEqual(received.values, [1])
    subscription.dispose()
    XCTAssertTrue(eventually { !taps.hasObservers })
  }

  func testAsDriverAndAsSignal() {
    onMain {
      let taps = PublishSubject<Int>()
      let event = ControlEvent(events: taps)
      let driven = Recorder<Int>()
      let emitted = Recorder<Int>()
      _ = event.asDriver().drive(onNext: { driven.record($0) })
      _ = event.asSignal().emit(onNext: { emitted.record($0) })
      onBackgroundQueue { taps.onNext(1) }
      XCTAssertTrue(eventually { driven.values == [1] && emitted.values == [1] })
      taps.onCompleted()
    }
  }
}
