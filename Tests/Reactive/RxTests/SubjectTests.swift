import RxTestSupport
import Testing

@testable import Rx

@Suite(.leavesNoResources, .inTurn) struct SubjectTests {
  private let recorder = Recorder<String>()

  @Test func aPublishSubjectSendsToItsSubscribers() {
    let subject = PublishSubject<Int>()
    subject.onNext(1)
    let a = recorder.subscribe(to: subject, as: "a")
    subject.onNext(2)
    recorder.subscribe(to: subject, as: "b")
    subject.on(.next(3))
    a.dispose()
    subject.onNext(4)
    subject.onCompleted()
    subject.onNext(5)
    subject.onError(TestError.first)
    #expect(recorder.values == ["a2", "a3", "b3", "adisposed", "b4", "bcompleted", "bdisposed"])
    #expect(!subject.hasObservers)
  }

  @Test func subscribingToADisposedSubjectFails() {
    let subjects: [(Observable<Int>, any Cancelable, AnyObserver<Int>)] = [
      { ($0, $0, $0.asObserver()) }(PublishSubject<Int>()),
      { ($0, $0, $0.asObserver()) }(BehaviorSubject<Int>(value: 0)),
      { ($0, $0, $0.asObserver()) }(ReplaySubject<Int>.createUnbounded()),
    ]
    for (source, disposable, observer) in subjects {
      let recorder = Recorder<String>()
      recorder.subscribe(to: source, as: "early ")
      observer.onNext(1)
      disposable.dispose()
      observer.onNext(2)
      observer.onCompleted()
      #expect(disposable.isDisposed)
      #expect(recorder.values.last == "early 1")
      recorder.subscribe(to: source, as: "late ")
      #expect(recorder.values.count { $0.hasPrefix("late error(Object") } == 1)
    }
  }

  @Test func aBehaviorSubjectHasAValue() throws {
    let subject = BehaviorSubject(value: 1)
    recorder.subscribe(to: subject, as: "a")
    subject.onNext(2)
    #expect(try subject.value() == 2)
    recorder.subscribe(to: subject, as: "b")
    #expect(recorder.values == ["a1", "a2", "b2"])
    subject.onError(TestError.first)
    #expect(throws: TestError.first) { try subject.value() }
    subject.dispose()
    let error = #expect(throws: RxError.self) { try subject.value() }
    #expect(error?.debugDescription.hasSuffix("was already disposed.") == true)
  }

  @Test func aReplaySubjectReplaysUpToItsLimit() {
    for (subject, expected) in [
      (ReplaySubject<Int>.create(bufferSize: 0), []),
      (.create(bufferSize: 1), ["5"]),
      (.create(bufferSize: 3), ["3", "4", "5"]),
      (.createUnbounded(), (1...105).map { "\($0 - 100)" }),
    ] {
      for i in -99...5 { subject.onNext(i) }
      let recorder = Recorder<String>()
      recorder.subscribe(to: subject)
      #expect(recorder.values == expected)
      subject.onNext(6)
      #expect(recorder.values == expected + ["6"])
    }
  }

  // RxSwift: an event sent from within an observer is delivered to all at once, before the outer one goes on.
  @Test func reentrantEventsAreDeliveredAtOnce() {
    let subject = PublishSubject<Int>()
    let a = subject.subscribe(onNext: { element in
      recorder.record("a\(element)")
      if element < 3 { subject.onNext(element + 1) }
      recorder.record("a\(element) done")
    })
    let b = recorder.subscribe(to: subject, as: "b")
    subject.onNext(1)
    #expect(recorder.values == ["a1", "a2", "a3", "a3 done", "b3", "a2 done", "b2", "a1 done", "b1"])
    a.dispose()
    b.dispose()
  }

  @Test func subscriptionsMadeAndEndedWithinAnEvent() {
    let subject = PublishSubject<Int>()
    let bag = CompositeDisposable()
    let b = SingleAssignmentDisposable()
    let a = subject.subscribe(onNext: { element in
      recorder.record("a\(element)")
      if element == 1 {
        b.dispose()
        _ = bag.insert(recorder.subscribe(to: subject, as: "c"))
      }
    })
    b.setDisposable(recorder.subscribe(to: subject, as: "b"))
    subject.onNext(1)
    subject.onNext(2)
    // `b` was disposed before its turn, `c` was not there yet.
    #expect(recorder.values == ["a1", "bdisposed", "a2", "c2"])
    a.dispose()
    bag.dispose()
  }

  // The initial element of one subscription leads to another event: that comes to it nested, and to the others.
  @Test func anEventSentWhileSubscribingIsNested() {
    let subject = BehaviorSubject(value: 1)
    let a = recorder.subscribe(to: subject, as: "a")
    let b = subject.subscribe(onNext: { element in
      recorder.record("b\(element)")
      if element == 1 { subject.onNext(2) }
      recorder.record("b\(element) done")
    })
    #expect(recorder.values == ["a1", "b1", "a2", "b2", "b2 done", "b1 done"])
    a.dispose()
    b.dispose()
  }

  @Test func aSubscriptionMayEndWithItsInitialElement() {
    let subject = BehaviorSubject(value: 1)
    recorder.subscribe(to: subject.map { _ -> Int in throw TestError.first })
    #expect(!subject.hasObservers)
    #expect(recorder.values == ["error(first)", "disposed"])
  }

  @Test func anotherThreadMaySubscribeWithinAnEvent() {
    let subject = BehaviorSubject(value: 0)
    let bag = CompositeDisposable()
    _ = bag.insert(
      subject.subscribe(onNext: { element in
        guard element == 1 else { return }
        onBackgroundQueue {
          // Its initial element comes at once, even though another thread is inside the subject.
          _ = bag.insert(recorder.subscribe(to: subject, as: "b"))
          subject.onNext(2)
          recorder.record("subscribed")
        }
        subject.onNext(3)
      }))
    subject.onNext(1)
    // What the other thread sent happened before 3, and is delivered before it.
    #expect(recorder.values == ["b1", "subscribed", "b2", "b3"])
    bag.dispose()
  }
}

/// An element that leads back into its subject when it goes away.
private final class Echo: Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  deinit { action() }
}

@Suite(.leavesNoResources, .inTurn) struct SubjectElementTests {
  // Elements never go away under a subject's lock, which could not be taken again.
  @Test func elementsMayCallTheSubjectWhenTheyGoAway() {
    for limit in [1, 2] {
      let recorder = Recorder<String>()
      let subject = ReplaySubject<Echo>.create(bufferSize: limit)
      weak let held = subject
      for i in 0..<10 {
        subject.onNext(
          Echo {
            recorder.record("\(i)")
            if i < 3 { held?.onNext(Echo { recorder.record("echo") }) }
            _ = held?.hasObservers
          })
      }
      subject.dispose()
      #expect(recorder.values.count == 13)
    }
  }
}
