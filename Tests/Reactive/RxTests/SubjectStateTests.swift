import Foundation
import Rx
import RxTestSupport
import Testing

/// What a subject knows, and whom it sends to, after others have interfered.
@Suite(.inTurn) struct SubjectStateTests {
  @Test func theValueAfterOthersHaveSentMeanwhile() throws {
    let subject = BehaviorSubject(value: 0)
    let seen = Recorder<Int>()
    _ = subject.subscribe(onNext: { element in
      if element == 1 { onBackgroundQueue { for element in 2...3 { subject.onNext(element) } } }
      seen.record((try? subject.value()) ?? -1)
    })
    subject.onNext(1)
    // All that waits is announced; what is delivered waits no longer.
    #expect(seen.values == [0, 3, 3, 3])
    subject.onNext(4)
    #expect(try subject.value() == 4)
    #expect(seen.values.last == 4)
  }

  @Test func elementsThatWaitedGoWhenOthersHaveCome() {
    let subject = BehaviorSubject(value: Captured())
    let isFirst = Recorder<Bool>()
    let held = Recorder<Weak>()
    _ = subject.skip(1).subscribe(onNext: { _ in
      defer { isFirst.record(false) }
      guard isFirst.values.isEmpty else { return }
      onBackgroundQueue {
        let object = Captured()
        held.record(Weak(object: object))
        subject.onNext(object)
      }
    })
    subject.onNext(Captured())
    #expect(held.values.first?.object != nil)
    subject.onNext(Captured())
    #expect(held.values.first?.object == nil)
  }

  private struct Weak: Sendable {
    weak let object: Captured?
  }

  @Test func theFirstEndCountsForLateSubscriptionsToo() {
    for (end, last) in [(Event<Int>.completed, [.next(3)]), (.error(TestError.first), [])] as [(_, [Event<Int>])] {
      let subjects: [(Observable<Int>, AnyObserver<Int>, [Event<Int>])] = [
        { ($0, $0.asObserver(), []) }(PublishSubject<Int>()),
        { ($0, $0.asObserver(), []) }(BehaviorSubject(value: 0)),
        { ($0, $0.asObserver(), [.next(2), .next(3)]) }(ReplaySubject<Int>.create(bufferSize: 2)),
        { ($0, $0.asObserver(), last) }(AsyncSubject<Int>()),
      ]
      for (source, observer, kept) in subjects {
        for element in 1...3 { observer.onNext(element) }
        for event in [end, .completed, .error(TestError.second), .next(4)] { observer.on(event) }
        #expect(immediateEvents(source) == kept + [end])
      }
    }
    let behavior = BehaviorSubject(value: 1)
    behavior.onCompleted()
    behavior.onNext(2)
    #expect((try? behavior.value()) == 1)
  }

  // MARK: Joining

  @Test(arguments: [false, true]) func whatOthersSendToAJoinerComesBeforeWhatItSends(ends: Bool) {
    let subject = BehaviorSubject(value: 1)
    let log = Recorder<String>()
    let subscription = subject.subscribe(
      onNext: { element in
        log.record("\(element)")
        guard element == 1 else { return }
        onBackgroundQueue {
          subject.onNext(2)
          if ends { subject.onCompleted() }
        }
        subject.onNext(3)
        log.record("1 done")
      }, onCompleted: { log.record("|") })
    #expect(log.values == ["1", "2", ends ? "|" : "3", "1 done"])
    #expect(subject.hasObservers == !ends)
    subject.onNext(4)
    #expect(log.values.last == (ends ? "1 done" : "4"))
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test func aJoinerThatIsDoneWithItsFirstElementIsGone() {
    let relay = BehaviorRelay(value: 1)
    let log = Recorder<Event<Int>>()
    _ = relay.asObservable().take(1).do(onNext: { _ in onBackgroundQueue { relay.accept(2) } })
      .subscribe { log.record($0) }
    relay.accept(3)
    #expect(log.values == [.next(1), .completed])
  }

  // MARK: Many

  @Test func subscriptionsThatEndInAnyOrderLeaveTheOthersInTheirs() {
    let subject = PublishSubject<Int>()
    let log = Recorder<Int>()
    var random = SplitMix(state: 7)
    var live: [(number: Int, subscription: any Disposable)] = []
    for number in 0..<600 {
      live.append((number, subject.subscribe(onNext: { _ in log.record(number) })))
      if number % 3 > 0 { live.remove(at: Int.random(in: 0..<live.count, using: &random)).subscription.dispose() }
      guard number % 20 == 0 || live.count < 4 else { continue }
      log.removeAll()
      subject.onNext(0)
      #expect(log.values == live.map(\.number))
    }
    for (_, subscription) in live.shuffled(using: &random) { subscription.dispose() }
    #expect(!subject.hasObservers)
  }

  @Test func manyTakeNoStack() {
    let subject = PublishSubject<Int>()
    let log = Recorder<Int>()
    let bag = (0..<10_000).map { _ in subject.subscribe(onCompleted: { log.record(0) }) }
    for subscription in bag.dropLast() { subscription.dispose() }
    subject.onCompleted()
    #expect(log.values.count == 1)
    bag.last?.dispose()
  }
}
