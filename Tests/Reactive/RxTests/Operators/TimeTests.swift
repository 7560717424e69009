import Foundation
import Rx
import RxTest
import RxTestSupport
import XCTest

final class TimerTests: OperatorTestCase {
  func testInterval() {
    XCTAssertEqual(
      events(disposed: 520) { [scheduler] in Observable<Int>.interval(.seconds(100), scheduler: scheduler) },
      [.next(300, 0), .next(400, 1), .next(500, 2)])
  }

  func testIntervalOfNothing() {
    XCTAssertEqual(
      events(disposed: 204) { [scheduler] in Observable<Int>.interval(.seconds(0), scheduler: scheduler) },
      [.next(201, 0), .next(202, 1), .next(203, 2)])
  }

  func testIntervalOfNothingOnAQueue() {
    let log = Recorder<Int>()
    let subscription = Observable<Int>
      .interval(.seconds(0), scheduler: SerialDispatchQueueScheduler(qos: .default))
      .take(while: { $0 < 10 }).subscribe(onNext: { log.record($0) }, onCompleted: { log.record(-1) })
    XCTAssertTrue(eventually { log.values == Array(0..<10) + [-1] })
    subscription.dispose()
  }

  func testTimer() {
    XCTAssertEqual(
      events { [scheduler] in Observable<Int>.timer(.seconds(300), scheduler: scheduler) },
      [.next(500, 0), .completed(500)])
  }

  func testTimerWithPeriod() {
    XCTAssertEqual(
      events(disposed: 420) { [scheduler] in
        Observable<UInt8>.timer(.seconds(50), period: .seconds(80), scheduler: scheduler)
      }, [.next(250, 0), .next(330, 1), .next(410, 2)])
  }

  func testTimerDisposal() {
    XCTAssertEqual(
      events(disposed: 400) { [scheduler] in Observable<Int>.timer(.seconds(300), scheduler: scheduler) }, [])
  }

  func testIntervalWrapsAround() {
    let received = events(disposed: 1000) { [scheduler] in
      Observable<Int8>.interval(.seconds(1), scheduler: scheduler)
    }
    XCTAssertEqual(received.map { $0.value.element }[126...129], [126, 127, -128, -127])
  }

  func testIntervalOnAQueue() {
    let log = Recorder<Int>()
    let subscription = Observable<Int>
      .interval(.milliseconds(1), scheduler: SerialDispatchQueueScheduler(qos: .userInitiated))
      .take(5).subscribe(onNext: { log.record($0) }, onCompleted: { log.record(-1) })
    XCTAssertTrue(eventually { log.values == [0, 1, 2, 3, 4, -1] })
    subscription.dispose()
  }
}

final class DebounceTests: OperatorTestCase {
  private let error = TestError.first

  func testSendsWhatNothingFollows() {
    let xs = hot(
      .next(210, 1), .next(240, 2), .next(260, 3), .next(350, 4), .next(360, 5), .next(400, 6), .completed(600))
    XCTAssertEqual(
      events { [scheduler] in xs.debounce(.seconds(50), scheduler: scheduler) },
      [.next(310, 3), .next(450, 6), .completed(600)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 600)])
  }

  func testSendsThePendingOneOnCompletion() {
    let xs = hot(.next(210, 1), .next(240, 2), .completed(250))
    XCTAssertEqual(
      events { [scheduler] in xs.debounce(.seconds(50), scheduler: scheduler) },
      [.next(250, 2), .completed(250)])
  }

  func testErrorDropsThePendingOne() {
    let xs = hot(.next(210, 1), .error(250, error))
    XCTAssertEqual(
      events { [scheduler] in xs.debounce(.seconds(50), scheduler: scheduler) }, [.error(250, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 250)])
  }

  func testDisposalDropsThePendingOne() {
    let xs = hot(.next(210, 1))
    XCTAssertEqual(
      events(disposed: 250) { [scheduler] in xs.debounce(.seconds(50), scheduler: scheduler) }, [])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 250)])
  }

  func testEmpty() {
    let xs = hot(.completed(250, Int.self))
    XCTAssertEqual(
      events { [scheduler] in xs.debounce(.seconds(50), scheduler: scheduler) }, [.completed(250)])
  }
}

final class ThrottleTests: OperatorTestCase {
  private let error = TestError.first

  private func source(end: Recorded<Event<Int>>) -> TestableObservable<Int> {
    hot(.next(150, 1), .next(210, 2), .next(250, 3), .next(310, 4), .next(350, 5), .next(410, 6), .next(450, 7), end)
  }

