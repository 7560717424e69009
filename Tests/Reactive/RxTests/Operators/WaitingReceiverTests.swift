import Dispatch
import Foundation
import Rx
import RxTest
import RxTestSupport
import TestSupport
import Testing

/// Receivers that wait for the source, which sends on another thread meanwhile. An operator that held its lock while it
/// sends would make each of them wait for the other.
@Suite struct WaitingReceiverTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let source = PublishSubject<Int>()
  private let log = Recorder<String>()

  /// Lets the source send `event` on another thread and waits until it has.
  private func letSourceSend(_ event: Event<Int>) {
    letAnotherThread { [source] in source.on(event) }
  }

  /// Calls `body` on another thread and waits until it has returned.
  private func letAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      done.signal()
    }
    log.record(done.wait(timeout: .now() + 60) == .success ? "sent" : "the source waits")
  }

  /// What comes out of `operation` when the source sends 1 and 2 at 0, and `event` while the first element that comes at 10
  /// is being received.
  private func values<Output: Sendable>(
    sending event: Event<Int>, _ operation: (Observable<Int>, TestScheduler) -> Observable<Output>
  ) -> [String] {
    let waits = BehaviorRelay(value: true)
    let subscription = operation(source, scheduler).subscribe { received in
      log.record("\(scheduler.clock): \(received)")
      if scheduler.clock < 10 || !waits.value { return }
      waits.accept(false)
      letSourceSend(event)
    }
    source.onNext(1)
    source.onNext(2)
    scheduler.advanceTo(30)
    subscription.dispose()
    return log.values
  }

  @Test(arguments: [
    (Event.next(3), ["11: next(2)", "20: next(3)"]), (.completed, ["11: next(2)", "20: completed"]),
    (.error(TestError.first), ["10: error(first)"]),
  ])
  func delay(event: Event<Int>, rest: [String]) {
    let values = values(sending: event) { $0.delay(.seconds(10), scheduler: $1) }
    #expect(values == ["10: next(1)", "sent"] + rest)
  }

  @Test(arguments: [
    (Event.next(3), ["20: next(3)"]), (.completed, ["10: completed"]), (.error(TestError.first), ["10: error(first)"]),
  ])
  func debounce(event: Event<Int>, rest: [String]) {
    let values = values(sending: event) { $0.debounce(.seconds(10), scheduler: $1) }
    #expect(values == ["10: next(2)", "sent"] + rest)
  }

  @Test(arguments: [
    (Event.next(3), ["20: next(3)"]), (.completed, ["10: completed"]), (.error(TestError.first), ["10: error(first)"]),
  ])
  func throttle(event: Event<Int>, rest: [String]) {
    let values = values(sending: event) { $0.throttle(.seconds(10), scheduler: $1) }
    #expect(values == ["0: next(1)", "10: next(2)", "sent"] + rest)
  }

  @Test(arguments: [
    (Event.next(3), ["20: next([3])", "30: next([])"]), (.completed, ["10: next([])", "10: completed"]),
    (.error(TestError.first), ["10: error(first)"]),
  ])
  func buffer(event: Event<Int>, rest: [String]) {
    let values = values(sending: event) { $0.buffer(timeSpan: .seconds(10), count: 9, scheduler: $1) }
    #expect(values == ["10: next([1, 2])", "sent"] + rest)
  }

  @Test(arguments: [
    (Event.next(3), ["20: next(3)"]), (.completed, ["10: completed"]), (.error(TestError.first), ["10: error(first)"]),
  ])
  func sample(event: Event<Int>, rest: [String]) {
    let values = values(sending: event) { $0.sample(Observable<Int>.interval(.seconds(10), scheduler: $1)) }
    #expect(values == ["10: next(2)", "sent"] + rest)
  }

  @Test(arguments: [Event.next(3), .completed, .error(TestError.first)])
  func timeout(event: Event<Int>) {
    let values = values(sending: event) {
      $0.timeout(.seconds(10), other: Observable.of(-1, -2), scheduler: $1)
    }
    #expect(values == ["0: next(1)", "0: next(2)", "10: next(-1)", "sent", "10: next(-2)", "10: completed"])
  }

  @Test func takeForADuration() {
    let subscription = source.take(for: .seconds(10), scheduler: scheduler).subscribe { received in
      log.record("\(scheduler.clock): \(received)")
      if !received.isStopEvent { letAnotherThread { [scheduler] in scheduler.advanceTo(20) } }
    }
    source.onNext(1)
    source.onNext(2)
    subscription.dispose()
    #expect(log.values == ["0: next(1)", "sent", "20: completed"])
  }

  @Test(arguments: [
    (Event.next(3), ["10: next(1: 3)", "20: next(2)", "30: next(3)"]), (.completed, ["10: completed"]),
    (.error(TestError.first), ["10: error(first)"]),
  ])
  func window(event: Event<Int>, rest: [String]) {
    let values = values(sending: event) { source, scheduler in
      source.window(timeSpan: .seconds(10), count: 9, scheduler: scheduler).enumerated()
        .flatMap { index, window in window.map { "\(index): \($0)" }.startWith("\(index)") }
    }
    #expect(values == ["0: next(0)", "0: next(0: 1)", "0: next(0: 2)", "10: next(1)", "sent"] + rest)
  }
}
