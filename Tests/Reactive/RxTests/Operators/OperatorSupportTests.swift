import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Rx

@Suite(.inTurn) struct QueueTests {
  @Test func anElementMayBeNil() {
    var queue = Queue<Int?>()
    queue.append(nil)
    queue.append(2)
    #expect(queue.popFirst() == .some(nil))
    #expect(queue.popFirst() == 2)
    #expect(queue.isEmpty)
  }

  @Test func aLongLineGoesWithoutALongStack() {
    var line = Line<Int>()
    for n in 0..<100_000 { line.append(n) }
    #expect(line.count == 100_000)
    line = Line()
    #expect(line.popFirst() == nil)
  }
}

@Suite(.inTurn) struct RemainingTimeTests {
  private let start = Date(timeIntervalSince1970: 1_000)

  private func remaining(of span: RxTimeInterval, after seconds: Double) -> RxTimeInterval {
    span.remaining(since: start, at: start.addingTimeInterval(seconds))
  }

  @Test func theTimeThatHasPassedIsTakenOff() {
    #expect(remaining(of: .seconds(2), after: 0.5) == .nanoseconds(1_500_000_000))
    #expect(remaining(of: .milliseconds(500), after: 0.25) == .nanoseconds(250_000_000))
    #expect(remaining(of: .microseconds(500_000), after: 0.25) == .nanoseconds(250_000_000))
    #expect(remaining(of: .nanoseconds(500_000_000), after: 0.25) == .nanoseconds(250_000_000))
  }

  @Test func nothingIsLeftAfterTheEnd() {
    #expect(remaining(of: .seconds(1), after: 1) == .nanoseconds(0))
    #expect(remaining(of: .seconds(1), after: 5) == .nanoseconds(0))
    #expect(remaining(of: .seconds(-1), after: 0) == .nanoseconds(0))
  }

  @Test func aSpanTooLongToExpressIsNever() {
    #expect(remaining(of: .never, after: 1) == .never)
    #expect(remaining(of: .seconds(.max), after: 1) == .never)
    #expect(remaining(of: .seconds(1), after: -.infinity) == .never)
    #expect(remaining(of: .seconds(1), after: .nan) == .never)
  }
}