  func testLatest() {
    let xs = source(end: .completed(500))
    XCTAssertEqual(
      events { [scheduler] in xs.throttle(.seconds(200), scheduler: scheduler) },
      [.next(210, 2), .next(410, 6), .next(610, 7), .completed(610)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 500)])
  }

  func testLatestCompletedAfterDueTime() {
    let xs = source(end: .completed(900))
    XCTAssertEqual(
      events { [scheduler] in xs.throttle(.seconds(200), scheduler: scheduler) },
      [.next(210, 2), .next(410, 6), .next(610, 7), .completed(900)])
  }

  func testLatestSendsWhatHasComeLast() {
    let xs = hot(.next(210, 1), .next(220, 2), .next(230, 3), .next(330, 4), .completed(900))
    XCTAssertEqual(
      events { [scheduler] in xs.throttle(.seconds(100), scheduler: scheduler) },
      [.next(210, 1), .next(310, 3), .next(410, 4), .completed(900)])
  }

  func testNotLatest() {
    let xs = source(end: .completed(500))
    XCTAssertEqual(
      events { [scheduler] in xs.throttle(.seconds(200), latest: false, scheduler: scheduler) },
      [.next(210, 2), .next(410, 6), .completed(500)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 500)])
  }

  func testErrorDropsThePendingOne() {
    let xs = source(end: .error(500, error))
    XCTAssertEqual(
      events { [scheduler] in xs.throttle(.seconds(200), scheduler: scheduler) },
      [.next(210, 2), .next(410, 6), .error(500, error)])
  }

  func testDisposalDropsThePendingOne() {
    let xs = source(end: .completed(900))
    XCTAssertEqual(
      events(disposed: 500) { [scheduler] in xs.throttle(.seconds(200), scheduler: scheduler) },
      [.next(210, 2), .next(410, 6)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 500)])
  }

  func testFractionsOfTheUnitCount() {
    let fine = TestScheduler(initialClock: 0, resolution: 0.1)
    let xs = fine.createHotObservable([.next(210, 1), .next(216, 2), .next(219, 3), .next(225, 4), .completed(300)])
    let received = fine.start { xs.throttle(.seconds(1), scheduler: fine) }.events
    XCTAssertEqual(received, [.next(210, 1), .next(220, 3), .next(230, 4), .completed(300)])
  }

  func testNever() {
    let xs = hot(.next(210, 1), .next(900, 2), .completed(950))
    XCTAssertEqual(
      events { [scheduler] in xs.throttle(.never, latest: false, scheduler: scheduler) },
      [.next(210, 1), .completed(950)])
  }
}

final class DelayTests: OperatorTestCase {
  private let error = TestError.first

  func testDelays() {
    for (dueTime, shift) in [(100, 100), (50, 50), (150, 150), (42, 42)] {
      each([dueTime]) { _ in
        let xs = hot(.next(150, 1), .next(250, 2), .next(350, 3), .next(450, 4), .completed(550))
        XCTAssertEqual(
          events { [scheduler] in xs.delay(.seconds(dueTime), scheduler: scheduler) },
          [.next(250 + shift, 2), .next(350 + shift, 3), .next(450 + shift, 4), .completed(550 + shift)])
        XCTAssertEqual(xs.subscriptions, [Subscription(200, 550)])
      }
    }
  }

  func testErrorOvertakes() {
    let xs = hot(.next(250, 2), .next(350, 3), .next(450, 4), .error(550, error))
    XCTAssertEqual(
      events { [scheduler] in xs.delay(.seconds(150), scheduler: scheduler) },
      [.next(400, 2), .next(500, 3), .error(550, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 550)])
  }

  func testEmptyIsDelayedNeverIsNot() {
    let xs = hot(.completed(250, Int.self))
    XCTAssertEqual(
      events { [scheduler] in xs.delay(.seconds(150), scheduler: scheduler) }, [.completed(400)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 250)])
  }

  func testDisposal() {
    let xs = hot(.next(250, 2), .next(350, 3))
    XCTAssertEqual(
      events(disposed: 450) { [scheduler] in xs.delay(.seconds(150), scheduler: scheduler) }, [.next(400, 2)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 450)])
  }

  func testElementsOfOneTimeGoOneTickApart() {
    let xs = hot(.next(250, 1), .next(250, 2), .next(250, 3), .completed(250))
    XCTAssertEqual(
      events { [scheduler] in xs.delay(.seconds(100), scheduler: scheduler) },
      [.next(350, 1), .next(351, 2), .next(352, 3), .completed(353)])
  }

  func testErrorWhileSending() {
    let subject = PublishSubject<Int>()
    let log = Recorder<Event<Int>>()
    _ = scheduler.scheduleAbsoluteVirtual((), time: 10) { _ in
      subject.onNext(1)
      subject.onNext(2)
      return Disposables.create()
    }
    let subscription = subject.delay(.seconds(5), scheduler: scheduler)
      .do(onNext: { _ in subject.onError(TestError.first) }).subscribe { log.record($0) }
    scheduler.start()
    XCTAssertEqual(log.values, [.next(1), .error(error)])
    subscription.dispose()
  }
}

