import TestSupport
import Testing

@testable import Publishing

/// Failures to report, retry waits and the choice of a version, without a broker.
@Suite(.inTurn) final class BrokerRetryTests {
  private var retry: BrokerRetry

  init() {
    var session = SessionConfiguration(address: .broker(host: "broker"), clientID: "rxlocationd-a-b")
    session.minimumRetryDelay = 1
    session.maximumRetryDelay = 60
    retry = BrokerRetry(session)
  }

  private func fail(_ failure: BrokerFailure, after session: Double? = nil) -> BrokerFailure? {
    retry.fail(failure, session: session, random: 0.5).report
  }

  private func succeed(session: Double, stillRefuses: Bool) -> Bool {
    retry.succeed(session: session, stillRefuses: stillRefuses)
  }

  private func wait(_ failure: BrokerFailure) -> Double { retry.fail(failure, session: nil, random: 0.5).wait }

  private func isTakenOver(_ failure: BrokerFailure?) -> Bool {
    if case .takenOver? = failure { true } else { false }
  }

  @Test func eachKindIsReportedOnce() {
    #expect(fail(.unreachable("a")) == .unreachable("a"))
    #expect(fail(.unreachable("b")) == nil)
    #expect(fail(.login("c")) == .login("c"))
    #expect(fail(.refused("one topic")) != nil)
    #expect(fail(.refused("one topic")) == nil)
    #expect(fail(.refused("another topic")) != nil)
  }

  @Test func progressEndsAnOutageAndRestartsTheWaits() {
    #expect(wait(.unreachable("a")) == 1)
    #expect(wait(.unreachable("a")) == 1.5)
    #expect(succeed(session: 0, stillRefuses: false))
    #expect(retry.reported == nil)
    #expect(!succeed(session: 0, stillRefuses: false))
    #expect(wait(.unreachable("a")) == 1)
  }

  @Test func progressElsewhereDoesNotEndARefusal() {
    #expect(wait(.refused("a topic")) == 1)
    #expect(!succeed(session: 0, stillRefuses: true))
    #expect(retry.reported == .refused("a topic"))
    #expect(wait(.refused("a topic")) == 1.5)
  }

  @Test func aRivalIsExpectedUntilASessionOutlastsItsLongestWait() {
    #expect(isTakenOver(fail(.takenOver("x"), after: 0.1)))
    #expect(!succeed(session: 119.9, stillRefuses: false))
    #expect(fail(.takenOver("x"), after: 119.9) == nil)
    #expect(succeed(session: 120, stillRefuses: false))
    #expect(retry.reported == nil)
  }

  @Test func threeShortSessionsLookLikeARival() {
    #expect(fail(.closed, after: 9.9) == .closed)
    #expect(fail(.closed, after: 9.9) == nil)
    #expect(isTakenOver(fail(.closed, after: 9.9)))
    #expect(retry.reported?.reason.contains("3 connections") == true)
    #expect(retry.reported?.reason.contains("'rxlocationd-a-b'") == true)
    // From there on its waits grow, and so do the sessions.
    for session in [29.6, 88.7, 119.9] {
      #expect(fail(.closed, after: session) == nil)
      #expect(isTakenOver(retry.reported))
    }
    #expect(fail(.closed, after: 120) == .closed)
  }

  @Test(arguments: [(0.5, 10), (3, 10), (9, 27)] as [(Double, Double)])
  func aSuspicionEndsWithASessionMuchLongerThanThoseBefore(session: Double, peace: Double) {
    for _ in 0..<4 { _ = fail(.closed, after: session) }
    #expect(isTakenOver(retry.reported))
    #expect(!succeed(session: peace - 0.1, stillRefuses: false))
    #expect(succeed(session: peace, stillRefuses: false))
    #expect(retry.reported == nil)
    // What the broker says itself holds for longer.
    for _ in 0..<4 { _ = fail(.closed, after: session) }
    #expect(fail(.takenOver("x"), after: session) == nil)
    #expect(!succeed(session: 119.9, stillRefuses: false))
  }

  @Test func otherEndsDoNotIndicateARival() {
    // Not in a row.
    for session in [1.0, 1, 10, 1, 1] { _ = fail(.closed, after: session) }
    #expect(!isTakenOver(retry.reported))
    // Another end between them; and what fails before there is a session says nothing.
    _ = fail(.lost("reset"), after: 1)
    for _ in 0..<2 { _ = fail(.closed, after: 1) }
    #expect(!isTakenOver(retry.reported))
    _ = fail(.unreachable("away"), after: nil)
    #expect(isTakenOver(fail(.closed, after: 1)))
  }

  @Test func theNewerVersionIsTriedUntilTheBrokerRefusesIt() {
    var choice = MQTTVersionChoice()
    #expect(choice.version == .v5)
    choice.attemptEnded(inSilence: true)
    #expect(choice.version == .v311)
    choice.attemptEnded(inSilence: true)
    #expect(choice.version == .v5)
    choice.attemptEnded(inSilence: true)
    choice.attemptEnded(inSilence: false)
    #expect(choice.version == .v5)
    choice.settleOnOlder()
    choice.attemptEnded(inSilence: false)
    #expect(choice.version == .v311)
    choice.attemptEnded(inSilence: true)
    #expect(choice.version == .v311)
  }
}
