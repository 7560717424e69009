import Rx
import RxBinding
import RxTestSupport
import Testing

/// What the page on objects of one's own promises of its dial.
@MainActor @Suite(.inTurn) struct DialTests {
  @Test func theBinderTurnsTheDial() {
    let dial = Dial()
    _ = Observable.just(450).bind(to: dial.rx.heading)
    #expect(dial.angle == 90)
    _ = Observable.just(false).bind(to: dial.rx.isEnabled)
    #expect(!dial.isEnabled)
  }

  @Test func theEventTellsWhatTheUserDoes() async {
    let dial = Dial()
    let angles = Recorder<Double>()
    let subscription = dial.rx.turned.subscribe(onNext: { angles.record($0) })
    dial.turn(to: 30)
    dial.angle = 40
    dial.turn(to: 50)
    #expect(angles.values == [30, 50])

    subscription.dispose()
    #expect(await eventually { !dial.hasListeners })
  }

  @Test func thePropertyBeginsWithTheValueAndDoesNotTellWhatTheProgramSets() {
    let dial = Dial()
    dial.angle = 10
    let angles = Recorder<Double>()
    let subscription = dial.rx.angle.subscribe(onNext: { angles.record($0) })
    _ = Observable.just(20).bind(to: dial.rx.angle)
    #expect(dial.angle == 20)
    dial.turn(to: 30)
    #expect(angles.values == [10, 30])
    subscription.dispose()
    #expect(!dial.hasListeners)
  }

  @Test func aRelayAndThePropertyFollowEachOther() {
    let bag = DisposeBag()
    let dial = Dial()
    let course = BehaviorRelay(value: 90.0)
    course.asDriver().drive(dial.rx.angle).disposed(by: bag)
    dial.rx.angle.changed.bind(to: course).disposed(by: bag)
    #expect(dial.angle == 90)
    course.accept(120)
    #expect(dial.angle == 120)
    dial.turn(to: 5)
    #expect(course.value == 5)
  }
}
