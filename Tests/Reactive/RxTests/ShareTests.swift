import RxTestSupport
import Synchronization
import XCTest

@testable import Rx

final class ShareTests: RxTestCase {
  private let recorder = Recorder<String>()
  private let active = Recorder<String>()

  private func source(_ subject: PublishSubject<Int>) -> Observable<Int> {
    subject.asObservable().do(
      onSubscribe: { [active] in active.record("+") },
      onDispose: { [active] in active.record("-") })
  }

  private var connections: String {
    active.values.joined()
  }

  func testOneSubscriptionForAll() {
    for replay in 0...3 {
      active.removeAll()
      let recorder = Recorder<String>()
      let subject = PublishSubject<Int>()
      let shared = source(subject).share(replay: replay)
      XCTAssertEqual(connections, "")
      let a = recorder.subscribe(to: shared, as: "a")
      for i in 1...5 { subject.onNext(i) }
      let b = recorder.subscribe(to: shared, as: "b")
      XCTAssertEqual(recorder.values, (1...5).map { "a\($0)" } + (1...5).suffix(replay).map { "b\($0)" })
      XCTAssertEqual(connections, "+")
      a.dispose()
      a.dispose()
      XCTAssertEqual(connections, "+")
      b.dispose()
      XCTAssertEqual(connections, "+-")
      // Nothing is left of the first connection.
      let c = recorder.subscribe(to: shared, as: "c")
      subject.onNext(6)
      XCTAssertEqual(recorder.values.suffix(2), ["bdisposed", "c6"])
      XCTAssertEqual(connections, "+-+")
      c.dispose()
    }
  }

  func testForeverReplaysWhatWasBefore() {
    for replay in 0...2 {
      active.removeAll()
      let recorder = Recorder<String>()
      let subject = PublishSubject<Int>()
      let shared = source(subject).share(replay: replay, scope: .forever)
      let a = recorder.subscribe(to: shared, as: "a")
      for i in 1...3 { subject.onNext(i) }
      a.dispose()
      XCTAssertEqual(connections, "+-")
      let b = recorder.subscribe(to: shared, as: "b")
      XCTAssertEqual(recorder.values.filter { $0.hasPrefix("b") }, (1...3).suffix(replay).map { "b\($0)" })
      subject.onCompleted()
      b.dispose()
      XCTAssertEqual(connections, "+-+-")
      _ = recorder.subscribe(to: shared, as: "c")
      XCTAssertEqual(
        recorder.values.filter { $0.hasPrefix("c") },
        (1...3).suffix(replay).map { "c\($0)" } + ["ccompleted", "cdisposed"])
      XCTAssertFalse(subject.hasObservers)
    }
  }

  // Who subscribes again on the end starts the source anew.
  func testSubscribingAgainOnTheEnd() {
    for replay in 0...2 {
      active.removeAll()
      let recorder = Recorder<String>()
      let subjects = [PublishSubject<Int>(), PublishSubject<Int>()]
      let next = Locked(0)
      let shared = Observable<Int>.deferred {
        let index = next.withLock { index in
          defer { index += 1 }
          return index
        }
        return subjects[min(index, 1)]
      }.share(replay: replay)
      let again = SerialDisposable()
      let first = shared.subscribe { event in
        recorder.record("a \(event)")
        if event.isStopEvent { again.disposable = recorder.subscribe(to: shared, as: "again ") }
      }
      subjects[0].onNext(1)
      subjects[0].onError(TestError.first)
      subjects[1].onNext(2)
      XCTAssertEqual(recorder.values, ["a next(1)", "a error(first)", "again 2"])
      first.dispose()
      again.dispose()
      XCTAssertFalse(subjects[1].hasObservers)
    }
  }

  func testSynchronousSource() {
    let shared = Observable.of(1, 2).share(replay: 1)
    _ = recorder.subscribe(to: shared, as: "a")
    _ = recorder.subscribe(to: shared, as: "b")
    XCTAssertEqual(
      recorder.values, ["a1", "a2", "acompleted", "adisposed", "b1", "b2", "bcompleted", "bdisposed"])
  }

