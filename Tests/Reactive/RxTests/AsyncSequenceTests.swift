import RxTestSupport
import TestSupport
import Testing

@testable import Rx

@Suite(.leavesNoResources) @MainActor struct AsyncSequenceTests {
  @Test func valuesAreTheElements() async throws {
    var elements: [Int] = []
    for try await element in Observable.of(1, 2, 3).values { elements.append(element) }
    #expect(elements == [1, 2, 3])
  }

  @Test func aLimitKeepsTheNewestOrTheOldest() async throws {
    var elements: [[Int]] = [[], [], [], []]
    for try await element in Observable.of(1, 2, 3).values(bufferingNewest: 1) { elements[0].append(element) }
    for try await element in Observable.of(1, 2, 3).values(bufferingOldest: 2) { elements[1].append(element) }
    for await element in Infallible.of(1, 2, 3).values(bufferingNewest: 1) { elements[2].append(element) }
    for await element in Infallible.of(1, 2, 3).values(bufferingOldest: 2) { elements[3].append(element) }
    #expect(elements == [[3], [1, 2], [3], [1, 2]])
  }

  @Test func valuesThrowTheError() async {
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onError(TestError.first)
      return Disposables.create()
    }
    var elements: [Int] = []
    await #expect(throws: TestError.first) {
      for try await element in source.values { elements.append(element) }
    }
    #expect(elements == [1])
  }

  @Test func cancellingTheTaskUnsubscribes() async {
    let subject = PublishSubject<Int>()
    let task = Task {
      var count = 0
      for try await _ in subject.values { count += 1 }
      return count
    }
    #expect(await eventually { subject.hasObservers })
    subject.onNext(1)
    task.cancel()
    #expect(await eventually { !subject.hasObservers })
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func valuesEndInACancelledTask() async {
    let task = Task {
      _ = await eventually { Task.isCancelled }
      for try await _ in Observable<Int>.never().values {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func anAsyncSequenceBecomesAnObservable() async {
    let recorder = Recorder<String>()
    let stream = AsyncStream<Int> { continuation in
      for i in 1...3 { continuation.yield(i) }
      continuation.finish()
    }
    let subscription = recorder.subscribe(to: stream.asObservable())
    #expect(await eventually { recorder.values.count == 5 })
    #expect(recorder.values == ["1", "2", "3", "completed", "disposed"])
    subscription.dispose()
  }

  @Test func theErrorOfAnAsyncSequenceIsPassedOn() async {
    let recorder = Recorder<String>()
    let stream = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: TestError.first) }
    let subscription = recorder.subscribe(to: stream.asObservable())
    #expect(await eventually { recorder.values.count == 2 })
    #expect(recorder.values == ["error(first)", "disposed"])
    subscription.dispose()
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
