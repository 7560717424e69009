import Testing

@testable import LocationKit

@MainActor
@Suite struct StalenessTests {
  let stage = Stage()
  var manager: LocationManager { stage.manager }
  var delegate: RecordingDelegate { stage.delegate }

  @Test func silenceIsReportedOnceForEachLoss() {
    manager.startUpdatingLocation()
    stage.fix()
    stage.clock.advance(by: 9.9)
    #expect(delegate.errors.isEmpty)
    #expect(!manager.isLocationStale)
    stage.clock.advance(by: 1.1)
    #expect(delegate.errors == [.locationUnknown])
    #expect(manager.isLocationStale)
    #expect(manager.location != nil)
    stage.clock.advance(by: 500)
    #expect(delegate.errors == [.locationUnknown])
    stage.fix()
    #expect(!manager.isLocationStale)
    #expect(delegate.locations.count == 2)
    stage.clock.advance(by: 11)
    #expect(delegate.errors == [.locationUnknown, .locationUnknown])
  }

  @Test func noFirstFixIsReportedOnce() {
    manager.startUpdatingLocation()
    for _ in 0..<9 {
      stage.clock.advance(by: 1)
      stage.source.send(.noFix)
    }
    #expect(delegate.errors.isEmpty)
    for _ in 0..<100 {
      stage.clock.advance(by: 1)
      stage.source.send(.noFix)
    }
    #expect(delegate.errors == [.locationUnknown])
  }

  @Test func receiverThatLosesItsFixIsReportedAtOnceAndOnce() {
    manager.startUpdatingLocation()
    stage.fix()
    for _ in 0..<30 {
      stage.clock.advance(by: 1)
      stage.source.send(.noFix)
      #expect(delegate.errors == [.locationUnknown])
    }
    stage.fix()
    #expect(delegate.locations.count == 2)
    stage.source.send(.noFix)
    #expect(delegate.errors.count == 2)
    #expect(delegate.messages == ["the receiver has no fix", "the receiver has no fix"])
  }

  @Test(arguments: [0.5, 3.0, 60])
  func withinASecondOfStaleAfterWhateverTheRateOfFixes(staleAfter: Double) {
    manager.staleAfter = staleAfter
    manager.startUpdatingLocation()
    var last = 0.0
    for interval in [0.1, 0.3, 0.45, 0.2, 0.4999] {
      stage.fix(after: interval)
      last = stage.clock.now
    }
    var reported: Double?
    delegate.onCall = { [clock = stage.clock] call in if call == .error(.locationUnknown) { reported = clock.now } }
    stage.clock.advance(by: 1000)
    let delay = (reported ?? .infinity) - last
    #expect(delay >= staleAfter && delay <= staleAfter + 1)
  }

  @Test func aFixOfExactlyStaleAfterSecondsIsNotStale() {
    manager.startUpdatingLocation()
    stage.fix(after: 1)
    stage.clock.advance(by: 10)
    #expect(!manager.isLocationStale)
    stage.clock.advance(by: 0.125)
    #expect(manager.isLocationStale)
  }

  /// The watch looks when the first of two fixes is too old, and the second is just not.
  @Test func theLaterOfTwoFixesIsWaitedForAsLong() {
    manager.startUpdatingLocation()
    stage.fix(after: 0)
    stage.fix(after: 0.25)
    stage.clock.advance(by: 10.125)
    #expect(delegate.errors.isEmpty)
    stage.clock.advance(by: 0.25)
    #expect(delegate.errors == [.locationUnknown])
  }

  /// A receiver that never had a fix since the start has lost none.
  @Test func aFixFromBeforeTheStartIsNotLostAnew() {
    manager.startUpdatingLocation()
    stage.fix()
    manager.stopUpdatingLocation()
    stage.clock.advance(by: 5)
    manager.startUpdatingLocation()
    stage.source.send(.noFix)
    #expect(delegate.errors.isEmpty)
  }

  @Test func fixesThatComeEveryStaleAfterSecondsAreNotLost() {
    manager.startUpdatingLocation()
    for _ in 0..<20 { stage.fix(after: 10) }
    #expect(delegate.errors.isEmpty)
  }

