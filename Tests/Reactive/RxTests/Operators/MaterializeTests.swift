import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct MaterializeTests {
  private func letters(_ source: some ObservableType<String>) -> Observable<String> {
    source.materialize().map { String("\($0)".prefix(1)) }
  }

  @Test func sendsTheEndAsAnElementToo() throws {
    try expect("-a-b--|   ", "^-----!", becomes: "-n-n--(c|)") { xs, _ in letters(xs) }
    try expect("-a-b--#   ", "^-----!", becomes: "-n-n--(e|)") { xs, _ in letters(xs) }
    try expect("-a-b------", "^-------!", becomes: "-n-n", disposed: 8) { xs, _ in letters(xs) }
  }

  @Test func aReceiverThatHasEnoughGetsNoCompletion() {
    #expect(
      log(Observable<Int>.error(TestError.first).materialize().take(1)) == ["error(first)", "completed", "disposed"])
  }

  @Test func dematerializeIsTheOpposite() throws {
    try expect("-a-b--|", "^-----!", becomes: "-a-b--|") { xs, _ in xs.materialize().dematerialize() }
    try expect("-a-b--#", "^-----!", becomes: "-a-b--#") { xs, _ in xs.materialize().dematerialize() }
  }

  @Test func dematerializeEndsWithTheFirstTerminalEvent() {
    let events: [Event<Int>] = [.next(1), .completed, .next(2)]
    #expect(log(Observable.from(events).dematerialize()) == ["1", "completed", "disposed"])
    #expect(log(Observable.of(Event<Int>.next(1)).dematerialize()) == ["1", "completed", "disposed"])
    #expect(
      log(Observable.of(InfallibleEvent.next(1), .completed, .next(2)).dematerialize())
        == ["1", "completed", "disposed"])
  }
}
