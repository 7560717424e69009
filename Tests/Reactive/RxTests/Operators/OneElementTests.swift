import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct OneElementTests {
  private let outOfRange = "error(Argument out of range.)"
  private let none = "error(Sequence doesn't contain any elements.)"
  private let several = "error(Sequence contains more than one element.)"

  @Test func elementAt() throws {
    try expect("-a-b-c-|", "^--!", becomes: "---(b|)") { xs, _ in xs.element(at: 1) }
    try expect("-a-#", "^--!", becomes: "---#") { xs, _ in xs.element(at: 1) }
    #expect(log(Observable.of(1, 2).element(at: 0)) == ["1", "completed", "disposed"])
    #expect(log(Observable.of(1, 2).element(at: 2)) == [outOfRange, "disposed"])
    #expect(log(Observable.of(1, 2).element(at: -1)) == [outOfRange, "disposed"])
  }

  /// What is sent may lead to the next element.
  @Test func elementAtIsNotConfusedByElementsThatItsReceiverSends() {
    let subject = PublishSubject<Int>()
    let log = Recorder<String>()
    log.subscribe(to: subject.element(at: 1).do(onNext: { _ in subject.onNext(9) }))
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.values == ["2", "completed", "disposed"])
  }

  @Test func single() throws {
    try expect("-a---|", "^----!", becomes: "-a---|") { xs, _ in xs.single() }
    try expect("-a-#", "^--!", becomes: "-a-#") { xs, _ in xs.single() }
    #expect(log(Observable<Int>.empty().single()) == [none, "disposed"])
    #expect(log(Observable.of(1, 2).single()) == ["1", several, "disposed"])
  }

  @Test func singleWithAPredicate() {
    #expect(log(Observable.of(1, 2, 3).single { $0 == 2 }) == ["2", "completed", "disposed"])
    #expect(log(Observable.of(1, 2, 3).single { $0 > 1 }) == ["2", several, "disposed"])
    #expect(log(Observable.of(1, 2, 3).single { $0 > 3 }) == [none, "disposed"])
    #expect(log(Observable.of(1, 2).single { _ in throw TestError.first }) == ["error(first)", "disposed"])
  }

  @Test func ignoreElements() throws {
    try expect("-a-b--|", "^-----!", becomes: "------|") { xs, _ in
      xs.ignoreElements().asCompletable().andThen(Observable<String>.empty())
    }
    try expect("-a-b--#", "^-----!", becomes: "------#") { xs, _ in
      xs.ignoreElements().asCompletable().andThen(Observable<String>.empty())
    }
  }
}
