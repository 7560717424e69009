import Rx
import RxBinding
import RxTest
import RxTestSupport
import XCTest

// `@unchecked Sendable`: XCTest calls it on the main thread only.
final class SharedSequenceTimeTests: RxTestCase, @unchecked Sendable {
  /// What a driver that `make` makes sends on a virtual scheduler, subscribed to at 200.
  @MainActor private func events<Element: Sendable>(
    _ make: (TestScheduler) -> Driver<Element>
  ) -> [Recorded<Event<Element>>] {
    let scheduler = TestScheduler(initialClock: 0)
    var events: [Recorded<Event<Element>>] = []
    SharingScheduler.mock(scheduler: scheduler) {
      let driver = make(scheduler)
      events = scheduler.start { driver.asObservable() }.events
    }
    return events
  }

  private func clicks(_ scheduler: TestScheduler) -> Driver<Int> {
    scheduler.createHotObservable([.next(210, 1), .next(214, 2), .next(218, 3), .next(240, 4), .completed(250)])
      .asDriver(onErrorJustReturn: -1)
  }

  func testElementsComeOnTheSharingScheduler() {
    onMain {
      XCTAssertEqual(
        events(clicks), [.next(211, 1), .next(215, 2), .next(219, 3), .next(241, 4), .completed(251)])
    }
  }

  func testDebounce() {
    onMain {
      XCTAssertEqual(
        events { clicks($0).debounce(.seconds(10)) }, [.next(229, 3), .next(251, 4), .completed(251)])
    }
  }

  func testThrottle() {
    onMain {
      XCTAssertEqual(
        events { clicks($0).throttle(.seconds(10)) },
        [.next(211, 1), .next(221, 3), .next(241, 4), .completed(251)])
      XCTAssertEqual(
        events { clicks($0).throttle(.seconds(10), latest: false) }, [.next(211, 1), .next(241, 4), .completed(251)])
    }
  }

  func testDelay() {
    onMain {
      XCTAssertEqual(
        events { clicks($0).filter { $0 > 2 }.delay(.seconds(5)) }, [.next(224, 3), .next(246, 4), .completed(256)])
    }
  }

  func testIntervalIsShared() {
    onMain {
      let scheduler = TestScheduler(initialClock: 0)
      let observers = [scheduler.createObserver(Int.self), scheduler.createObserver(Int.self)]
      var subscriptions: [any Disposable] = []
      SharingScheduler.mock(scheduler: scheduler) {
        let interval = Driver<Int>.interval(.seconds(100))
        for (time, observer) in zip([20, 170], observers) {
          scheduler.scheduleAt(time) { subscriptions.append(interval.drive(observer)) }
        }
        scheduler.scheduleAt(230) { for subscription in subscriptions { subscription.dispose() } }
        scheduler.start()
      }
      XCTAssertEqual(observers[0].events, [.next(120, 0), .next(220, 1)])
      XCTAssertEqual(observers[1].events, [.next(170, 0), .next(220, 1)])
    }
  }

  func testTimer() {
    onMain {
      let scheduler = TestScheduler(initialClock: 0)
      SharingScheduler.mock(scheduler: scheduler) {
        let timer = Driver<Int>.timer(.seconds(100), period: .seconds(105))
        let result = scheduler.start(disposed: 450) { timer.asObservable() }
        XCTAssertEqual(result.events, [.next(300, 0), .next(405, 1)])
      }
    }
  }

  func testSourcesSendOnTheSharingScheduler() {
    onMain {
      XCTAssertEqual(events { _ in Driver.just(1) }, [.next(201, 1), .completed(201)])
      XCTAssertEqual(events { _ in Driver<Int>.empty() }, [.completed(201)])
      XCTAssertEqual(events { _ in Driver<Int>.never() }, [])
      XCTAssertEqual(events { _ in Driver.of(1, 2) }, [.next(201, 1), .next(202, 2), .completed(203)])
      XCTAssertEqual(events { _ in Driver.from([7]) }, [.next(201, 7), .completed(202)])
      XCTAssertEqual(events { _ in Driver.from(7...8) }, [.next(201, 7), .next(202, 8), .completed(203)])
      XCTAssertEqual(events { _ in Driver.from(optional: 7) }, [.next(201, 7), .completed(202)])
      XCTAssertEqual(events { _ in Driver<Int>.from(optional: nil) }, [.completed(201)])
    }
  }

  func testWithoutAMockItIsTheMainScheduler() {
    XCTAssertTrue(SharingScheduler.make() is MainScheduler)
  }

  func testTheMockEndsWithItsAction() {
    onMain {
      let scheduler = TestScheduler(initialClock: 0)
      do {
        try SharingScheduler.mock(scheduler: scheduler) {
          XCTAssertTrue(SharingScheduler.make() is TestScheduler)
          throw TestError.first
        }
        XCTFail("the error did not come through")
      } catch {
        XCTAssertEqual(error as? TestError, .first)
      }
      XCTAssertTrue(SharingScheduler.make() is MainScheduler)
    }
  }

  func testTheMockIsNotSeenByOtherThreads() {
    onMain {
      let scheduler = TestScheduler(initialClock: 0)
      SharingScheduler.mock(makeScheduler: { scheduler }) {
        XCTAssertTrue(onBackgroundQueue { SharingScheduler.make() is MainScheduler })
      }
    }
  }
}
