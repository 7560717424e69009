import RxTestSupport
import Synchronization
import Testing

@testable import Rx

@Suite(.leavesNoResources, .inTurn) struct ShareTests {
  private let recorder = Recorder<String>()
  private let active = Recorder<String>()

  private func counted(_ source: some ObservableType<Int>) -> Observable<Int> {
    source.asObservable().do(
      onSubscribe: { [active] in active.record("+") },
      onDispose: { [active] in active.record("-") })
  }

  private var connections: String { active.values.joined() }

  @Test func oneSubscriptionForAll() {
    for replay in 0...3 {
      active.removeAll()
      let recorder = Recorder<String>()
      let subject = PublishSubject<Int>()
      let shared = counted(subject).share(replay: replay)
      #expect(connections == "")
      let a = recorder.subscribe(to: shared, as: "a")
      for i in 1...5 { subject.onNext(i) }
      let b = recorder.subscribe(to: shared, as: "b")
      let live: [String] = (1...5).map { "a\($0)" }
      let replayed: [String] = (1...5).suffix(replay).map { "b\($0)" }
      #expect(recorder.values == live + replayed)
      #expect(connections == "+")
      a.dispose()
      a.dispose()
      #expect(connections == "+")
      b.dispose()
      #expect(connections == "+-")
      // Nothing is left of the first connection.
      let c = recorder.subscribe(to: shared, as: "c")
      subject.onNext(6)
      #expect(recorder.values.suffix(2) == ["bdisposed", "c6"])
      #expect(connections == "+-+")
      c.dispose()
    }
  }

  @Test func foreverReplaysWhatWasBefore() {
    for replay in 0...2 {
      active.removeAll()
      let recorder = Recorder<String>()
      let subject = PublishSubject<Int>()
      let shared = counted(subject).share(replay: replay, scope: .forever)
      let a = recorder.subscribe(to: shared, as: "a")
      for i in 1...3 { subject.onNext(i) }
      a.dispose()
      #expect(connections == "+-")
      let b = recorder.subscribe(to: shared, as: "b")
      let replayed: [Int] = (1...3).suffix(replay)
      #expect(recorder.values.filter { $0.hasPrefix("b") } == replayed.map { "b\($0)" })
      subject.onCompleted()
      b.dispose()
      #expect(connections == "+-+-")
      _ = recorder.subscribe(to: shared, as: "c")
      #expect(recorder.values.filter { $0.hasPrefix("c") } == replayed.map { "c\($0)" } + ["ccompleted", "cdisposed"])
      #expect(!subject.hasObservers)
    }
  }

  @Test func subscribingAgainOnTheEndStartsTheSourceAnew() {
    for replay in 0...2 {
      let recorder = Recorder<String>()
      let (subjects, shared) = rounds { $0.share(replay: replay) }
      let again = SerialDisposable()
      let first = shared.subscribe { event in
        recorder.record("a \(event)")
        if event.isStopEvent { again.disposable = recorder.subscribe(to: shared, as: "again ") }
      }
      subjects.values[0].onNext(1)
      subjects.values[0].onError(TestError.first)
      subjects.values[1].onNext(2)
      #expect(recorder.values == ["a next(1)", "a error(first)", "again 2"])
      first.dispose()
      again.dispose()
      #expect(!subjects.values[1].hasObservers)
      subjects.removeAll()
    }
  }

  @Test func aSourceThatEndsAtOnceStartsForEachSubscriber() {
    let shared = Observable.of(1, 2).share(replay: 1)
    _ = recorder.subscribe(to: shared, as: "a")
    _ = recorder.subscribe(to: shared, as: "b")
    #expect(recorder.values == ["a1", "a2", "acompleted", "adisposed", "b1", "b2", "bcompleted", "bdisposed"])
  }

  /// Calls `intrude` with what `share` makes of `source`, while the only subscription to that is being disposed of.
  private func disturbTeardown(
    of source: Observable<Int>, sharedBy share: (Observable<Int>) -> Observable<Int>,
    _ intrude: @escaping @Sendable (Observable<Int>) -> Void
  ) {
    let shared = Locked<Observable<Int>?>(nil)
    let disturbed = source.do(onDispose: {
      if let shared = shared.withLock({ $0.take() }) { intrude(shared) }
    })
    let observable = share(disturbed)
    shared.withLock { $0 = observable }
    observable.subscribe().dispose()
  }

  /// The source has one subscription at a time, although no lock is held while one is disposed of.
  @Test func whoeverSubscribesDuringATeardownWaitsForIt() {
    for share in [{ $0.share() }, { $0.share(replay: 1) }, { $0.publish().refCount() }]
      as [(Observable<Int>) -> Observable<Int>]
    {
      active.removeAll()
      let (subject, intruder) = (PublishSubject<Int>(), SerialDisposable())
      let recorder = Recorder<String>()
      disturbTeardown(of: subject.asObservable(), sharedBy: { share(counted($0)) }) { shared in
        onBackgroundQueue { intruder.disposable = recorder.subscribe(to: shared) }
      }
      subject.onNext(1)
      intruder.dispose()
      #expect(connections == "+-+-")
      #expect(recorder.values == ["1", "disposed"])
    }
  }

