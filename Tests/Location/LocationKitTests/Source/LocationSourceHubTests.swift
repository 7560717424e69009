import TestSupport
import Testing

@testable import LocationKit

@MainActor @Suite(.inTurn) struct LocationSourceHubTests {
  final class Receiver: LocationSourceReceiver {
    var events: [LocationSourceEvent] = []
    var onEvent: (() -> Void)?
    func receive(_ event: LocationSourceEvent) {
      events.append(event)
      onEvent?()
    }
  }

  final class Log { var calls: [String] = [] }
  let log = Log()
  let hub: LocationSourceHub

  init() {
    let log = log
    hub = LocationSourceHub(start: { log.calls.append("start") }, stop: { log.calls.append("stop") })
  }

  @Test func theLeastStaleLimitOfTheReceiversCounts() {
    #expect(hub.staleAfter == .infinity)
    let (receiver, one, other) = (Receiver(), Stage().manager, Stage().manager)
    (one.staleAfter, other.staleAfter) = (3, 60)
    hub.attach(receiver)
    #expect(hub.staleAfter == 10)
    for manager in [one, other] { hub.attach(manager) }
    #expect(hub.staleAfter == 3)
    hub.detach(one)
    #expect(hub.staleAfter == 10)
  }

  @Test func aLocationCountsThatOneOfTheReceiversTakes() {
    #expect(hub.accuracyFilter == nil)
    let (receiver, one, other) = (Receiver(), Stage().manager, Stage().manager)
    (one.accuracyFilter, other.accuracyFilter) = (5, 50)
    for manager in [one, other] { hub.attach(manager) }
    #expect(hub.accuracyFilter == 50)
    hub.attach(receiver)
    #expect(hub.accuracyFilter == nil, "this one takes all")
    hub.detach(receiver)
    hub.detach(other)
    #expect(hub.accuracyFilter == 5)
  }

  @Test func firstStartsAndLastStops() {
    let (a, b) = (Receiver(), Receiver())
    hub.detach(a)
    hub.attach(a)
    hub.attach(a)
    hub.attach(b)
    hub.send(.noFix)
    hub.detach(a)
    hub.send(.finished)
    #expect(log.calls == ["start"])
    hub.detach(b)
    hub.detach(b)
    #expect(log.calls == ["start", "stop"])
    #expect(a.events == [.noFix])
    #expect(b.events == [.noFix, .finished])
    hub.attach(a)
    #expect(log.calls == ["start", "stop", "start"])
  }

  /// The source stops at the next event. It does not start again for a receiver that has come meanwhile.
  @Test(arguments: [false, true]) func aReceiverIsReleased(hasSuccessor: Bool) {
    do {
      let receiver = Receiver()
      hub.attach(receiver)
    }
    let successor = Receiver()
    if hasSuccessor { hub.attach(successor) }
    hub.send(.noFix)
    #expect(log.calls == (hasSuccessor ? ["start"] : ["start", "stop"]))
    #expect(successor.events == (hasSuccessor ? [.noFix] : []))
  }

  @Test func changesWhileSending() {
    let (a, b, c) = (Receiver(), Receiver(), Receiver())
    hub.attach(a)
    hub.attach(b)
    a.onEvent = { [hub] in
      hub.detach(b)
      hub.attach(c)
    }
    hub.send(.noFix)
    #expect((a.events.count, b.events.count, c.events.count) == (1, 0, 0))
    hub.send(.noFix)
    #expect((a.events.count, b.events.count, c.events.count) == (2, 0, 1))
    a.onEvent = { [hub] in
      hub.detach(a)
      hub.detach(c)
    }
    hub.send(.noFix)
    #expect(c.events.count == 1)
    #expect(log.calls == ["start", "stop"])
  }
}
