import Testing

@testable import Publishing

/// What is said of a broker, and which version it is spoken to in, without a broker and without waiting.
@Suite struct OutageTests {
  /// What the tests change, in a class so that they need not be mutating.
  private final class State {
    var outage: Outage
    init(_ outage: Outage) { self.outage = outage }
  }

  private let state: State
  private var outage: Outage { state.outage }

  init() {
    var session = SessionConfiguration(address: .broker(host: "broker"), clientID: "rxlocationd-a-b")
    session.minimumRetryDelay = 1
    session.maximumRetryDelay = 60
    state = State(Outage(session))
  }

  private func fail(
    _ failure: BrokerFailure, after session: Double? = nil
  ) -> BrokerFailure? {
    state.outage.fail(failure, session: session, random: 0.5).report
  }

  private func progress(session: Double, stillRefuses: Bool) -> Bool {
    state.outage.progress(session: session, stillRefuses: stillRefuses)
  }

  private func wait(_ failure: BrokerFailure) -> Double {
    state.outage.fail(failure, session: nil, random: 0.5).wait
  }

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

  @Test func progressEndsAnOutageAndLetsTheWaitsBeginAnew() {
    #expect(wait(.unreachable("a")) == 1)
    #expect(wait(.unreachable("a")) == 1.5)
    #expect(progress(session: 0, stillRefuses: false))
    #expect(outage.reported == nil)
    #expect(!progress(session: 0, stillRefuses: false))
    #expect(wait(.unreachable("a")) == 1)
  }

  @Test func progressElsewhereDoesNotEndARefusal() {
    #expect(wait(.refused("a topic")) == 1)
    #expect(!progress(session: 0, stillRefuses: true))
    #expect(outage.reported == .refused("a topic"))
    #expect(wait(.refused("a topic")) == 1.5)
  }

  @Test func aRivalIsThereUntilASessionOutlastsItsLongestWait() {
    #expect(isTakenOver(fail(.takenOver("x"), after: 0.1)))
    #expect(!progress(session: 119.9, stillRefuses: false))
    #expect(fail(.takenOver("x"), after: 119.9) == nil)
    #expect(progress(session: 120, stillRefuses: false))
    #expect(outage.reported == nil)
  }

  @Test func threeShortSessionsLookLikeARival() {
    #expect(fail(.closed, after: 9.9) == .closed)
    #expect(fail(.closed, after: 9.9) == nil)
    #expect(isTakenOver(fail(.closed, after: 9.9)))
    #expect(outage.reported?.reason.contains("3 connections") == true)
    #expect(outage.reported?.reason.contains("'rxlocationd-a-b'") == true)
    // From there on its waits grow, and so do the sessions.
    for session in [29.6, 88.7, 119.9] {
      #expect(fail(.closed, after: session) == nil)
      #expect(isTakenOver(outage.reported))
    }
    #expect(fail(.closed, after: 120) == .closed)
  }

  @Test(arguments: [(0.5, 10), (3, 10), (9, 27)] as [(Double, Double)])
  func aSuspicionEndsWithASessionMuchLongerThanThoseBefore(session: Double, peace: Double) {
    for _ in 0..<4 { _ = fail(.closed, after: session) }
    #expect(isTakenOver(outage.reported))
    #expect(!progress(session: peace - 0.1, stillRefuses: false))
    #expect(progress(session: peace, stillRefuses: false))
    #expect(outage.reported == nil)
    // What the broker says itself holds for longer.
    for _ in 0..<4 { _ = fail(.closed, after: session) }
    #expect(fail(.takenOver("x"), after: session) == nil)
    #expect(!progress(session: 119.9, stillRefuses: false))
  }

  @Test func otherEndsAreNoSignOfARival() {
    // Not in a row.
    for session in [1.0, 1, 10, 1, 1] { _ = fail(.closed, after: session) }
    #expect(!isTakenOver(outage.reported))
    // Another end between them; and what fails before there is a session says nothing.
    _ = fail(.lost("reset"), after: 1)
    for _ in 0..<2 { _ = fail(.closed, after: 1) }
    #expect(!isTakenOver(outage.reported))
    _ = fail(.unreachable("away"), after: nil)
    #expect(isTakenOver(fail(.closed, after: 1)))
  }

  @Test func theVersionIsTheNewerOneUntilTheBrokerSaysNo() {
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
