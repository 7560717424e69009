import Synchronization
import XCTest

@testable import Rx

final class OperatorsTests: XCTestCase {
  func testChain() {
    let subject = PublishSubject<Int>()
    let seen = Locked<[Int]>([])
    let before = Resources.total
    let subscription = subject.map { $0 + 1 }.filter { $0 % 2 == 0 }.subscribe(onNext: { element in
      seen.withLock { $0.append(element) }
    })
    for i in 0..<6 { subject.onNext(i) }
    subscription.dispose()
    subject.onNext(7)
    XCTAssertEqual(seen.withLock { $0 }, [2, 4, 6])
    XCTAssertFalse(subject.hasObservers)
    withExtendedLifetime(subscription) {}
    XCTAssertEqual(Resources.total, before + 1)
  }

  func testShareReplay() {
    let seen = Locked<[String]>([])
    let relay = BehaviorRelay(value: 1)
    let shared = relay.asObservable().map { "\($0)" }.share(replay: 1)
    let bag = DisposeBag()
    shared.subscribe(onNext: { e in seen.withLock { $0.append("a" + e) } }).disposed(by: bag)
    shared.subscribe(onNext: { e in seen.withLock { $0.append("b" + e) } }).disposed(by: bag)
    relay.accept(2)
    XCTAssertEqual(seen.withLock { $0 }, ["a1", "b1", "a2", "b2"])
    XCTAssertEqual(relay.value, 2)
  }

  func testFromAndVirtualTime() {
    let seen = Locked<[Int]>([])
    _ = Observable.of(1, 2, 3).subscribe(onNext: { e in seen.withLock { $0.append(e) } })
    _ = Observable.from([4, 5]).observe(on: MainScheduler.instance).subscribe(onNext: { e in
      seen.withLock { $0.append(e) }
    })
    let time = HistoricalScheduler()
    _ = time.schedulePeriodic(10, startAfter: .seconds(1), period: .seconds(1)) { state in
      seen.withLock { $0.append(state) }
      return state + 1
    }
    time.advanceTo(.init(timeIntervalSince1970: 3))
    XCTAssertEqual(seen.withLock { $0 }, [1, 2, 3, 4, 5, 10, 11, 12])
  }
}
