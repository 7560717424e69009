import Dispatch
import Rx
import RxTest
import RxTestSupport
import TestSupport
import Testing

@Suite struct SkipTests {
  @Test(arguments: [
    ["x^abcb--|", "^------!", "---cb--|"],
    ["-a#", "^-!", "--#"],
  ])
  func skipsTwo(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2]) { xs, _ in xs.skip(2) }
  }

  @Test(arguments: [(0, "ab"), (-1, "ab"), (9, "")]) func skipsNoneOrAll(count: Int, rest: String) throws {
    #expect(immediateEvents(Observable.of("a", "b").skip(count)) == rest.map { .next("\($0)") } + [.completed])
  }

  @Test func skipsSomeTime() throws {
    try expect("-abcd--|", "^------!", becomes: "---cd--|") { $0.skip(.seconds(25), scheduler: $1) }
  }

  @Test(arguments: [["-ab-|", "^---!", "----|"], ["-ab-#", "^---!", "----#"]])
  func skipsAllOfTheTime(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], becomes: diagrams[2]) { $0.skip(.seconds(500), scheduler: $1) }
  }

  @Test(arguments: [
    // The other one is not needed after its first element; its error ends the sequence, its completion does not.
    ["-ab-cd-|", "^------!", "---x--x#", "^--!", "----cd-|"],
    ["-ab-cd-|", "^--!", "---#", "^--!", "---#"],
    // If the sequence ends before, so does the result, with an error only.
    ["-ab-cd-|", "^------!", "---|", "^--!", ""],
    ["-ab-cd-|", "^------!", "---------x", "^------!", ""],
    ["-a#", "^-!", "-----x", "^-!", "--#"],
  ])
  func skipsUntilAnotherSends(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], diagrams[2], diagrams[3], becomes: diagrams[4]) { $0.skip(until: $1) }
  }

  @Test func skipsNothingIfTheOtherSendsAtOnce() throws {
    try expect("-ab-|", "^---!", becomes: "-ab-|") { xs, _ in xs.skip(until: Observable.just(0)) }
  }

  @Test func skipsWhile() throws {
    try expect("-abca-|", "^-----!", becomes: "---ca-|") { xs, _ in xs.skip(while: { $0 < "c" }) }
  }

  @Test func asksNoMoreAfterTheFirst() {
    let asked = Recorder<Int>()
    _ = immediateEvents(
      Observable.of(1, 5, 2).skip(while: {
        asked.record($0)
        return $0 < 3
      }))
    #expect(asked.values == [1, 5])
  }

  @Test func whatThePredicateThrowsEndsIt() throws {
    try expect("-ab-|", "^!", becomes: "-#") { xs, _ in xs.skip(while: { _ in throw MarbleFailure() }) }
  }
}

@Suite(.leavesNoResources) struct SkipLeakTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func untilOtherThatIsTooLateLeavesNothingBehind() {
    // Nobody disposes these subscriptions; that nothing is leaked is checked after the test.
    _ = Observable.just(1).skip(until: Observable.just(1).delay(.seconds(20), scheduler: scheduler)).subscribe()
    _ = hot(.next(210, 1), .completed(220)).skip(until: hot(.next(300, 1))).subscribe()
    scheduler.start()
  }
}
