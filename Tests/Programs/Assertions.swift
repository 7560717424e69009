// swift-format-ignore-file
// The assertions that RxTest has for users of XCTest, whose reports a test of Swift Testing does not see.
// Scripts/check-samples runs this.
import Rx
import RxTest
import XCTest

struct Failure: Error {}

final class Assertions: XCTestCase {
  func testEqualListsPass() {
    XCTAssertEqual([Event.next(1), .completed], [.next(1), .completed])
    XCTAssertEqual([SingleEvent<Int>.success(1), .failure(Failure())], [.success(1), .failure(Failure())])
    XCTAssertEqual([MaybeEvent<Int>.success(1), .completed], [.success(1), .completed])
    XCTAssertEqual([CompletableEvent.completed], [.completed])
    XCTAssertEqual([Recorded.next(1, 5), .completed(2)], [.next(1, 5), .completed(2)])
    XCTAssertEqual([Recorded.next(1, nil as Int?)], [.next(1, nil)])
    XCTAssertRecordedElements([Recorded.next(3, 1), .next(4, 2)], [1, 2])
  }

  func testEachDifferenceIsReported() {
    XCTAssertEqual([Event.next(1), .completed], [.next(2), .completed])  // prints failure: [0]: next(1) is not next(2)
    XCTAssertEqual([SingleEvent<Int>.success(1)], [.failure(Failure())])  // prints failure: [0]: next(1) is not error(Failure())
    XCTAssertEqual([MaybeEvent<Int>.success(1)], [.completed])  // prints failure: [0]: success(1) is not completed
    XCTAssertEqual([CompletableEvent.completed], [])  // prints failure: [0]: completed is not nothing
    XCTAssertEqual([Recorded.next(1, 5)], [.next(2, 5)])  // prints failure: [0]: next(5) @ 1 is not next(5) @ 2
    XCTAssertEqual([Recorded.next(1, nil as Int?)], [.next(1, 0)])  // prints failure: [0]: next(nil) @ 1 is not next(Optional(0)) @ 1
    XCTAssertRecordedElements([Recorded.next(3, 1)], [2])  // prints failure: [0]: 1 is not 2
    XCTAssertRecordedElements([Recorded.next(3, 1), .completed(4)], [1])  // prints failure: failed - The sequence ended: completed @ 4
  }
}

final class Printer: XCTestObservation {
  nonisolated(unsafe) var count = 0

  func testCase(_ test: XCTestCase, didFailWithDescription text: String, inFile file: String?, atLine line: Int) {
    count += 1
    print("failure:", text.components(separatedBy: "\n").last!.trimmingCharacters(in: .whitespaces))
  }

  func testCaseDidFinish(_ test: XCTestCase) {
    print("\(test.name): \(count) failures")
  }

  func testBundleDidFinish(_ bundle: Bundle) {
    exit(0)
  }
}

XCTMain(
  [
    testCase([
      ("equal", Assertions.testEqualListsPass),  // prints Assertions.equal: 0 failures
      ("different", Assertions.testEachDifferenceIsReported),  // prints Assertions.different: 8 failures
    ])
  ], arguments: ["tests"], observers: [Printer()])
