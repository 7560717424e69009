import Rx
import RxTest
import RxTestSupport
import XCTest

final class RecordedTests: XCTestCase {
  private struct Described: Error, CustomStringConvertible {
    let description: String
  }

  func testEventsAreEqualByCaseAndElement() {
    XCTAssertEqual(Event.next(1), .next(1))
    XCTAssertNotEqual(Event.next(1), .next(2))
    XCTAssertNotEqual(Event<Int>.next(1), .completed)
    XCTAssertEqual(Event<Int?>.next(nil), .next(nil))
    XCTAssertNotEqual(Event<Int?>.next(nil), .next(0))
  }

  func testErrorsAreEqualByTypeAndDescription() {
    XCTAssertEqual(Event<Int>.error(TestError.first), .error(TestError.first))
    XCTAssertNotEqual(Event<Int>.error(TestError.first), .error(TestError.second))
    XCTAssertNotEqual(Event<Int>.error(TestError.first), .error(Described(description: "first")))
    XCTAssertEqual(Event<Int>.error(Described(description: "a")), .error(Described(description: "a")))
    XCTAssertNotEqual(Event<Int>.error(Described(description: "a")), .error(Described(description: "b")))
  }

  func testEventsOfASingleAreComparedLikewise() {
    let events: [SingleEvent<Int>] = [.success(1), .failure(TestError.first)]
    XCTAssertEqual(events, [.success(1), .failure(TestError.first)])
  }

  func testTimeCounts() {
    XCTAssertEqual(Recorded.next(210, 1), .next(210, 1))
    XCTAssertNotEqual(Recorded.next(210, 1), .next(211, 1))
    XCTAssertEqual(Recorded<Event<Int>>.completed(1), .completed(1))
    XCTAssertEqual(Recorded.error(5, TestError.first, Int.self), .error(5, TestError.first))
  }

  func testDescriptionsAreThoseOfRxTest() {
    XCTAssertEqual(Recorded.next(210, 1).debugDescription, "next(1) @ 210")
    XCTAssertEqual(Recorded<Event<Int>>.completed(3).debugDescription, "completed @ 3")
    XCTAssertEqual(Subscription(200, 250).debugDescription, "(200 : 250)")
    XCTAssertEqual(Subscription(200).debugDescription, "(200 : Infinity)")
  }

  func testDifferencesAreNamedOneByOne() {
    let left: [Recorded<Event<Int>>] = [.next(1, 1), .next(2, 2), .completed(3)]
    let right: [Recorded<Event<Int>>] = [.next(1, 1), .next(2, 5)]

    XCTAssertEqual(differences(left, left), [])
    XCTAssertEqual(
      differences(left, right), ["  [1]: next(2) @ 2 is not next(5) @ 2", "  [2]: completed @ 3 is not nothing"])
    XCTAssertEqual(differences([], right).count, 2)
  }
}
