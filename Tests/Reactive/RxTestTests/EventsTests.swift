import Rx
import RxTest
import RxTestSupport
import Testing

@Suite struct EventsTests {
  @Test func eventsOfALine() {
    let events = Recorded.events(.next(210, 1), .error(220, TestError.first))
    #expect(events.map(\.time) == [210, 220])
    #expect(Recorded.events(events) == events)
  }

  @Test func eventsOfTraitsAreCompared() {
    let maybes: [MaybeEvent<Int>] = [
      .success(1), .success(2), .error(TestError.first), .error(TestError.second), .completed,
    ]
    let completables: [CompletableEvent] = [.error(TestError.first), .error(TestError.second), .completed]
    let infallibles: [InfallibleEvent<Int>] = [.next(1), .next(2), .completed]
    for (left, event) in maybes.enumerated() {
      for (right, other) in maybes.enumerated() { #expect((event == other) == (left == right)) }
    }
    for (left, event) in completables.enumerated() {
      for (right, other) in completables.enumerated() { #expect((event == other) == (left == right)) }
    }
    for (left, event) in infallibles.enumerated() {
      for (right, other) in infallibles.enumerated() { #expect((event == other) == (left == right)) }
    }
  }

  @Test func subscriptionsAreHashable() {
    #expect(Set([Subscription(200, 300), Subscription(200, 300), Subscription(200)]).count == 2)
  }
}
