import Rx
import RxTestSupport
import TestSupport
import Testing

@Suite struct AsyncSubjectTests {
  @Test func sendsTheLastElementAtTheEnd() {
    let subject = AsyncSubject<Int>()
    let log = Recorder<String>()
    log.subscribe(to: subject, as: "gone ").dispose()
    let early = log.subscribe(to: subject, as: "early ")
    subject.onNext(1)
    subject.onNext(2)
    let late = log.subscribe(to: subject, as: "late ")
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
    early.dispose()
    late.dispose()
  }

  @Test func anErrorComesWithoutAnElement() {
    let subject = AsyncSubject<Int>()
    let log = Recorder<String>()
    let subscription = log.subscribe(to: subject)
    subject.onNext(1)
    subject.onError(TestError.first)
    log.subscribe(to: subject).dispose()
    #expect(log.values == ["error(first)", "disposed", "error(first)", "disposed"])
    subscription.dispose()
  }

  @Test func withoutAnElementItJustCompletes() {
    let subject = AsyncSubject<Int>()
    subject.onCompleted()
    let log = Recorder<String>()
    log.subscribe(to: subject).dispose()
    #expect(log.values == ["completed", "disposed"])
  }

  @Test(arguments: [true, false])
  func whatItHoldsGoesWithItsEnd(fails: Bool) {
    final class Object: Sendable {}
    let subject = AsyncSubject<Object>()
    weak var held: Object?
    do {
      let object = Object()
      held = object
      subject.onNext(object)
    }
    #expect(held != nil)
    if fails { subject.onError(TestError.first) } else { subject.dispose() }
    #expect(held == nil)
  }
}