  /// A subscription that waited for a teardown begins on the thread of that, and may be disposed of meanwhile.
  @Test func whoeverSubscribesDuringAStartThatIsGivenUpWaitsForIt() {
    for share in [{ $0.share() }, { $0.share(replay: 1) }, { $0.publish().refCount() }]
      as [(Observable<Int>) -> Observable<Int>]
    {
      active.removeAll()
      let subject = PublishSubject<Int>()
      let (waiting, late) = (SerialDisposable(), SerialDisposable())
      let recorder = Recorder<String>()
      let shared = Locked<Observable<Int>?>(nil)
      let starts = Atomic(0)
      let ends = Atomic(0)
      let observable = share(
        Observable.create { [active] observer in
          active.record("+")
          if starts.add(1, ordering: .relaxed).newValue == 2, let shared = shared.withLock({ $0.take() }) {
            waiting.dispose()
            late.disposable = recorder.subscribe(to: shared)
          }
          let subscription = subject.subscribe(observer)
          return Disposables.create {
            subscription.dispose()
            active.record("-")
            guard ends.add(1, ordering: .relaxed).newValue == 1 else { return }
            if let shared = shared.withLock({ $0 }) { waiting.disposable = shared.subscribe() }
          }
        })
      shared.withLock { $0 = observable }
      observable.subscribe().dispose()
      subject.onNext(1)
      late.dispose()
      #expect(connections == "+-+-+-")
      #expect(recorder.values == ["1", "disposed"])
    }
  }

  @Test func aConnectableSequenceStartsWhenItIsConnected() {
    let subject = PublishSubject<Int>()
    for (make, replayed) in [
      ({ $0.publish() }, []),
      ({ $0.replay(1) }, ["b2"]),
      ({ $0.replayAll() }, ["b1", "b2"]),
      ({ $0.multicast(makeSubject: { PublishSubject<Int>() }) }, []),
      ({ $0.multicast(ReplaySubject<Int>.create(bufferSize: 1)) }, ["b2"]),
    ] as [((Observable<Int>) -> ConnectableObservable<Int>, [String])] {
      active.removeAll()
      let recorder = Recorder<String>()
      let connectable = make(counted(subject))
      let a = recorder.subscribe(to: connectable, as: "a")
      subject.onNext(0)
      #expect(recorder.values == [])
      let connection = connectable.connect()
      subject.onNext(1)
      subject.onNext(2)
      let b = recorder.subscribe(to: connectable, as: "b")
      #expect(recorder.values == ["a1", "a2"] + replayed)
      connectable.connect().dispose()
      subject.onNext(3)
      #expect(recorder.values == ["a1", "a2"] + replayed)
      #expect(connections == "+-")
      connection.dispose()
      a.dispose()
      b.dispose()
    }
  }

  @Test func multicastWithASelectorSharesTheSource() {
    let subject = PublishSubject<Int>()
    let doubled = counted(subject).multicast({ PublishSubject<Int>() }, selector: { shared in shared.map { $0 * 2 } })
    recorder.subscribe(to: doubled)
    subject.onNext(1)
    subject.onCompleted()
    #expect(recorder.values == ["2", "completed", "disposed"])
    #expect(connections == "+-")
    recorder.subscribe(
      to: subject.multicast({ PublishSubject<Int>() }, selector: { _ -> Observable<Int> in throw TestError.first }))
    #expect(recorder.values.suffix(2) == ["error(first)", "disposed"])
  }

  /// What `share` makes of a sequence, and the subjects that this had in its rounds, one each.
  private func rounds<Shared>(
    _ share: (Observable<Int>) -> Shared
  ) -> (subjects: Recorder<PublishSubject<Int>>, shared: Shared) {
    let subjects = Recorder<PublishSubject<Int>>()
    let source = Observable<Int>.deferred {
      let subject = PublishSubject<Int>()
      subjects.record(subject)
      return subject
    }
    return (subjects, share(source))
  }

  @Test func refCountSurvivesAnError() {
    let (subjects, shared) = rounds { $0.publish().refCount() }
    let a = recorder.subscribe(to: shared, as: "a")
    let b = recorder.subscribe(to: shared, as: "b")
    subjects.values[0].onError(TestError.first)
    let c = recorder.subscribe(to: shared, as: "c")
    // Ends of the first round must not end the second.
    a.dispose()
    b.dispose()
    subjects.values[1].onNext(1)
    #expect(recorder.values == ["aerror(first)", "adisposed", "berror(first)", "bdisposed", "c1"])
    #expect(subjects.values.count == 2)
    c.dispose()
    #expect(!subjects.values[1].hasObservers)
    subjects.removeAll()
  }

