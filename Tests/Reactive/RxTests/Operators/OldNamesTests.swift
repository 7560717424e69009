import Rx
import RxTest
import RxTestSupport
import XCTest

/// The spellings of older tutorials still work.
final class OldNamesTests: OperatorTestCase {
  func testOldNames() { (self as any OldNames).oldNames() }
}

/// What is called through a protocol may be deprecated without a warning where it is called.
private protocol OldNames {
  func oldNames()
}

extension OldNamesTests: OldNames {
  @available(*, deprecated)
  fileprivate func oldNames() {
    let failing = Observable.just(1).concat(Observable.error(TestError.first))
    XCTAssertEqual(immediateEvents(failing.catchErrorJustReturn(2)), [.next(1), .next(2), .completed])
    XCTAssertEqual(immediateEvents(failing.catchError { _ in .just(3) }), [.next(1), .next(3), .completed])
    XCTAssertEqual(
      events { [scheduler] in Observable.just(1).observeOn(scheduler) }, [.next(201, 1), .completed(202)])
  }
}
