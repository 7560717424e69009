import Rx
import RxTest
import Testing

/// How long a frame of the diagrams here takes, in seconds of virtual time.
private let frame = 10

/// Checks in marbles what an operator makes of a hot sequence, and when it is subscribed to that.
///
///     try expect(
///       "-a--b----c|",
///       "^---------!",
///       becomes: "-------b--(c|)"
///     ) { $0.debounce(.seconds(30), scheduler: $1) }
///
/// - Parameters:
///   - source: What the sequence sends, from the frame of the subscription on.
///   - subscription: When it is subscribed to; not at all if empty.
///   - result: What comes out.
///   - values: What characters of `result` stand for, if not for themselves.
///   - disposed: The frame in which the result is disposed of.
///   - apply: The operator, with the virtual time.
func expect(
  _ source: String, _ subscription: String, becomes result: String, values: [Character: String] = [:],
  disposed: Int = 80, at location: SourceLocation = #_sourceLocation,
  apply: @escaping (TestableObservable<String>, TestScheduler) -> Observable<String>
) throws {
  let scheduler = TestScheduler(initialClock: 0)
  let xs = try scheduler.createHotObservable(source, tick: frame)
  let events = scheduler.start(disposed: 200 + disposed * frame) { apply(xs, scheduler) }.events
  #expect(try events == expected(result, values), sourceLocation: location)
  #expect(try xs.subscriptions == subscriptions(subscription), sourceLocation: location)
}

/// The same of two hot sequences.
func expect(
  _ first: String, _ firstSubscription: String, _ second: String, _ secondSubscription: String,
  becomes result: String, values: [Character: String] = [:], disposed: Int = 80,
  at location: SourceLocation = #_sourceLocation,
  apply: @escaping (TestableObservable<String>, TestableObservable<String>) throws -> Observable<String>
) throws {
  let scheduler = TestScheduler(initialClock: 0)
  let xs = try scheduler.createHotObservable(first, tick: frame)
  let ys = try scheduler.createHotObservable(second, tick: frame)
  let joined = try apply(xs, ys)
  let events = scheduler.start(disposed: 200 + disposed * frame) { joined }.events
  #expect(try events == expected(result, values), sourceLocation: location)
  #expect(try xs.subscriptions == subscriptions(firstSubscription), sourceLocation: location)
  #expect(try ys.subscriptions == subscriptions(secondSubscription), sourceLocation: location)
}

private func expected(_ diagram: String, _ values: [Character: String]) throws -> [Recorded<Event<String>>] {
  try .marbles(diagram, tick: frame).map { event in
    guard let element = event.value.element, let value = values[Character(element)] else { return event }
    return .next(event.time, value)
  }
}

private func subscriptions(_ diagram: String) throws -> [Subscription] {
  diagram.isEmpty ? [] : [try Subscription(marbles: diagram, tick: frame)]
}
