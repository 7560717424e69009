import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct StalenessTests: StageSuite {
  let stage = Stage()

  /// The seconds at which a loss is reported. The manager looks a quarter of a second after a fix gets too old.
  @Test(
    arguments: [
      ("once for each silence", [.start, .fix, .pass(500), .fix, .pass(11)], [10.25, 510.25]),
      ("a first fix that does not come", [.start, .pass(9), .noFix, .pass(9), .noFix, .pass(99), .noFix], [10.25]),
      (
        "at once when the receiver says so, and once",
        [.start, .fix, .pass(1), .noFix, .pass(1), .noFix, .pass(30), .noFix, .fix, .pass(1), .noFix], [1, 33]
      ),
      ("counted from the later of two fixes", [.start, .fix, .pass(0.25), .fix, .pass(20)], [10.5]),
      ("a fix from before the start is not lost anew", [.start, .fix, .stop, .pass(5), .start, .noFix], []),
      ("not while fixes come every ten seconds", [.start, .fix] + Step.fixes(20, every: 10), []),
      ("not after a stop", [.start, .fix, .stop, .pass(100)], []),
      ("anew after a restart", [.start, .fix, .stop, .pass(100), .start, .noFix, .pass(11)], [110.25]),
      ("a shorter limit holds at once", [.start, .fix, .pass(5), .limit(2), .pass(0)], [5]),
      ("without a limit never", [.limit(.infinity), .start, .fix, .pass(1e6)], []),
      ("without a number never", [.limit(.nan), .start, .fix, .pass(1e6)], []),
      (
        "a limit that is changed after a loss reports no other",
        [.start, .fix, .pass(11), .limit(20), .pass(100), .fix, .pass(21)], [10.25, 131.25]
      ),
      (
        "a limit that is changed after a loss and a restart",
        [.start, .pass(11), .stop, .start, .limit(2), .pass(3)], [10.25, 13.25]
      ),
    ] as [(String, [Step], [Double])])
  func lossesAreReported(when: String, steps: [Step], seconds: [Double]) {
    var reported: [Double] = []
    delegate.onCall = { [clock = stage.clock] call in
      if call == .error(.locationUnknown) { reported.append(clock.now) }
    }
    stage.take(steps)
    #expect(reported == seconds)
  }

  @Test(arguments: [0.5, 3.0, 60])
  func withinASecondOfStaleAfterWhateverTheRateOfFixes(staleAfter: Double) {
    manager.staleAfter = staleAfter
    manager.startUpdatingLocation()
    for interval in [0.1, 0.3, 0.45, 0.2, 0.4999] { stage.fix(after: interval) }
    let last = stage.clock.now
    var reported = Double.infinity
    delegate.onCall = { [clock = stage.clock] call in if call == .error(.locationUnknown) { reported = clock.now } }
    stage.clock.advance(by: 1000)
    #expect((staleAfter...staleAfter + 1).contains(reported - last))
  }

  @Test func aFixOfExactlyStaleAfterSecondsIsNotStale() {
    stage.take([.start, .fix, .pass(10)])
    #expect(!manager.isLocationStale)
    stage.take([.pass(0.125)])
    #expect(manager.isLocationStale && manager.location != nil)
  }

  @Test func nextFixAfterALossPassesTheDistanceFilter() {
    manager.distanceFilter = 1000
    stage.take([.start, .fix, .pass(20), .fix, .fix])
    #expect(delegate.locations.count == 2)
  }

  @Test func aLossHasAMessageAndTheLastFix() {
    stage.source.send(.status(.waiting(reason: "Connection refused", retryIn: 1)))
    manager.startUpdatingLocation()
    var fixes: [Location?] = []
    for loss in [.noFix, .pass(11)] as [Step] {
      stage.take([.pass(1), .fix])
      fixes.append(manager.location)
      stage.take([loss])
    }
    #expect(delegate.messages == ["the receiver has no fix", "no fix for 10.0 s"])
    #expect(
      delegate.fixStates == [
        .current, .lost(FixLoss(.receiver, location: fixes[0])), .current,
        .lost(FixLoss(.silence, location: fixes[1])),
      ])
  }

  /// The states that the delegate is told, and the one that holds in the end. A loss has the name of its reason.
  @Test(
    arguments: [
      ("no fix yet", [.start, .noFix], [], "searching"),
      (
        "the receiver says so again and again", [.start, .fix, .noFix, .pass(8), .noFix, .pass(8)],
        ["current", "receiver"], "receiver"
      ),
      ("the receiver falls silent", [.start, .fix, .noFix, .pass(11)], ["current", "receiver", "silence"], "silence"),
      ("it may be silent as long", [.start, .fix, .noFix, .limit(3), .pass(3)], ["current", "receiver"], "receiver"),
      ("and no longer", [.start, .fix, .noFix, .limit(3), .pass(3.5)], ["current", "receiver", "silence"], "silence"),
      (
        "also with a limit that was longer", [.start, .limit(20), .fix, .noFix, .limit(3), .pass(3.5)],
        ["current", "receiver", "silence"], "silence"
      ),
      ("it is back without a fix", [.start, .fix, .pass(11), .noFix], ["current", "silence", "receiver"], "receiver"),
      (
        "a fix ends the loss", [.start, .fix, .noFix, .pass(11), .fix], ["current", "receiver", "silence", "current"],
        "current"
      ),
      ("never heard", [.start, .pass(11)], ["silence"], "silence"),
      ("not watched after a stop", [.start, .fix, .stop, .pass(100)], ["current"], nil),
      ("nor without a fix", [.start, .fix, .noFix, .stop, .pass(100)], ["current", "receiver"], nil),
      ("a fix that holds after a restart", [.start, .fix, .stop, .pass(5), .start], ["current"], "current"),
      ("one that does not", [.start, .fix, .stop, .pass(11), .start], ["current"], "searching"),
      ("one that was lost", [.start, .fix, .noFix, .stop, .start], ["current", "receiver"], "searching"),
    ] as [(String, [Step], [String], String?)])
  func whyThereIsNoFixIsSaidWheneverItChanges(when: String, steps: [Step], told: [String], last: String?) {
    func name(_ state: FixState) -> String { state.loss.map { "\($0.reason)" } ?? "\(state)" }
    stage.take(steps)
    #expect(delegate.fixStates.map(name) == told)
    if let last { #expect(name(manager.fixState) == last) }
    #expect(manager.isLocationStale == (last != "current"))
  }

  @Test func whyThereIsNoFixMayBeTheSource() {
    stage.take([.start, .fix, .pass(11)])
    stage.source.send(.status(.waiting(reason: "Connection refused", retryIn: 1)))
    stage.source.send(.status(.connecting))
    #expect(manager.fixState == .lost(FixLoss(.source, location: manager.location)))
    stage.source.send(.status(.connected(devices: [])))
    #expect(manager.fixState == .lost(FixLoss(.silence, location: manager.location)), "the source has said nothing yet")
    #expect(delegate.fixStates.count == 4 && delegate.fixStates.last == manager.fixState)
    #expect(delegate.errors.count == 1)
  }

  @Test func theEndOfARecordingIsNoOtherReason() {
    stage.take([.start, .pass(11)])
    stage.source.send(.status(.finished))
    #expect(delegate.fixStates == [.lost(FixLoss(.silence))])
  }

  @Test func aFixThatIsNotAccurateEnoughIsNoSilence() {
    manager.accuracyFilter = 5
    manager.startUpdatingLocation()
    for _ in 0..<11 { stage.fix(accuracy: 6) }
    #expect(delegate.fixStates == [.lost(FixLoss(.receiver))])
    stage.fix(accuracy: 5)
    #expect(delegate.fixStates.last == .current)
  }

  @Test func deniedIsReportedAtEachStartAndAtEachChange() {
    let stage = Stage(authorizationStatus: .denied)
    stage.manager.startUpdatingLocation()
    #expect(stage.delegate.calls.isEmpty)
    stage.clock.advance(by: 0)
    #expect(stage.delegate.calls == [.authorization(.denied), .error(.denied)])
    stage.source.send(.failed(LocationError(.denied, "still")))
    #expect(stage.delegate.errors == [.denied])
    stage.source.authorizationStatus = .authorizedAlways
    stage.source.send(.status(.connected(devices: [])))
    stage.source.authorizationStatus = .restricted
    stage.source.send(.failed(LocationError(.denied, "socket: permission denied")))
    #expect(
      stage.delegate.calls == [
        .authorization(.denied), .error(.denied), .authorization(.authorizedAlways),
        .status(.connected(devices: [])), .error(.denied), .authorization(.restricted),
      ])
    #expect(stage.delegate.messages.last == "socket: permission denied")
    stage.manager.stopUpdatingLocation()
    stage.manager.startUpdatingLocation()
    stage.clock.advance(by: 0)
    #expect(stage.delegate.errors == [.denied, .denied, .denied])
  }
}
