import Rx
import RxTest
import RxTestSupport
import Testing

/// Receivers that wait for the source, which sends on another thread meanwhile. An operator that held its lock while it
/// sends would make each of them wait for the other.
@Suite(.inTurn) struct WaitingReceiverTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let source = PublishSubject<Int>()
  private let log = Recorder<String>()

  /// An operator with its time, and what comes out of it when the source sends 1 and 2 at 0, and 3, its completion or an
  /// error while the first element that comes at 10 is being received.
  private struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Until the source sends the third time.
    let before: [String]
    let afterElement: [String]
    var afterCompletion = ["10: completed"]
    var afterError = ["10: error(first)"]
    let apply: @Sendable (Observable<Int>, TestScheduler) -> Observable<String>
  }

  @Test(
    arguments: [
      Case(
        testDescription: "delay", before: ["10: next(1)"], afterElement: ["11: next(2)", "20: next(3)"],
        afterCompletion: ["11: next(2)", "20: completed"]
      ) { $0.delay(.seconds(10), scheduler: $1).map { "\($0)" } },
      Case(testDescription: "debounce", before: ["10: next(2)"], afterElement: ["20: next(3)"]) {
        $0.debounce(.seconds(10), scheduler: $1).map { "\($0)" }
      },
      Case(testDescription: "throttle", before: ["0: next(1)", "10: next(2)"], afterElement: ["20: next(3)"]) {
        $0.throttle(.seconds(10), scheduler: $1).map { "\($0)" }
      },
      Case(
        testDescription: "buffer", before: ["10: next([1, 2])"], afterElement: ["20: next([3])", "30: next([])"],
        afterCompletion: ["10: next([])", "10: completed"]
      ) { $0.buffer(timeSpan: .seconds(10), count: 9, scheduler: $1).map { "\($0)" } },
      Case(testDescription: "sample", before: ["10: next(2)"], afterElement: ["20: next(3)"]) {
        $0.sample(Observable<Int>.interval(.seconds(10), scheduler: $1)).map { "\($0)" }
      },
      Case(
        testDescription: "timeout", before: ["0: next(1)", "0: next(2)", "10: next(-1)"],
        afterElement: ["10: next(-2)", "10: completed"], afterCompletion: ["10: next(-2)", "10: completed"],
        afterError: ["10: next(-2)", "10: completed"]
      ) { $0.timeout(.seconds(10), other: Observable.of(-1, -2), scheduler: $1).map { "\($0)" } },
      Case(
        testDescription: "window",
        before: ["0: next(0)", "0: next(0: 1)", "0: next(0: 2)", "10: next(1)"],
        afterElement: ["10: next(1: 3)", "20: next(2)", "30: next(3)"]
      ) { source, scheduler in
        source.window(timeSpan: .seconds(10), count: 9, scheduler: scheduler).enumerated()
          .flatMap { index, window in window.map { "\(index): \($0)" }.startWith("\(index)") }
      },
    ], [Event.next(3), .completed, .error(TestError.first)])
  private func theReceiverMayWaitForTheSource(operation: Case, event: Event<Int>) {
    let waits = BehaviorRelay(value: true)
    let subscription = operation.apply(source, scheduler).subscribe { received in
      log.record("\(scheduler.clock): \(received)")
      if scheduler.clock < 10 || !waits.value { return }
      waits.accept(false)
      onBackgroundQueue { [source] in source.on(event) }
    }
    source.onNext(1)
    source.onNext(2)
    scheduler.advanceTo(30)
    subscription.dispose()
    let rest =
      switch event {
      case .next: operation.afterElement
      case .completed: operation.afterCompletion
      case .error: operation.afterError
      }
    #expect(log.values == operation.before + rest)
  }

  @Test func takeForADuration() {
    let subscription = source.take(for: .seconds(10), scheduler: scheduler).subscribe { received in
      log.record("\(scheduler.clock): \(received)")
      if !received.isStopEvent { onBackgroundQueue { [scheduler] in scheduler.advanceTo(20) } }
    }
    source.onNext(1)
    source.onNext(2)
    subscription.dispose()
    #expect(log.values == ["0: next(1)", "20: completed"])
  }
}
