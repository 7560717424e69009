import Platform
import TestSupport
import Testing

@Suite(.inTurn) struct RetryTests {
  private enum Failure { case refused, timedOut }

  private var retry = Retry<Failure, Double>(minimum: 1, maximum: 4)

  private mutating func fail(_ failure: Failure, at time: Double, isSerious: Bool = true) -> (
    wait: Double, isNews: Bool
  ) { retry.fail(failure, at: time, random: 0.5, isSerious: isSerious) }

  @Test mutating func reportsASeriesOfOneKindOnce() {
    let results = [fail(.refused, at: 10), fail(.refused, at: 11), fail(.timedOut, at: 13)]
    #expect(results.map(\.wait) == [1, 1.5, 2.25])
    #expect(results.map(\.isNews) == [true, false, true])
    #expect(retry.since == 10)
    #expect(retry.failures == 3)
  }

  @Test mutating func reportsTheRecoveryOfAReportedFailureOnce() {
    _ = fail(.refused, at: 10)
    let recoveries = [retry.succeed(), retry.succeed()]
    #expect(recoveries == [true, false])
    #expect(retry.since == nil)
  }

  @Test mutating func startsOverAfterASuccess() {
    for time in 0..<5 { _ = fail(.refused, at: Double(time)) }
    retry.succeed()
    let next = fail(.refused, at: 20)
    #expect(next == (1, true))
    #expect(retry.since == 20)
    #expect(retry.failures == 1)
  }

  @Test mutating func keepsQuietAboutAFailureThatMayPass() {
    let first = fail(.refused, at: 1, isSerious: false)
    let recovery = retry.succeed()
    #expect(!first.isNews && !recovery)
    _ = fail(.refused, at: 2, isSerious: false)
    let second = fail(.refused, at: 3)
    #expect(second.isNews)
  }
}
