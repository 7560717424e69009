import Dispatch
import Foundation
import XCTest

@testable import Rx

final class QueueTests: XCTestCase {
  func testFirstInFirstOut() {
    var queue = Queue<Int>()
    XCTAssertNil(queue.popFirst())
    XCTAssertNil(queue.first)
    var expected: [Int] = []
    var popped: [Int] = []
    for n in 0..<1_000 {
      queue.append(n)
      expected.append(n)
      if n % 3 != 0, let element = queue.popFirst() { popped.append(element) }
      XCTAssertEqual(queue.count, expected.count - popped.count)
    }
    XCTAssertEqual(queue.first, popped.count)
    while let element = queue.popFirst() { popped.append(element) }
    XCTAssertEqual(popped, expected)
    XCTAssertTrue(queue.isEmpty)
  }

  func testRemoveAll() {
    var queue = Queue<Int?>()
    queue.append(nil)
    queue.append(1)
    XCTAssertEqual(queue.popFirst(), .some(nil))
    queue.removeAll()
    XCTAssertTrue(queue.isEmpty)
    queue.append(2)
    XCTAssertEqual(queue.popFirst(), 2)
  }
}

final class RemainingTimeTests: XCTestCase {
  private let start = Date(timeIntervalSince1970: 1_000)

  private func remaining(of span: RxTimeInterval, after seconds: Double) -> RxTimeInterval {
    span.remaining(since: start, at: start.addingTimeInterval(seconds))
  }

  func testWhatIsLeft() {
    XCTAssertEqual(remaining(of: .seconds(2), after: 0.5), .nanoseconds(1_500_000_000))
    XCTAssertEqual(remaining(of: .milliseconds(500), after: 0.25), .nanoseconds(250_000_000))
    XCTAssertEqual(remaining(of: .microseconds(500_000), after: 0.25), .nanoseconds(250_000_000))
    XCTAssertEqual(remaining(of: .nanoseconds(500_000_000), after: 0.25), .nanoseconds(250_000_000))
  }

  func testNothingIsLeft() {
    XCTAssertEqual(remaining(of: .seconds(1), after: 1), .nanoseconds(0))
    XCTAssertEqual(remaining(of: .seconds(1), after: 5), .nanoseconds(0))
    XCTAssertEqual(remaining(of: .seconds(-1), after: 0), .nanoseconds(0))
  }

  func testMoreThanCanBeSaid() {
    XCTAssertEqual(remaining(of: .never, after: 1), .never)
    XCTAssertEqual(remaining(of: .seconds(.max), after: 1), .never)
    XCTAssertEqual(remaining(of: .seconds(1), after: -.infinity), .never)
    XCTAssertEqual(remaining(of: .seconds(1), after: .nan), .never)
  }
}

final class SerialStepsTests: XCTestCase {
  func testStepsThatAskForMoreRunOneAfterTheOther() {
    let steps = SerialSteps()
    var depth = 0
    var deepest = 0
    var count = 0
    func step() {
      depth += 1
      deepest = max(deepest, depth)
      count += 1
      if count < 10_000 { steps.run(step) }
      depth -= 1
    }
    steps.run(step)
    XCTAssertEqual(count, 10_000)
    XCTAssertEqual(deepest, 1)
  }
}
