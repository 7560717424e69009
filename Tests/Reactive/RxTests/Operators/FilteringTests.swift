import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) struct FilteringTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  private struct Place: Equatable, Sendable {
    let name: String
    let size: Int
  }

  private let error = TestError.first

  @Test func repetitionsAreLeftOut() {
    let xs = hot(.next(210, 1), .next(220, 1), .next(230, 2), .next(240, 1), .next(250, 1), .completed(300))
    #expect(events { xs.distinctUntilChanged() } == [.next(210, 1), .next(230, 2), .next(240, 1), .completed(300)])
    #expect(xs.subscriptions == [Subscription(200, 300)])
  }

  @Test func repetitionsAreFoundByKeyPathAndComparison() {
    let places = [Place(name: "a", size: 1), Place(name: "b", size: 1), Place(name: "b", size: 2)]
    let source = Observable.from(places)
    let byName: [Event<Place>] = [.next(places[0]), .next(places[1]), .completed]
    #expect(immediateEvents(source.distinctUntilChanged { $0.name }) == byName)
    #expect(immediateEvents(source.distinctUntilChanged(at: \.name)) == byName)
    #expect(immediateEvents(source.distinctUntilChanged { $0.name == $1.name }) == byName)
    #expect(
      immediateEvents(source.distinctUntilChanged({ $0.size }, comparer: { $0 == $1 })) == [
        .next(places[0]), .next(places[2]), .completed,
      ])
  }

  @Test func nilIsAnElementLikeAnyOther() {
    #expect(
      immediateEvents(Observable<Int?>.of(nil, nil, 1, nil).distinctUntilChanged()) == [
        .next(nil), .next(1), .next(nil), .completed,
      ])
  }

  @Test func anElementIsComparedWithTheLastThatPassed() {
    let distinct = Observable.of(1, 2, 3, 4).distinctUntilChanged { (last: Int, next: Int) in abs(last - next) < 2 }
    #expect(immediateEvents(distinct) == [.next(1), .next(3), .completed])
  }

  @Test func anEmptySequenceSendsTheDefault() {
    #expect(immediateEvents(Observable.empty().ifEmpty(default: 1)) == [.next(1), .completed])
    #expect(immediateEvents(Observable.just(2).ifEmpty(default: 1)) == [.next(2), .completed])
    #expect(immediateEvents(Observable.error(error).ifEmpty(default: 1)) == [.error(error)])
    #expect(immediateEvents(Observable.never().ifEmpty(default: 1)) == [])
  }

  @Test func anEmptySequenceIsFollowedByTheOther() {
    let xs = hot(.completed(210, Int.self))
    let ys = cold(.next(10, 1), .completed(50))
    #expect(events { xs.ifEmpty(switchTo: ys.asObservable()) } == [.next(220, 1), .completed(260)])
    #expect(xs.subscriptions == [Subscription(200, 210)])
    #expect(ys.subscriptions == [Subscription(210, 260)])
  }

  @Test func aSequenceWithAnElementIsNotFollowed() {
    let xs = hot(.next(205, 0), .completed(210))
    let ys = cold(.next(10, 1), .completed(50))
    #expect(events { xs.ifEmpty(switchTo: ys.asObservable()) } == [.next(205, 0), .completed(210)])
    #expect(ys.subscriptions == [])
  }
}
