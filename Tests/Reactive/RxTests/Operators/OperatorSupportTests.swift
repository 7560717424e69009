import Dispatch
import Foundation
import Testing

@testable import Rx

@Suite struct QueueTests {
  @Test func aQueueIsFirstInFirstOut() {
    var queue = Queue<Int>()
    #expect(queue.popFirst() == nil)
    #expect(queue.first == nil)
    var expected: [Int] = []
    var popped: [Int] = []
    for n in 0..<1_000 {
      queue.append(n)
      expected.append(n)
      if n % 3 != 0, let element = queue.popFirst() { popped.append(element) }
      #expect(queue.count == expected.count - popped.count)
    }
    #expect(queue.first == popped.count)
    while let element = queue.popFirst() { popped.append(element) }
    #expect(popped == expected)
    #expect(queue.isEmpty)
  }

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

@Suite struct RemainingTimeTests {
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

@Suite struct SerialStepsTests {
  @Test func stepsThatAskForMoreRunOneAfterTheOther() {
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
    #expect(count == 10_000)
    #expect(deepest == 1)
  }
}
