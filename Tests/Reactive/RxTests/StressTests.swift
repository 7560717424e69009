import Foundation
import RxTestSupport
import Synchronization
import Testing

@testable import Rx

/// Eight threads emit, subscribe and dispose at the same time. Meant for the thread sanitizer; `RX_STRESS_SECONDS` makes
/// it last longer than its 0.4 seconds. Its trait checks that nothing is leaked.
@Suite(.leavesNoResources, .inTurn) struct StressTests {
  private static let threads = 8

  private var seconds: Double {
    (ProcessInfo.processInfo.environment["RX_STRESS_SECONDS"].flatMap(Double.init) ?? 0.4) / 4
  }

  @Test func subjectsKeepTheGrammar() {
    stressSubject { PublishSubject<Int>() }
    stressSubject { BehaviorSubject(value: 0) }
    stressSubject { ReplaySubject<Int>.create(bufferSize: 3) }
  }

  @Test func shareHasOneConnectionAtATime() {
    let (subject, grammar) = (PublishSubject<Int>(), Grammar())
    let active = Atomic<Int>(0)
    let faults = Atomic<Int>(0)
    let shared = Observable<Int>.create { observer in
      if active.add(1, ordering: .sequentiallyConsistent).newValue != 1 { faults.add(1, ordering: .relaxed) }
      let subscription = subject.subscribe(observer)
      return Disposables.create {
        subscription.dispose()
        active.subtract(1, ordering: .sequentiallyConsistent)
      }
    }.share(replay: 1)
    run(for: seconds) { thread, round in
      guard thread >= 3 else { return subject.onNext(round) }
      let probe = GrammarProbe<Int>(grammar, disposesAfter: thread == 3 ? 2 : nil)
      probe.subscribe(to: shared.map { $0 }.filter { _ in true })
      for _ in 0..<thread { subject.onNext(-round) }
      probe.dispose()
    }
    #expect(active.load(ordering: .sequentiallyConsistent) == 0)
    #expect(faults.load(ordering: .sequentiallyConsistent) == 0, "the source had two subscriptions at a time")
    #expect(grammar.elements > 0, "nothing was received")
    grammar.expectIsKept()
  }

  @Test func createSerialisesItsObserver() throws {
    let sent = Atomic<Int>(0)
    let grammar = Grammar()
    let probe = GrammarProbe<Int>(grammar)
    let observers = Locked<AnyObserver<Int>?>(nil)
    probe.subscribe(
      to: Observable<Int>.create { observer in
        observers.withLock { $0 = observer }
        return Disposables.create()
      }.map { $0 + 1 })
    let observer = try #require(observers.withLock { $0.take() })
    run(for: seconds) { _, round in
      observer.onNext(round)
      sent.add(1, ordering: .relaxed)
    }
    observer.onCompleted()
    observer.onNext(0)
    #expect(grammar.elements == sent.load(ordering: .relaxed))
    #expect(grammar.ends == 1)
    grammar.expectIsKept()
    probe.dispose()
  }

  private func stressSubject<Subject: SubjectType & ObserverType & Cancelable>(
    _ make: @escaping @Sendable () -> Subject
  )
  where Subject.Element == Int {
    let current = Locked(make())
    let grammar = Grammar()
    run(for: seconds / 2) { thread, round in
      let subject = current.withLock { $0 }
      switch thread {
      case 0, 1, 2:
        subject.onNext(round)
      case 3:
        // Now and then the subject ends, in every way, and another takes its place.
        guard round % 50 == 49 else { return subject.onNext(round) }
        switch round / 50 % 3 {
        case 0: subject.onCompleted()
        case 1: subject.onError(RxError.unknown)
        default: subject.dispose()
        }
      default:
        let probe = GrammarProbe<Int>(grammar, disposesAfter: thread == 4 ? 3 : nil)
        probe.subscribe(to: subject.asObservable().compactMap { $0 }.map { $0 &* 2 })
        subject.onNext(-round)
        probe.dispose()
      }
    } between: {
      current.withLock { $0 = make() }
    }
    #expect(grammar.elements > 0, "nothing was received")
    grammar.expectIsKept()
  }

  /// Calls `body` again and again on eight threads; `between` from a ninth, a few hundred times a second.
  private func run(
    for seconds: Double, _ body: @escaping @Sendable (_ thread: Int, _ round: Int) -> Void,
    between: @escaping @Sendable () -> Void = {}
  ) {
    let deadline = ContinuousClock.now + .seconds(seconds)
    let done = DispatchGroup()
    for thread in 0..<Self.threads {
      done.enter()
      Thread.detachNewThread {
        var round = 0
        // A hundred rounds at least: on a busy machine the time may be over before the thread has begun.
        while round < 100 || ContinuousClock.now < deadline && round < 2_000_000 {
          body(thread, round)
          round += 1
        }
        done.leave()
      }
    }
    while done.wait(timeout: .now() + .milliseconds(3)) == .timedOut {
      between()
      if ContinuousClock.now > deadline + .seconds(60) {
        Issue.record("the threads have not ended")
        break
      }
    }
  }
}
