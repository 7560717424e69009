import RxTestSupport
import TestSupport
import XCTest

@testable import Rx

final class AsyncSequenceTests: RxTestCase {
  func testValuesOfASequence() async throws {
    var elements: [Int] = []
    for try await element in Observable.of(1, 2, 3).values { elements.append(element) }
    XCTAssertEqual(elements, [1, 2, 3])
  }

  func testValuesThrowTheError() async {
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onError(TestError.first)
      return Disposables.create()
    }
    var elements: [Int] = []
    do {
      for try await element in source.values { elements.append(element) }
      XCTFail("did not throw")
    } catch {
      XCTAssertEqual(error as? TestError, .first)
    }
    XCTAssertEqual(elements, [1])
  }

  func testCancellingTheTaskUnsubscribes() async {
    let subject = PublishSubject<Int>()
    let task = Task {
      var count = 0
      for try await _ in subject.values { count += 1 }
      return count
    }
    let isDone1 = await TestSupport.eventually { subject.hasObservers }
    XCTAssertTrue(isDone1)
    subject.onNext(1)
    task.cancel()
    let isDone2 = await TestSupport.eventually { !subject.hasObservers }
    XCTAssertTrue(isDone2)
    do {
      _ = try await task.value
      XCTFail("ended as if the sequence had completed")
    } catch {
      XCTAssertTrue(error is CancellationError)
    }
  }

  func testValuesInACancelledTask() async {
    let task = Task {
      _ = await TestSupport.eventually { Task.isCancelled }
      for try await _ in Observable<Int>.never().values {}
    }
    task.cancel()
    do {
      try await task.value
      XCTFail("ended as if the sequence had completed")
    } catch {
      XCTAssertTrue(error is CancellationError)
    }
  }

  func testObservableOfAnAsyncSequence() async {
    let recorder = Recorder<String>()
    let stream = AsyncStream<Int> { continuation in
      for i in 1...3 { continuation.yield(i) }
      continuation.finish()
    }
    let subscription = recorder.subscribe(to: stream.asObservable())
    let isDone3 = await TestSupport.eventually { recorder.values.count == 5 }
    XCTAssertTrue(isDone3)
    XCTAssertEqual(recorder.values, ["1", "2", "3", "completed", "disposed"])
    subscription.dispose()
  }

  func testObservableOfAFailingAsyncSequence() async {
    let recorder = Recorder<String>()
    let stream = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: TestError.first) }
    let subscription = recorder.subscribe(to: stream.asObservable())
    let isDone4 = await TestSupport.eventually { recorder.values.count == 2 }
    XCTAssertTrue(isDone4)
    XCTAssertEqual(recorder.values, ["error(first)", "disposed"])
    subscription.dispose()
  }

  func testDisposalCancelsTheIteration() async {
    let ended = Locked(false)
    let stream = AsyncStream<Int> { continuation in
      continuation.onTermination = { _ in ended.withLock { $0 = true } }
    }
    let subscription = stream.asObservable().subscribe()
    subscription.dispose()
    let isDone5 = await TestSupport.eventually { ended.withLock { $0 } }
    XCTAssertTrue(isDone5)
  }
}
