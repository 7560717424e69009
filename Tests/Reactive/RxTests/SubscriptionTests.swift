import RxTestSupport
import Testing

@testable import Rx

@Suite(.leavesNoResources, .inTurn) struct SubscriptionTests {
  private let recorder = Recorder<String>()

  @Test func onDisposedComesOnceAndAfterTheEnd() {
    let subject = PublishSubject<Int>()
    let source = Observable<Int>.create { observer in
      let subscription = subject.subscribe(observer)
      return Disposables.create {
        subscription.dispose()
        recorder.record("source disposed")
      }
    }
    let first = recorder.subscribe(to: source, as: "a ")
    subject.onNext(1)
    first.dispose()
    first.dispose()
    let second = recorder.subscribe(to: source, as: "b ")
    subject.onError(TestError.first)
    second.dispose()
    #expect(
      recorder.values == ["a 1", "source disposed", "a disposed", "b error(first)", "b disposed", "source disposed"])
  }

  @Test func nothingComesAfterDisposalOrTheEnd() throws {
    let observers = Locked<AnyObserver<Int>?>(nil)
    let source = Observable<Int>.create { observer in
      observers.withLock { $0 = observer }
      return Disposables.create()
    }
    recorder.subscribe(to: source.map { $0 * 10 })
    let observer = try #require(observers.withLock { $0.take() })
    observer.onNext(1)
    observer.onCompleted()
    observer.onNext(2)
    observer.onError(TestError.first)
    observer.onCompleted()
    #expect(recorder.values == ["10", "completed", "disposed"])

    let again = recorder.subscribe(to: source)
    let other = try #require(observers.withLock { $0.take() })
    other.onNext(3)
    again.dispose()
    other.onNext(4)
    other.onCompleted()
    #expect(recorder.values == ["10", "completed", "disposed", "3", "disposed"])
  }

  @Test func closuresAndObserversReceiveTheSameEvents() {
    let source = Observable.of(1, 2)
    _ = source.subscribe { recorder.record("\($0)") }
    _ = source.subscribe(AnyObserver { recorder.record("observer \($0)") })
    let target = PublishSubject<Int>()
    recorder.subscribe(to: target)
    _ = source.subscribe(target)
    #expect(
      recorder.values == [
        "next(1)", "next(2)", "completed", "observer next(1)", "observer next(2)", "observer completed",
        "1", "2", "completed", "disposed",
      ])
  }

  // On the main actor, as every test that sets the handler. Other threads' errors go to it, too.
  @MainActor @Test func errorsWithoutAHandlerGoToTheHook() {
    struct Unhandled: Error {}
    let old = Hooks.defaultErrorHandler
    defer { Hooks.defaultErrorHandler = old }
    Hooks.defaultErrorHandler = { _, error in if error is Unhandled { recorder.record("\(error)") } }
    _ = Observable<Int>.error(Unhandled()).subscribe(onNext: { _ in })
    #expect(recorder.values == ["Unhandled()"])
  }

  @MainActor @Test func aHandlerThatIsReplacedGoesWithoutALock() {
    final class Captured: Sendable {
      deinit { _ = Hooks.defaultErrorHandler }
    }
    let old = Hooks.defaultErrorHandler
    do {
      let captured = Captured()
      Hooks.defaultErrorHandler = { stack, error in
        withExtendedLifetime(captured) { old(stack, error) }
      }
    }
    Hooks.defaultErrorHandler = old
  }

  @Test func anEventKnowsItsElementErrorAndEnd() {
    #expect(Event.next(1).element == 1)
    #expect(Event<Int>.completed.element == nil)
    #expect(Event<Int>.completed.isCompleted)
    #expect(Event<Int>.completed.isStopEvent)
    #expect(!Event.next(1).isStopEvent)
    #expect(Event<Int>.error(TestError.first).error != nil)
    #expect("\(Event.next(1).map { "\($0 + 1)" })" == "next(2)")
    #expect("\(Event.next(1).map { _ -> Int in throw TestError.second })" == "error(second)")
    #expect("\(Event<Int>.error(TestError.first).map { $0 })" == "error(first)")
    #expect("\(Event.next("a"))" == "next(a)")
  }

  // An observer that is called from several threads at once passes one event at a time.
  @Test func theObserverOfCreateIsSerial() {
    let observers = Locked<AnyObserver<Int>?>(nil)
    let subscription = Observable<Int>.create { observer in
      observers.withLock { $0 = observer }
      return Disposables.create()
    }.subscribe { event in
      recorder.record("\(event)")
      guard event.element == 1 else { return }
      let observer = observers.withLock { $0 }
      onBackgroundQueue {
        observer?.onNext(2)
        observer?.onCompleted()
        observer?.onNext(3)
      }
      recorder.record("1 done")
    }
    observers.withLock { $0 }?.onNext(1)
    observers.withLock { $0 = nil }
    #expect(recorder.values == ["next(1)", "1 done", "next(2)", "completed"])
    subscription.dispose()
  }

  @Test func mapObserverConvertsElements() {
    let observer = AnyObserver<String> { recorder.record("\($0)") }
    let mapped = observer.mapObserver { (number: Int) -> String in
      if number < 0 { throw TestError.first }
      return "#\(number)"
    }
    mapped.onNext(1)
    mapped.onNext(-1)
    AnyObserver(mapped).onError(TestError.second)
    AnyObserver(mapped).asObserver().onCompleted()
    #expect(recorder.values == ["next(#1)", "error(first)", "error(second)", "completed"])
  }
}
