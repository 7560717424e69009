import Rx
import RxBlocking
import RxTestSupport
import Testing

@Suite(.inTurn) struct BlockingTests {
  private let failing = Observable.of(1, 2).concat(Observable<Int>.error(TestError.first))
  /// 0, 1 and 2, from another thread.
  private let later = Observable<Int>.interval(
    .milliseconds(1), scheduler: ConcurrentDispatchQueueScheduler(qos: .default)
  )
  .take(3)

  @Test func toArray() throws {
    #expect(try Observable.of(1, 2).toBlocking().toArray() == [1, 2])
    #expect(try Observable<Int>.empty().toBlocking().toArray() == [])
    #expect(try later.toBlocking().toArray() == [0, 1, 2])
    #expect(throws: TestError.first) { try failing.toBlocking().toArray() }
    #expect(try Single.just(1).toBlocking().toArray() == [1])
    #expect(try Infallible.of(1, 2).toBlocking().toArray() == [1, 2])
  }

  @Test func firstDoesNotWaitForMore() throws {
    #expect(try Observable.of(1).concat(Observable.never()).toBlocking().first() == 1)
    #expect(try Observable<Int>.empty().toBlocking().first() == nil)
    #expect(try later.toBlocking().first() == 0)
    #expect(try failing.toBlocking().first() == 1)
    #expect(throws: TestError.first) { try Observable<Int>.error(TestError.first).toBlocking().first() }
  }

  @Test func last() throws {
    #expect(try later.toBlocking().last() == 2)
    #expect(try Observable<Int>.empty().toBlocking().last() == nil)
    #expect(throws: TestError.first) { try failing.toBlocking().last() }
  }

  @Test func single() throws {
    #expect(try Observable.just(1).toBlocking().single() == 1)
    #expect(try later.toBlocking().single { $0 == 1 } == 1)
    #expect(throws: TestError.second) { try later.toBlocking().single { _ in throw TestError.second } }
    for (source, message) in [
      (Observable<Int>.empty(), "Sequence doesn't contain any elements."),
      (Observable.of(1, 2).concat(Observable.never()), "Sequence contains more than one element."),
    ] {
      let error = #expect(throws: RxError.self) { try source.toBlocking().single() }
      #expect(error?.debugDescription == message)
      let chosen = #expect(throws: RxError.self) { try source.toBlocking().single { $0 > 0 } }
      #expect(chosen?.debugDescription == message)
    }
  }

  @Test func materialize() {
    let completed = later.toBlocking().materialize()
    guard case .completed([0, 1, 2]) = completed else {
      Issue.record("\(completed)")
      return
    }
    let failed = failing.toBlocking().materialize()
    guard case .failed([1, 2], TestError.first) = failed else {
      Issue.record("\(failed)")
      return
    }
  }

  @Test func aTimeoutEndsTheSubscription() {
    let subject = PublishSubject<Int>()
    let source = subject.startWith(1)
    let failed = source.toBlocking(timeout: 0.01).materialize()
    guard case .failed([1], RxError.timeout) = failed else {
      Issue.record("\(failed)")
      return
    }
    #expect(!subject.hasObservers)
  }

  /// Work for the current thread would wait for the action that waits for it.
  @Test func worksInTheMiddleOfAnActionOfTheCurrentThread() {
    let inner = Observable.of(1, 2)
    let sums = Observable.of(10, 20).map { try inner.toBlocking(timeout: 60).toArray().reduce($0, +) }
    #expect((try? sums.toBlocking(timeout: 120).toArray()) == [13, 23])
  }

  /// A test on the main actor runs on the main queue, which nobody else serves.
  @MainActor
  @Test func doesNotBlockTheMainQueue() {
    #expect((try? Observable.of(1, 2).toBlocking().toArray()) == [1, 2])
    let onMain = Observable.of(1).observe(on: MainScheduler.asyncInstance)
    #expect(throws: BlockingError.mainQueueIsBlocked) { try onMain.toBlocking().toArray() }
  }
}
