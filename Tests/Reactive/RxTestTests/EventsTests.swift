import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct EventsTests {
  @Test func eventsOfALine() {
    let events = Recorded.events(.next(210, 1), .error(220, TestError.first))
    #expect(events.map(\.time) == [210, 220])
    #expect(Recorded.events(events) == events)
  }

  @Test func eventsOfTraitsAreCompared() {
    expectDifferent([
      MaybeEvent<Int>.success(1), .success(2), .error(TestError.first), .error(TestError.second), .completed,
    ])
    expectDifferent([CompletableEvent.error(TestError.first), .error(TestError.second), .completed])
    expectDifferent([InfallibleEvent<Int>.next(1), .next(2), .completed])
  }

  private func expectDifferent<Event: Equatable>(_ events: [Event]) {
    for (left, event) in events.enumerated() {
      for (right, other) in events.enumerated() { #expect((event == other) == (left == right)) }
    }
  }

  @Test func subscriptionsAreHashable() {
    #expect(Set([Subscription(200, 300), Subscription(200, 300), Subscription(200)]).count == 2)
  }
}
