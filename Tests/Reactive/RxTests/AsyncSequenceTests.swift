import RxTestSupport
import Testing

@testable import Rx

@Suite(.leavesNoResources, .inTurn) @MainActor struct AsyncSequenceTests {
  @Test func aLimitKeepsTheNewestOrTheOldest() async throws {
    var elements: [[Int]] = [[], [], [], []]
    for try await element in Observable.of(1, 2, 3).values(bufferingNewest: 1) { elements[0].append(element) }
    for try await element in Observable.of(1, 2, 3).values(bufferingOldest: 2) { elements[1].append(element) }
    for await element in Infallible.of(1, 2, 3).values(bufferingNewest: 1) { elements[2].append(element) }
    for await element in Infallible.of(1, 2, 3).values(bufferingOldest: 2) { elements[3].append(element) }
    #expect(elements == [[3], [1, 2], [3], [1, 2]])
  }

  @Test func valuesEndWithTheirTask() async {
    let subject = PublishSubject<Int>()
    let task = Task { for try await _ in subject.values {} }
    #expect(await eventually { subject.hasObservers })
    subject.onNext(1)
    task.cancel()
    #expect(await eventually { !subject.hasObservers })
    await #expect(throws: CancellationError.self) { try await task.value }

    let cancelled = Task {
      _ = await eventually { Task.isCancelled }
      for try await _ in Observable<Int>.never().values {}
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @Test func anAsyncSequenceBecomesAnObservable() async {
    for (error, end) in [(nil, "completed"), (TestError.first, "error(first)")] {
      let recorder = Recorder<String>()
      let stream = AsyncThrowingStream<Int, any Error> { continuation in
        for i in 1...3 { continuation.yield(i) }
        continuation.finish(throwing: error)
      }
      recorder.subscribe(to: stream.asObservable())
      #expect(await eventually { recorder.values == ["1", "2", "3", end, "disposed"] })
    }
  }

  @Test func disposalCancelsTheIteration() async {
    let ended = Locked(false)
    let stream = AsyncStream<Int> { continuation in
      continuation.onTermination = { _ in ended.withLock { $0 = true } }
    }
    let subscription = stream.asObservable().subscribe()
    subscription.dispose()
    #expect(await eventually { ended.withLock { $0 } })
  }
}