  @Test(arguments: [false, true]) func whoeverComesBeforeTheEndHasArrivedStartsAnew(isOtherThread: Bool) {
    let (subjects, connectable) = rounds { $0.publish() }
    let shared = connectable.refCount()
    let late = SerialDisposable()
    // The end arrives here first, and then at those that are counted.
    let first = connectable.subscribe(onCompleted: {
      let subscribe = { @Sendable in late.disposable = recorder.subscribe(to: shared, as: "b") }
      if isOtherThread { onBackgroundQueue(subscribe) } else { subscribe() }
    })
    let a = recorder.subscribe(to: shared, as: "a")
    subjects.values[0].onCompleted()
    a.dispose()
    #expect(subjects.values.count == 2)
    subjects.values.last?.onNext(1)
    #expect(recorder.values == ["acompleted", "adisposed", "b1"])
    late.dispose()
    #expect(subjects.values.allSatisfy { !$0.hasObservers })
    first.dispose()
    subjects.removeAll()
  }

  @Test func whoeverSubscribesBesideTheLastDisposalIsConnected() {
    for share in [{ $0.publish().refCount() }, { $0.share() }] as [(Observable<Int>) -> Observable<Int>] {
      for _ in 0..<500 {
        let (subject, received) = (PublishSubject<Int>(), Recorder<Int>())
        let shared = share(subject)
        let (last, next) = (shared.subscribe(), SerialDisposable())
        DispatchQueue.concurrentPerform(iterations: 2) { index in
          if index == 0 { last.dispose() } else { next.disposable = shared.subscribe(onNext: { received.record($0) }) }
        }
        subject.onNext(1)
        #expect(received.values == [1])
        next.dispose()
      }
    }
  }

  /// Two wait for the end of a connection, and begin one after the other.
  private func subscribeTwoInTheTeardown(
    _ source: Observable<Int>, _ first: SerialDisposable, _ second: SerialDisposable,
    _ share: (Observable<Int>) -> Observable<Int> = { $0.publish().refCount() }
  ) {
    disturbTeardown(of: source, sharedBy: share) { [recorder] shared in
      first.disposable = recorder.subscribe(to: shared, as: "a")
      second.disposable = recorder.subscribe(to: shared, as: "b")
    }
  }

  @Test func whoWaitedWithOneThatGoesIsConnected() {
    for _ in 0..<500 {
      recorder.removeAll()
      let (source, first, second) = (PublishSubject<Int>(), SerialDisposable(), SerialDisposable())
      let connections = Locked(0)
      let counted = source.do(onSubscribe: { connections.withLock { $0 += 1 } })
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 {
          subscribeTwoInTheTeardown(counted, first, second)
        } else {
          while connections.withLock({ $0 }) < 2 {}
          first.dispose()
        }
      }
      source.onNext(1)
      #expect(recorder.values == ["adisposed", "b1"])
      second.dispose()
      #expect(!source.hasObservers)
    }
  }

  @Test func whoWaitedWithOneThatEndsAtOnceStartsAnew() {
    for share in [{ $0.publish().refCount() }, { OwnConnectable(connectable: $0.publish()).refCount() }]
      as [(Observable<Int>) -> Observable<Int>]
    {
      recorder.removeAll()
      let (source, last) = (PublishSubject<Int>(), SerialDisposable())
      let starts = Locked(0)
      let endsOnce = Observable<Int>.deferred {
        starts.withLock { starts in
          starts += 1
          return starts == 2 ? .empty() : source.asObservable()
        }
      }
      subscribeTwoInTheTeardown(endsOnce, SerialDisposable(), last, share)
      source.onNext(1)
      #expect(recorder.values == ["acompleted", "adisposed", "b1"])
      last.dispose()
      #expect(!source.hasObservers)
    }
  }

  // The error comes to one after the other: the first has started the next round when it comes to the second.
  @Test func refCountCountsTwoThatRetry() {
    let (subjects, shared) = rounds { $0.publish().refCount() }
    let a = recorder.subscribe(to: shared.retry(), as: "a")
    let b = recorder.subscribe(to: shared.retry(), as: "b")
    subjects.values[0].onError(TestError.first)
    subjects.values[1].onNext(1)
    #expect(recorder.values == ["a1", "b1"])
    #expect(subjects.values.count == 2)
    #expect(!subjects.values[0].hasObservers)

    // Both are counted in the second round: it goes on until both have gone.
    a.dispose()
    subjects.values[1].onNext(2)
    #expect(recorder.values == ["a1", "b1", "adisposed", "b2"])
    b.dispose()
    #expect(!subjects.values[1].hasObservers)
    subjects.removeAll()
  }
}

/// A user's own type, which does not tell its rounds.
private struct OwnConnectable: ConnectableObservableType {
  typealias Element = Int

  let connectable: ConnectableObservable<Int>

  func connect() -> any Disposable { connectable.connect() }

  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
    connectable.subscribe(observer)
  }
}
