import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct SkipTests {
  @Test func skipsTwo() throws {
    try expect("x^abcb--|", "^------!", becomes: "---cb--|") { xs, _ in xs.skip(2) }
    try expect("-a#", "^-!", becomes: "--#") { xs, _ in xs.skip(2) }
  }

  @Test(arguments: [(0, "ab"), (-1, "ab"), (9, "")]) func skipsNoneOrAll(count: Int, rest: String) throws {
    #expect(immediateEvents(Observable.of("a", "b").skip(count)) == rest.map { .next("\($0)") } + [.completed])
  }

  @Test func skipsSomeTime() throws {
    // An element at the end of the time was scheduled before its timer.
    try expect("-abcd--|", "^------!", becomes: "---cd--|") { $0.skip(.seconds(29), scheduler: $1) }
    try expect("-abcd--|", "^------!", becomes: "----d--|") { $0.skip(.seconds(30), scheduler: $1) }
  }

  @Test func skipsAllOfTheTime() throws {
    try expect("-ab-|", "^---!", becomes: "----|") { $0.skip(.seconds(500), scheduler: $1) }
    try expect("-ab-#", "^---!", becomes: "----#") { $0.skip(.seconds(500), scheduler: $1) }
  }

  @Test func skipsUntilAnotherSends() throws {
    // The other one is not needed after its first element; its error ends the sequence, its completion does not.
    try expect("-ab-cd-|", "^------!", "---x--x#", "^--!", becomes: "----cd-|") { $0.skip(until: $1) }
    try expect("-ab-cd-|", "^--!", "---#", "^--!", becomes: "---#") { $0.skip(until: $1) }
    // If the sequence ends before, so does the result, with an error only.
    try expect("-ab-cd-|", "^------!", "---|", "^--!", becomes: "") { $0.skip(until: $1) }
    try expect("-ab-cd-|", "^------!", "---------x", "^------!", becomes: "") { $0.skip(until: $1) }
    try expect("-a#", "^-!", "-----x", "^-!", becomes: "--#") { $0.skip(until: $1) }
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
}
