import Rx
import RxBinding
import Testing
import TestSupport

struct SharedSequenceValuesTests {
  @Test(.timeLimit(.minutes(30)))
  func theLoopEndsWithTheSequence() async {
    var values: [Int] = []
    for await value in await Driver.from(1...10).values {
      values.append(value)
    }
    #expect(values == Array(1...10))
  }

  @Test(.timeLimit(.minutes(30)))
  func theEndOfTheTaskEndsTheSubscription() async {
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