final class TimeoutTests: OperatorTestCase {
  private let error = TestError.first

  func testInTime() {
    let xs = cold(.next(10, 42), .next(25, 43), .next(40, 44), .completed(60))
    XCTAssertEqual(
      events { [scheduler] in xs.timeout(.seconds(30), scheduler: scheduler) },
      [.next(210, 42), .next(225, 43), .next(240, 44), .completed(260)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 260)])
  }

  func testJustInTime() {
    let xs = cold(.next(10, 42), .next(20, 43), .next(50, 44), .completed(70))
    XCTAssertEqual(
      events { [scheduler] in xs.timeout(.seconds(30), scheduler: scheduler) },
      [.next(210, 42), .next(220, 43), .next(250, 44), .completed(270)])
  }

  func testTooLate() {
    let xs = cold(.next(10, 42), .next(20, 43), .next(50, 44), .completed(70))
    let received = events { [scheduler] in xs.timeout(.seconds(25), scheduler: scheduler) }
    XCTAssertEqual(received.dropLast(), [.next(210, 42), .next(220, 43)])
    XCTAssertEqual(received.last?.time, 245)
    guard case .timeout? = received.last?.value.error as? RxError else { return XCTFail("\(received)") }
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 245)])
  }

  func testSwitches() {
    let xs = hot(.next(240, 3), .next(310, 4), .next(430, 5), .completed(500))
    let ys = cold(.next(50, -1), .next(200, -2), .completed(320))
    XCTAssertEqual(
      events { [scheduler] in xs.timeout(.seconds(100), other: ys, scheduler: scheduler) },
      [.next(240, 3), .next(310, 4), .next(460, -1), .next(610, -2), .completed(730)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 410)])
    XCTAssertEqual(ys.subscriptions, [Subscription(410, 730)])
  }

  func testSwitchesToAnError() {
    let xs = hot(.next(500, 1))
    let ys = cold(.error(100, error, Int.self))
    XCTAssertEqual(
      events { [scheduler] in xs.timeout(.seconds(100), other: ys, scheduler: scheduler) }, [.error(400, error)])
  }

  func testErrorAndCompletionInTime() {
    let xs = hot(.next(240, 1), .error(300, error))
    XCTAssertEqual(
      events { [scheduler] in xs.timeout(.seconds(100), scheduler: scheduler) }, [.next(240, 1), .error(300, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
  }

  func testDisposal() {
    let xs = hot(.next(240, 1), .next(280, 2), .next(320, 3))
    XCTAssertEqual(
      events(disposed: 300) { [scheduler] in xs.timeout(.seconds(50), scheduler: scheduler) },
      [.next(240, 1), .next(280, 2)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
  }
}

final class BufferTests: OperatorTestCase {
  private let error = TestError.first

  func testByTimeOrCount() {
    let xs = hot(
      .next(205, 1), .next(210, 2), .next(240, 3), .next(280, 4), .next(320, 5), .next(350, 6), .next(370, 7),
      .next(420, 8), .next(470, 9), .completed(600))
    XCTAssertEqual(
      events { [scheduler] in xs.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler) },
      [
        .next(240, [1, 2, 3]), .next(310, [4]), .next(370, [5, 6, 7]), .next(440, [8]), .next(510, [9]),
        .next(580, []), .next(600, []), .completed(600),
      ])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 600)])
  }

  func testErrorDropsWhatIsThere() {
    let xs = hot(.next(205, 1), .next(280, 2), .error(290, error))
    XCTAssertEqual(
      events { [scheduler] in xs.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler) },
      [.next(270, [1]), .error(290, error)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 290)])
  }

  func testDisposal() {
    let xs = hot(.next(205, 1), .next(280, 2))
    XCTAssertEqual(
      events(disposed: 300) { [scheduler] in xs.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler) },
      [.next(270, [1])])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 300)])
  }

  func testImmediateSource() {
    let received = events { [scheduler] in
      Observable.from([1, 2, 3, 4, 5]).buffer(timeSpan: .seconds(70), count: 2, scheduler: scheduler)
    }
    XCTAssertEqual(received, [.next(200, [1, 2]), .next(200, [3, 4]), .next(200, [5]), .completed(200)])
  }
}
