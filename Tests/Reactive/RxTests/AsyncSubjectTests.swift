import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct AsyncSubjectTests {
  @Test func sendsTheLastElementAtTheEnd() {
    let subject = AsyncSubject<Int>()
    let log = Recorder<String>()
    log.subscribe(to: subject, as: "gone ").dispose()
    log.subscribe(to: subject, as: "early ")
    subject.onNext(1)
    subject.onNext(2)
    log.subscribe(to: subject, as: "late ")
    #expect(log.values == ["gone disposed"])
    subject.onCompleted()
    subject.onNext(3)
    #expect(
      log.values.dropFirst() == [
        "early 2", "early completed", "early disposed", "late 2", "late completed", "late disposed",
      ])
    log.removeAll()
    log.subscribe(to: subject).dispose()
    #expect(log.values == ["2", "completed", "disposed"])
  }

  @Test(arguments: [([], .completed), ([1], .error(TestError.first))] as [([Int], Event<Int>)])
  func itsEndComesAloneWithoutAnElementOrWithAnError(elements: [Int], end: Event<Int>) {
    let (subject, log) = (AsyncSubject<Int>(), Recorder<Event<Int>>())
    _ = subject.subscribe { log.record($0) }
    for element in elements { subject.onNext(element) }
    subject.on(end)
    #expect(log.values == [end])
    #expect(immediateEvents(subject) == [end])
  }

  @Test(arguments: [true, false])
  func whatItHoldsGoesWithItsEnd(fails: Bool) {
    let subject = AsyncSubject<Captured>()
    weak var held: Captured?
    do {
      let object = Captured()
      held = object
      subject.onNext(object)
    }
    #expect(held != nil)
    if fails { subject.onError(TestError.first) } else { subject.dispose() }
    #expect(held == nil)
  }
}
