import Rx
import RxBinding
import RxTest
import RxTestSupport
import Testing

/// What is a programmer's fault ends a debug build's process, as RxCocoa's does.
@Suite(.inTurn) struct TrapTests {
  #if DEBUG
    @Test func anErrorForAControlProperty() async {
      await #expect(processExitsWith: .failure) {
        let property = ControlProperty(values: Observable<Int>.never(), valueSink: AnyObserver { _ in })
        property.onError(TestError.first)
      }
    }

    @Test func anErrorOfAControlEventThatPromisedNone() async {
      await #expect(processExitsWith: .failure) {
        await MainActor.run { _ = ControlEvent(events: Observable<Int>.error(TestError.first)).asDriver().drive() }
      }
    }
  #endif

  @Test func aTestSchedulerDrivenOnAnotherThread() async {
    await #expect(processExitsWith: .failure) {
      let scheduler = TestScheduler(initialClock: 0)
      onBackgroundQueue { scheduler.scheduleAt(1) {} }
      scheduler.start()
    }
  }
}
