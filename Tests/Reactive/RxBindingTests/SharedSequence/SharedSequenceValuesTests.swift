import Rx
import RxBinding
import Testing
import TestSupport

@Suite(.inTurn, .timeLimit(.minutes(30))) struct SharedSequenceValuesTests {
  @Test func theLoopEndsWithTheSequence() async {
    var values: [Int] = []
    for await value in await Driver.from(1...10).values {
      values.append(value)
    }
    #expect(values == Array(1...10))
  }

  @Test func aLimitKeepsTheNewestOrTheOldest() async {
    var values: [[Int]] = [[], [], [], []]
    let event = ControlEvent(events: Observable.from(1...10))
    for await value in await Driver.from(1...10).values(bufferingNewest: 10) { values[0].append(value) }
    for await value in await Driver.from(1...10).values(bufferingOldest: 10) { values[1].append(value) }
    for await value in await event.values(bufferingNewest: 1) { values[2].append(value) }
    for await value in await event.values(bufferingOldest: 2) { values[3].append(value) }
    #expect(values == [Array(1...10), Array(1...10), [10], [1, 2]])
  }

  @Test func theEndOfTheTaskEndsTheSubscription() async {
    let source = CountedSource<Int>()
    let task = Task {
      for await _ in await source.asSignal(onErrorJustReturn: 0).values {}
    }
    #expect(await eventually { source.subscriberCount > 0 })
    task.cancel()
    await task.value
    #expect(await eventually { source.subscriberCount == 0 })
    #expect(source.subscriptionCount == 1)
  }
}
