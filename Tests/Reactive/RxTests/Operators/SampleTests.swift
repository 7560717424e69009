import Rx
import TestSupport
import Testing

@Suite(.inTurn) struct SampleTests {
  @Test(arguments: [
    // At each tick the latest element since the one before, if there is any.
    [
      "--ab----cde--------|", "^------------------!", "-t---t-------t-----------|", "^------------------------!",
      "-----b-------e-----------|",
    ],
    // It ends with the tick after the source.
    ["--a----|", "^------!", "---------t--t", "^--------!", "---------(a|)"],
    // The end of the ticks is a tick.
    ["--a----b----|", "^-----------!", "-----|", "^----!", "-----a"],
    ["--a----#", "^------!", "----t", "^------!", "----a--#"],
    ["--a", "^---!", "----#", "^---!", "----#"],
  ])
  func sendsTheLatestAtEachTick(_ diagrams: [String]) throws {
    try expect(diagrams[0], diagrams[1], diagrams[2], diagrams[3], becomes: diagrams[4]) { $0.sample($1) }
  }

  @Test func sendsTheDefaultIfNothingHasCome() throws {
    try expect("--ab-----|", "^--------!", "-t--tt-----|", "^----------!", becomes: "-0--b0-----(0|)") {
      $0.sample($1, defaultValue: "0")
    }
  }
}
