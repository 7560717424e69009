import Rx
import RxBinding
import Testing

struct SharedSequenceValuesTests {
  @Test(.timeLimit(.minutes(1)))
  func theLoopEndsWithTheSequence() async {
    var values: [Int] = []
    for await value in await Driver.from(1...10).values {
      values.append(value)
    }
    #expect(values == Array(1...10))
  }

  @Test(.timeLimit(.minutes(1)))
  func theEndOfTheTaskEndsTheSubscription() async {
    let source = CountedSource<Int>()
    let task = Task {
      for await _ in await source.asSignal(onErrorJustReturn: 0).values {}
    }
    while source.subscriberCount == 0 { await Task.yield() }
    task.cancel()
    await task.value
    while source.subscriberCount > 0 { await Task.yield() }
    #expect(source.subscriptionCount == 1)
  }
}
