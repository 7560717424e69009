import Dispatch
import Foundation
import RxTestSupport
import Synchronization
import Testing

@testable import Rx

/// Eight threads emit, subscribe and dispose at the same time. Meant for the thread sanitizer; `RX_STRESS_SECONDS` makes
/// it last longer than its 0.4 seconds. Its trait checks that nothing is leaked.
@Suite(.leavesNoResources) struct StressTests {
  private static let threads = 8

  private var seconds: Double {
    (ProcessInfo.processInfo.environment["RX_STRESS_SECONDS"].flatMap(Double.init) ?? 0.4) / 4
  }

  @Test func publishSubjectsKeepTheGrammar() {
    stressSubject { PublishSubject<Int>() }
  }

  @Test func behaviorAndReplaySubjectsKeepTheGrammar() {
    stressSubject { BehaviorSubject(value: 0) }
    stressSubject { ReplaySubject<Int>.create(bufferSize: 3) }
  }

  @Test func shareHasOneConnectionAtATime() {
    let subject = PublishSubject<Int>()
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
    let probes = run(for: seconds) { thread, round, probes in
      if thread < 3 {
        subject.onNext(round)
      } else {
        let probe = Probe(disposesAfter: thread == 3 ? 2 : nil)
        probe.subscribe(to: shared.map { $0 }.filter { _ in true })
        for _ in 0..<thread { subject.onNext(-round) }
        probe.dispose()
        probes.append(probe)
      }
    }
    #expect(active.load(ordering: .sequentiallyConsistent) == 0)
    #expect(faults.load(ordering: .sequentiallyConsistent) == 0, "the source had two subscriptions at a time")
    check(probes)
  }

  @Test func createSerialisesItsObserver() throws {
    let sent = Atomic<Int>(0)
    let probe = Probe(disposesAfter: nil)
    let observers = Locked<AnyObserver<Int>?>(nil)
    probe.subscribe(
      to: Observable<Int>.create { observer in
        observers.withLock { $0 = observer }
        return Disposables.create()
      }.map { $0 + 1 })
    let observer = try #require(observers.withLock { $0.take() })
    _ = run(for: seconds) { _, round, _ in
      observer.onNext(round)
      sent.add(1, ordering: .relaxed)
    }
    #expect(probe.received.load(ordering: .relaxed) == sent.load(ordering: .relaxed))
    observer.onCompleted()
    observer.onNext(0)
    #expect(probe.hasEnded)
    check([probe])
    probe.dispose()
  }

  private func stressSubject<Subject: SubjectType & ObserverType & Cancelable>(
    _ make: @escaping @Sendable () -> Subject
  )
  where Subject.Element == Int {
    let current = Locked(make())
    let probes = run(for: seconds / 2) { thread, round, probes in
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
        let probe = Probe(disposesAfter: thread == 4 ? 3 : nil)
        probe.subscribe(to: subject.asObservable().compactMap { $0 }.map { $0 &* 2 })
        subject.onNext(-round)
        probe.dispose()
        probes.append(probe)
      }
    } between: {
      current.withLock { $0 = make() }
    }
    check(probes)
  }

  private func check(_ probes: [Probe], at location: SourceLocation = #_sourceLocation) {
    let overlaps = probes.reduce(0) { $0 + $1.overlaps.load(ordering: .relaxed) }
    let late = probes.reduce(0) { $0 + $1.late.load(ordering: .relaxed) }
    #expect(overlaps == 0, "an observer was called twice at the same time", sourceLocation: location)
    #expect(late == 0, "an event came after the end", sourceLocation: location)
    #expect(
      probes.reduce(0) { $0 + $1.received.load(ordering: .relaxed) } > 0, "nothing was received",
      sourceLocation: location)
  }

  /// Calls `body` again and again on eight threads; `between` from a ninth, a few hundred times a second.
  private func run(
    for seconds: Double, _ body: @escaping @Sendable (_ thread: Int, _ round: Int, _ probes: inout [Probe]) -> Void,
    between: @escaping @Sendable () -> Void = {}
  ) -> [Probe] {
    let all = Locked<[Probe]>([])
    let deadline = ContinuousClock.now + .seconds(seconds)
    let done = DispatchGroup()
    for thread in 0..<Self.threads {
      done.enter()
      let worker = Thread {
        var probes: [Probe] = []
        var round = 0
        // A hundred rounds at least: on a busy machine the time may be over before the thread has begun.
        while round < 100 || ContinuousClock.now < deadline && round < 2_000_000 {
          body(thread, round, &probes)
          round += 1
          // What was seen matters, the objects do not: keep the sum only.
          if probes.count > 500 { probes = [Probe(sum: probes)] }
        }
        all.withLock { $0 += probes }
        done.leave()
      }
      worker.start()
    }
    while done.wait(timeout: .now() + .milliseconds(3)) == .timedOut {
      between()
      if ContinuousClock.now > deadline + .seconds(60) {
        Issue.record("the threads have not ended")
        break
      }
    }
    return all.withLock { $0 }
  }
}

/// An observer that notices when the Rx grammar is broken. Its plain properties are what the thread sanitizer looks at.
///
/// `@unchecked Sendable`: the promise under test is that nobody calls it twice at the same time.
private final class Probe: @unchecked Sendable {
  private let subscription = Locked<(any Disposable)?>(nil)
  let overlaps = Atomic<Int>(0)
  let late = Atomic<Int>(0)
  let received = Atomic<Int>(0)
  private var count = 0
  private(set) var hasEnded = false
  private var isInside = false
  private var isDone = false
  private let disposesAfter: Int?

  init(disposesAfter: Int?) {
    self.disposesAfter = disposesAfter
  }

  init(sum probes: [Probe]) {
    disposesAfter = nil
    for probe in probes {
      overlaps.add(probe.overlaps.load(ordering: .relaxed), ordering: .relaxed)
      late.add(probe.late.load(ordering: .relaxed), ordering: .relaxed)
      received.add(probe.received.load(ordering: .relaxed), ordering: .relaxed)
    }
  }

  func subscribe(to source: Observable<Int>) {
    let subscription = source.subscribe { self.receive($0) }
    self.subscription.withLock { $0 = subscription }
  }

  func dispose() {
    subscription.withLock { $0 }?.dispose()
    // The subscription holds this observer.
    subscription.withLock { $0 = nil }
  }

  private func receive(_ event: Event<Int>) {
    if isInside { overlaps.add(1, ordering: .relaxed) }
    isInside = true
    if isDone { late.add(1, ordering: .relaxed) }
    count += 1
    received.store(count, ordering: .relaxed)
    if event.isStopEvent {
      hasEnded = true
      isDone = true
    } else if count == disposesAfter {
      // While the subscription is being made it is not known yet, and goes on.
      guard let subscription = subscription.withLock({ $0 }) else { return isInside = false }
      subscription.dispose()
      isDone = true
    }
    isInside = false
  }
}
