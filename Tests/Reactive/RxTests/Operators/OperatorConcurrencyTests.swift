import Foundation
import Rx
import RxTest
import RxTestSupport
import Synchronization
import Testing

/// Operators with several sources, fed from several threads: their events come one at a time, none is lost, and none
/// comes after the last.
@Suite(.leavesNoResources, .inTurn) @MainActor struct OperatorConcurrencyTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  private nonisolated static let threads = 4
  private nonisolated static let elements = 500

  /// Runs `body` on several threads at the same time, and returns when it has returned on all.
  private func concurrently(_ body: @escaping @Sendable (Int) -> Void) {
    let running = DispatchGroup()
    for index in 0..<Self.threads {
      running.enter()
      Thread.detachNewThread {
        body(index)
        running.leave()
      }
    }
    #expect(running.wait(timeout: .now() + 120) == .success)
  }

  @Test func anElementOfAnOlderSequenceThatIsOnItsWayIsDropped() {
    let (source, older, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Recorder<Int>())
    let subscription = source.flatMapLatest { element in
      guard element == 1 else { return Observable.just(element) }
      return older.do(onNext: { _ in onBackgroundQueue { source.onNext(2) } })
    }.subscribe(onNext: { log.record($0) })
    source.onNext(1)
    older.onNext(1)
    #expect(log.values == [2])
    subscription.dispose()
  }

  private func check<Element: Sendable>(
    count expected: Int?, _ make: ([PublishSubject<Int>]) -> Observable<Element>,
    at location: SourceLocation = #_sourceLocation
  ) async {
    let subjects = (0..<Self.threads).map { _ in PublishSubject<Int>() }
    let grammar = Grammar()
    let subscription = make(subjects).subscribe(GrammarProbe(grammar))
    concurrently { index in
      for element in 0..<Self.elements { subjects[index].onNext(element) }
      subjects[index].onCompleted()
    }
    #expect(await eventually { grammar.ends == 1 }, sourceLocation: location)
    grammar.expectIsKept(at: location)
    if let expected { #expect(grammar.elements == expected, sourceLocation: location) }
    subscription.dispose()
  }

  @Test func nothingIsLost() async {
    let all = Self.threads * Self.elements
    await check(count: all) { .merge($0) }
    await check(count: all) { subjects in Observable.from(subjects).flatMap { $0 } }
    await check(count: Self.elements) { .zip($0[0], $0[1], $0[2], $0[3]) { $0 + $1 + $2 + $3 } }
    await check(count: Self.elements) { .zip($0) { $0.reduce(0, +) } }
    await check(count: all) { subjects in
      Observable.merge(subjects).concatMap { element in
        Observable<Int>.create { observer in
          DispatchQueue.global().async {
            observer.onNext(element)
            observer.onCompleted()
          }
          return Disposables.create()
        }
      }
    }
  }

  @Test func operatorsWithOtherSourcesSendOneAtATime() async {
    await check(count: nil) { .combineLatest($0[0], $0[1], $0[2], $0[3]) { $0 + $1 + $2 + $3 } }
    await check(count: nil) { .combineLatest($0) { $0.reduce(0, +) } }
    await check(count: nil) { subjects in
      subjects[0].withLatestFrom(subjects[1].startWith(0)).take(until: subjects[2].filter { $0 == Self.elements - 1 })
    }
    // Sampling goes on when the ticks end before the source.
    await check(count: nil) { subjects in
      subjects[0].sample(Observable.merge(subjects[1], subjects[2], subjects[3]))
        .take(until: Observable.merge(subjects).takeLast(1))
    }
    await check(count: nil) {
      $0[0].skip(until: $0[1]).startWith(0).take(until: Observable.merge($0[2], $0[3]).takeLast(1))
    }
  }

  /// Their timers fire on other threads while the source sends.
  @Test func operatorsWithTimersSendOneAtATime() async {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let time = RxTimeInterval.microseconds(20)
    await check(count: nil) { $0[0].debounce(time, scheduler: scheduler) }
    await check(count: nil) { $0[0].throttle(time, scheduler: scheduler) }
    await check(count: Self.elements) { $0[0].delay(time, scheduler: scheduler) }
    await check(count: nil) { $0[0].timeout(time, other: Observable.of(1, 2), scheduler: scheduler) }
    await check(count: nil) { $0[0].buffer(timeSpan: time, count: 3, scheduler: scheduler) }
    await check(count: Self.elements) {
      $0[0].buffer(timeSpan: time, count: 3, scheduler: scheduler).concatMap { Observable.from($0) }
    }
    await check(count: Self.elements) { $0[0].window(timeSpan: time, count: 3, scheduler: scheduler).flatMap { $0 } }
  }

  @Test func nothingComesAfterDisposal() {
    for _ in 0..<30 {
      let subjects = (0..<Self.threads).map { _ in PublishSubject<Int>() }
      let after = Atomic<Bool>(false)
      let sources = subjects.map { $0.asObservable() }
      let merged = Observable.merge(
        .merge(sources), .combineLatest(sources) { $0.count }, .zip(sources) { $0.count },
        subjects[0].flatMapLatest { _ in subjects[1] }, subjects[2].concatMap { Observable.just($0) })
      let late = Recorder<Int>()
      let subscription = merged.subscribe(onNext: { element in
        if after.load(ordering: .acquiring) { late.record(element) }
      })
      concurrently { index in
        if index == 0 {
          subscription.dispose()
        } else {
          for element in 0..<50 { subjects[index].onNext(element) }
        }
      }
      after.store(true, ordering: .releasing)
      for subject in subjects { subject.onNext(-1) }
      #expect(late.values == [])
      for subject in subjects { #expect(!subject.hasObservers) }
    }
  }

  @Test func errorsFromSeveralThreadsEndItOnce() {
    for _ in 0..<30 {
      let subjects = (0..<Self.threads).map { _ in PublishSubject<Int>() }
      let grammar = Grammar()
      let subscription = Observable.merge(subjects.map { $0.asObservable() }).subscribe(GrammarProbe(grammar))
      concurrently { index in
        subjects[index].onNext(index)
        subjects[index].onError(TestError.first)
      }
      grammar.expectIsKept()
      #expect(grammar.ends == 1)
      subscription.dispose()
    }
  }

  @Test func delayOnAConcurrentQueueKeepsTheOrder() async {
    let log = Recorder<Int>()
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let subscription = Observable.from(Array(0..<200)).delay(.milliseconds(5), scheduler: scheduler)
      .subscribe(onNext: { log.record($0) }, onCompleted: { log.record(-1) })
    #expect(await eventually { log.values.last == -1 })
    #expect(log.values == Array(0..<200) + [-1])
    subscription.dispose()
  }
}
