import Foundation
import Rx
import RxTest
import RxTestSupport
import Synchronization
import Testing

/// A timer may fire although it was cancelled: its action had begun on another thread.
@Suite(.leavesNoResources, .inTurn) final class LateTimerTests {
  private let late = LateScheduler()
  private let subject = PublishSubject<Int>()
  private let bag = DisposeBag()

  // The scheduler keeps its actions, and these keep the scheduler.
  deinit { late.removeAll() }

  private func record<Element: Sendable>(_ source: Observable<Element>) -> Recorder<Event<Element>> {
    let log = Recorder<Event<Element>>()
    source.subscribe { log.record($0) }.disposed(by: bag)
    return log
  }

  @Test func timeoutLosesAgainstAnElementThatCameInTheSameStep() {
    let log = record(subject.timeout(.seconds(1), other: Observable.just(-1), scheduler: late))
    subject.onNext(1)
    late.fire(0)
    #expect(log.values == [.next(1)])
    subject.onCompleted()
    late.fire(1)
    #expect(log.values == [.next(1), .completed])
  }

  @Test func timeoutLosesAgainstAnElementThatIsBeingDelivered() {
    let log = record(
      subject.timeout(.seconds(1), other: Observable.just(-1), scheduler: late)
        .do(onNext: { [late] element in if element == 1 { late.fire(0) } }))
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.values == [.next(1), .next(2)])
    late.fire(2)
    #expect(log.values == [.next(1), .next(2), .next(-1), .completed])
    subject.onNext(3)
    #expect(log.values == [.next(1), .next(2), .next(-1), .completed])
  }

  @Test func debounceWaitsAnewForALaterElement() {
    let log = record(subject.debounce(.seconds(1), scheduler: late))
    subject.onNext(1)
    subject.onNext(2)
    late.fire(0)
    #expect(log.values == [])
    late.fire(1)
    #expect(log.values == [.next(2)])
  }

  @Test func bufferDoesNotSendItsLastWindowAgain() {
    let log = record(
      subject.buffer(timeSpan: .seconds(1), count: 2, scheduler: late).do(onNext: { [late] _ in late.fire(0) }))
    subject.onNext(1)
    subject.onCompleted()
    #expect(log.values == [.next([1]), .completed])
  }

  @Test func windowsOfABufferDoNotGatherBeforeASlowReceiver() {
    let log = record(
      subject.buffer(timeSpan: .seconds(1), count: 2, scheduler: late).take(5)
        .do(onNext: { [late] _ in late.fireAll() }))
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.values == [.next([1, 2])])
    late.fire(1)
    #expect(log.values == [.next([1, 2]), .next([])])
  }

  @Test func bufferDoesNotSendAFullWindowAgain() {
    let log = record(subject.buffer(timeSpan: .seconds(1), count: 2, scheduler: late))
    subject.onNext(1)
    subject.onNext(2)
    late.fire(0)
    #expect(log.values == [.next([1, 2])])
    late.fire(1)
    #expect(log.values == [.next([1, 2]), .next([])])
  }

  @Test func nothingFiresAfterDisposal() {
    let log = Recorder<Event<Int>>()
    let operators: [(Observable<Int>) -> Observable<Int>] = [
      { [late] in $0.timeout(.seconds(1), other: Observable.just(-1), scheduler: late) },
      { [late] in $0.debounce(.seconds(1), scheduler: late) },
      { [late] in $0.throttle(.seconds(1), scheduler: late) },
      { [late] in $0.delay(.seconds(1), scheduler: late) },
      { [late] in $0.buffer(timeSpan: .seconds(1), count: 9, scheduler: late).map(\.count) },
      { [late] in $0.take(for: .seconds(1), scheduler: late) },
    ]
    let subscriptions = operators.map { apply in
      apply(subject).subscribe { event in if event != .next(1) { log.record(event) } }
    }
    subject.onNext(1)
    subject.onNext(1)
    for subscription in subscriptions { subscription.dispose() }
    late.fireAll()
    #expect(log.values == [])
  }
}

/// Keeps what is scheduled until the test runs it, cancelled or not.
private final class LateScheduler: SchedulerType {
  private let actions = Mutex<[@Sendable () -> Void]>([])

  var now: RxTime { Date(timeIntervalSince1970: 0) }

  func fire(_ index: Int) { actions.withLock { $0[index] }() }

  func fireAll() {
    for action in actions.withLock({ $0 }) { action() }
  }

  func removeAll() {
    let removed = actions.withLock { actions in
      defer { actions = [] }
      return actions
    }
    withExtendedLifetime(removed) {}
  }

  func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    actions.withLock { $0.append { _ = action(state) } }
    return Disposables.create()
  }

  func scheduleRelative<StateType: Sendable>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    schedule(state, action: action)
  }
}