  func testConnectableStartsWhenToldTo() {
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
      let connectable = make(source(subject))
      let a = recorder.subscribe(to: connectable, as: "a")
      subject.onNext(0)
      XCTAssertEqual(recorder.values, [])
      let connection = connectable.connect()
      subject.onNext(1)
      subject.onNext(2)
      let b = recorder.subscribe(to: connectable, as: "b")
      XCTAssertEqual(recorder.values, ["a1", "a2"] + replayed)
      connectable.connect().dispose()
      subject.onNext(3)
      XCTAssertEqual(recorder.values, ["a1", "a2"] + replayed)
      XCTAssertEqual(connections, "+-")
      connection.dispose()
      a.dispose()
      b.dispose()
    }
  }

  func testMulticastWithSelector() {
    let subject = PublishSubject<Int>()
    let doubled = source(subject).multicast({ PublishSubject<Int>() }, selector: { shared in shared.map { $0 * 2 } })
    let subscription = recorder.subscribe(to: doubled)
    subject.onNext(1)
    subject.onCompleted()
    XCTAssertEqual(recorder.values, ["2", "completed", "disposed"])
    XCTAssertEqual(connections, "+-")
    subscription.dispose()
    _ = recorder.subscribe(
      to: subject.multicast({ PublishSubject<Int>() }, selector: { _ -> Observable<Int> in throw TestError.first }))
    XCTAssertEqual(recorder.values.suffix(2), ["error(first)", "disposed"])
  }

  func testRefCountSurvivesAnError() {
    let subjects = Locked<[PublishSubject<Int>]>([])
    let shared = Observable<Int>.deferred {
      let subject = PublishSubject<Int>()
      subjects.withLock { $0.append(subject) }
      return subject
    }.publish().refCount()
    let a = recorder.subscribe(to: shared, as: "a")
    let b = recorder.subscribe(to: shared, as: "b")
    subjects.withLock { $0[0] }.onError(TestError.first)
    let c = recorder.subscribe(to: shared, as: "c")
    // Ends of the first round must not end the second.
    a.dispose()
    b.dispose()
    subjects.withLock { $0[1] }.onNext(1)
    XCTAssertEqual(
      recorder.values, ["aerror(first)", "adisposed", "berror(first)", "bdisposed", "c1"])
    XCTAssertEqual(subjects.withLock { $0.count }, 2)
    c.dispose()
    XCTAssertFalse(subjects.withLock { $0[1].hasObservers })
    subjects.withLock { $0 = [] }
  }

  // The error comes to one after the other: the first has started the next round when it comes to the second.
  func testRefCountWithTwoThatRetry() {
    let subjects = Locked<[PublishSubject<Int>]>([])
    let shared = Observable<Int>.deferred {
      let subject = PublishSubject<Int>()
      subjects.withLock { $0.append(subject) }
      return subject
    }.publish().refCount()
    let a = recorder.subscribe(to: shared.retry(), as: "a")
    let b = recorder.subscribe(to: shared.retry(), as: "b")
    subjects.withLock { $0[0] }.onError(TestError.first)
    subjects.withLock { $0[1] }.onNext(1)
    XCTAssertEqual(recorder.values, ["a1", "b1"])
    XCTAssertEqual(subjects.withLock { $0.count }, 2)
    XCTAssertFalse(subjects.withLock { $0[0].hasObservers })

    // Both are counted in the second round: it goes on until both have gone.
    a.dispose()
    subjects.withLock { $0[1] }.onNext(2)
    XCTAssertEqual(recorder.values, ["a1", "b1", "adisposed", "b2"])
    b.dispose()
    XCTAssertFalse(subjects.withLock { $0[1].hasObservers })
    subjects.withLock { $0 = [] }
  }

  // The source's disposal gives a new subscription the time to come in between. It must wait until the disposal is over.
  func testSubscribingDuringTheLastDisposalWaits() {
    let running = Locked((now: 0, most: 0))
    let begun = DispatchSemaphore(value: 0)
    let subscribed = DispatchSemaphore(value: 0)
    let late = SerialDisposable()
    let shared = Locked<Observable<Int>?>(nil)
    let isFirst = Atomic<Bool>(true)
    let source = Observable<Int>.create { [recorder] observer in
      running.withLock { running in
        running.now += 1
        running.most = max(running.most, running.now)
      }
      observer.onNext(1)
      return Disposables.create {
        if isFirst.exchange(false, ordering: .relaxed) {
          Thread.detachNewThread {
            begun.signal()
            if let shared = shared.withLock({ $0 }) { late.disposable = recorder.subscribe(to: shared, as: "late") }
            subscribed.signal()
          }
          begun.wait()
          // Runs out unless the lock is released early.
          if subscribed.wait(timeout: .now() + 0.2) == .success { subscribed.signal() }
        }
        running.withLock { $0.now -= 1 }
      }
    }.share(replay: 0)
    shared.withLock { $0 = source }
    recorder.subscribe(to: source, as: "first").dispose()
    XCTAssertEqual(subscribed.wait(timeout: .now() + 60), .success)
    XCTAssertEqual(recorder.values.sorted(), ["first1", "firstdisposed", "late1"])
    XCTAssertEqual(running.withLock { $0.most }, 1)
    late.dispose()
    shared.withLock { $0 = nil }
  }
}
