import Rx
import RxTest
import RxTestSupport
import XCTest

final class SubscribeOnTests: OperatorTestCase {
  func testSubscribesAndUnsubscribesATickLater() {
    let xs = hot(.next(150, 1), .next(210, 2), .completed(250))
    XCTAssertEqual(
      events { [scheduler] in xs.subscribe(on: scheduler) }, [.next(210, 2), .completed(250)])
    XCTAssertEqual(xs.subscriptions, [Subscription(201, 251)])
  }

  func testUnsubscribesFromAFailedSequenceATickLater() {
    let xs = hot(.next(210, 2), .error(250, TestError.first))
    XCTAssertEqual(
      events { [scheduler] in xs.subscribe(on: scheduler) }, [.next(210, 2), .error(250, TestError.first)])
    XCTAssertEqual(xs.subscriptions, [Subscription(201, 251)])
  }

  func testDisposalUnsubscribesATickLater() {
    let xs = hot(.next(210, 2), .next(290, 3))
    XCTAssertEqual(
      events(disposed: 280) { [scheduler] in xs.subscribe(on: scheduler) }, [.next(210, 2)])
    XCTAssertEqual(xs.subscriptions, [Subscription(201, 281)])
  }

  func testDisposalBeforeItsTurnNeverSubscribes() {
    let xs = hot(.next(210, 2))
    scheduler.scheduleAt(100) { [scheduler] in xs.subscribe(on: scheduler).subscribe().dispose() }
    scheduler.start()
    XCTAssertEqual(xs.subscriptions, [])
  }

  func testNothingComesAfterTheEnd() {
    let source = Careless()
    let log = Recorder<Event<Int>>()
    source.subscribe(on: CurrentThreadScheduler.instance).subscribe { log.record($0) }.dispose()
    XCTAssertEqual(log.values, [.next(1), .completed])
  }
}

/// A user's own sequence that goes on after its end.
private struct Careless: ObservableType {
  typealias Element = Int

  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
    observer.onNext(1)
    observer.onCompleted()
    observer.onNext(2)
    observer.onError(TestError.first)
    return Disposables.create()
  }
}