  @Test func nextFixAfterALossPassesTheDistanceFilter() {
    manager.distanceFilter = 1000
    manager.startUpdatingLocation()
    stage.fix()
    stage.fix(after: 20)
    stage.fix()
    #expect(delegate.locations.count == 2)
    #expect(delegate.errors == [.locationUnknown])
  }

  @Test func changingStaleAfterHoldsAtOnce() {
    manager.startUpdatingLocation()
    stage.fix()
    stage.clock.advance(by: 5)
    manager.staleAfter = 2
    stage.clock.advance(by: 0)
    #expect(delegate.errors == [.locationUnknown])
    manager.staleAfter = .infinity
    stage.fix()
    stage.clock.advance(by: 1e6)
    #expect(delegate.errors == [.locationUnknown])
    manager.staleAfter = .nan
    stage.fix()
    stage.clock.advance(by: 1e6)
    #expect(delegate.errors == [.locationUnknown])
  }

  /// What a program sees at each transition: no source, no fix, fix, lost, back, silent, back.
  @Test func everyTransitionIsSeen() {
    manager.startUpdatingLocation()
    var seen: [(isStale: Bool, errors: Int, locations: Int)] = []
    func look() { seen.append((manager.isLocationStale, delegate.errors.count, delegate.locations.count)) }

    stage.source.send(.status(.waiting(reason: "Connection refused", retryIn: 1)))
    look()
    stage.source.send(.status(.connected(devices: [])))
    stage.source.send(.noFix)
    look()
    let first = stage.fix()
    look()
    stage.clock.advance(by: 1)
    stage.source.send(.noFix)
    look()
    let second = stage.fix()
    look()
    stage.clock.advance(by: 10)
    look()
    stage.clock.advance(by: 1)
    look()
    stage.fix()
    look()
    #expect(seen.map(\.isStale) == [true, true, false, true, false, false, true, false])
    #expect(seen.map(\.errors) == [0, 0, 0, 1, 1, 1, 2, 2])
    #expect(seen.map(\.locations) == [0, 0, 1, 1, 2, 2, 2, 3])
    #expect(delegate.messages == ["the receiver has no fix", "no fix for 10.0 s"])
    #expect(
      delegate.fixStates == [
        .current, .lost(FixLoss(.receiver, location: first)), .current, .lost(FixLoss(.silence, location: second)),
        .current,
      ])
  }

  @Test func whyThereIsNoFixIsSaidWheneverItChanges() {
    manager.startUpdatingLocation()
    #expect(manager.fixState == .searching)
    stage.source.send(.noFix)
    #expect(manager.fixState == .searching)
    let fix = stage.fix()
    func expect(_ reason: FixLoss.Reason, _ comment: Comment) {
      let state = FixState.lost(FixLoss(reason, location: fix))
      #expect(manager.fixState == state && delegate.fixStates.last == state, comment)
    }

    stage.source.send(.noFix)
    expect(.receiver, "the receiver says so")
    stage.clock.advance(by: 8)
    stage.source.send(.noFix)
    stage.clock.advance(by: 8)
    expect(.receiver, "the receiver says so again and again")
    stage.clock.advance(by: 3)
    expect(.silence, "the receiver says nothing any more")
    stage.source.send(.status(.waiting(reason: "Connection refused", retryIn: 1)))
    stage.source.send(.status(.connecting))
    expect(.source, "there is no source")
    stage.source.send(.status(.connected(devices: [])))
    expect(.silence, "there is a source, and it has said nothing")
    stage.source.send(.noFix)
    expect(.receiver, "the receiver is back without a fix")
    stage.fix()
    #expect(manager.fixState == .current)
    #expect(delegate.fixStates.count == 7)
    #expect(delegate.errors.count == 1)
    // Nothing is watched once there is a fix that nobody needs.
    manager.stopUpdatingLocation()
    stage.clock.advance(by: 100)
    #expect(delegate.fixStates.count == 7)
    manager.startUpdatingLocation()
    #expect(manager.fixState == .searching)
  }

  /// The limit is set before the receiver loses its fix, or after it.
  @Test(arguments: [3.0, 20]) func aReceiverWithoutAFixMayBeSilentForStaleAfterSecondsToo(before: Double) {
    manager.startUpdatingLocation()
    manager.staleAfter = before
    let fix = stage.fix()
    stage.source.send(.noFix)
    manager.staleAfter = 3
    stage.clock.advance(by: 3)
    #expect(delegate.fixStates.last == .lost(FixLoss(.receiver, location: fix)))
    stage.clock.advance(by: 0.5)
    #expect(delegate.fixStates.last == .lost(FixLoss(.silence, location: fix)))
  }

  @Test func aFixThatStillHoldsIsOneAfterARestart() {
    manager.startUpdatingLocation()
    stage.fix()
    manager.stopUpdatingLocation()
    stage.clock.advance(by: 5)
    manager.startUpdatingLocation()
    #expect(manager.fixState == .current)
    manager.stopUpdatingLocation()
    stage.clock.advance(by: 6)
    manager.startUpdatingLocation()
    #expect(manager.fixState == .searching)
  }

  @Test func aReceiverThatIsNeverHeardIsSilent() {
    manager.startUpdatingLocation()
    stage.clock.advance(by: 11)
    #expect(delegate.fixStates == [.lost(FixLoss(.silence))])
    stage.source.send(.status(.finished))
    #expect(delegate.fixStates.count == 1)
  }

  @Test func aFixThatIsNotAccurateEnoughIsNoSilence() {
    manager.accuracyFilter = 5
    manager.startUpdatingLocation()
    for _ in 0..<11 { stage.fix(accuracy: 6) }
    #expect(delegate.fixStates == [.lost(FixLoss(.receiver))])
    stage.fix(accuracy: 5)
    #expect(delegate.fixStates.last == .current)
  }

  @Test func nothingIsSaidAfterAStop() {
    manager.startUpdatingLocation()
    stage.fix()
    manager.stopUpdatingLocation()
    stage.clock.advance(by: 100)
    #expect(delegate.errors.isEmpty)
    #expect(manager.isLocationStale)
    // A loss from before does not count again.
    manager.startUpdatingLocation()
    stage.source.send(.noFix)
    stage.clock.advance(by: 9)
    #expect(delegate.errors.isEmpty)
    stage.clock.advance(by: 2)
    #expect(delegate.errors == [.locationUnknown])
  }

  @Test func aReceiverWithoutAFixIsNotWatchedAfterAStop() {
    manager.startUpdatingLocation()
    let fix = stage.fix()
    stage.source.send(.noFix)
    manager.stopUpdatingLocation()
    stage.clock.advance(by: 100)
    #expect(delegate.fixStates == [.current, .lost(FixLoss(.receiver, location: fix))])
  }

  @Test func aLimitThatIsChangedAfterALossReportsNoOther() {
    manager.startUpdatingLocation()
    stage.fix()
    stage.clock.advance(by: 11)
    manager.staleAfter = 20
    stage.clock.advance(by: 100)
    #expect(delegate.errors == [.locationUnknown])
    stage.fix()
    stage.clock.advance(by: 19)
    #expect(delegate.errors == [.locationUnknown])
    stage.clock.advance(by: 2)
    #expect(delegate.errors == [.locationUnknown, .locationUnknown])
  }

  @Test func aLimitThatIsChangedAfterALossAndARestartHoldsAtOnce() {
    manager.startUpdatingLocation()
    stage.clock.advance(by: 11)
    #expect(delegate.errors == [.locationUnknown])
    manager.stopUpdatingLocation()
    manager.startUpdatingLocation()
    manager.staleAfter = 2
    stage.clock.advance(by: 3)
    #expect(delegate.errors == [.locationUnknown, .locationUnknown])
  }

  @Test func aFixThatWasLostIsNoneAfterARestart() {
    manager.startUpdatingLocation()
    stage.fix()
    stage.source.send(.noFix)
    manager.stopUpdatingLocation()
    manager.startUpdatingLocation()
    #expect(manager.isLocationStale && manager.fixState == .searching)
    stage.fix()
    #expect(!manager.isLocationStale && manager.fixState == .current)
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
