import Dispatch
import Foundation
import Rx
import TestSupport
import Testing

/// No operator holds a lock while other code runs: a receiver, a closure, a subscribe function, a teardown, a scheduler.
/// Otherwise two threads, of which each holds a lock and waits for the other one's, stop for ever.
@Suite struct UnlockedTests {
  enum End: CaseIterable {
    case completion, completionFromTheLast, error, errorOfTheLast, disposal
  }

  /// Each place from which an operator calls other code lets another thread use the same operator, and waits for it.
  @Test(arguments: Chain.allCases, End.allCases)
  func otherThreadsGoOn(chain: Chain, end: End) {
    let probe = Probe()
    let observable = chain.observable(probe)
    probe.chain.withLock { $0 = observable }
    defer { probe.chain.withLock { $0 = nil } }
    let subscription = observable.subscribe(
      onNext: { _ in probe.visit("next") }, onError: { _ in probe.visit("error") },
      onCompleted: { probe.visit("completed") }, onDisposed: { probe.visit("disposed") })
    for element in 1...3 {
      for subject in probe.subjects { subject.onNext(element) }
      probe.fire()
    }
    for subject in end == .completion || end == .error ? probe.subjects : probe.subjects.reversed() {
      switch end {
      case .completion, .completionFromTheLast: subject.onCompleted()
      case .error, .errorOfTheLast: subject.onError(RxError.unknown)
      case .disposal: subscription.dispose()
      }
      probe.fire()
    }
    subscription.dispose()
    #expect(probe.waited.values == [])
  }

  /// What a chain is made of. As a scheduler it runs what is scheduled when it is told to, whenever that is due.
  final class Probe: SchedulerType {
    let subjects = (0..<3).map { _ in PublishSubject<Int>() }
    let chain = Locked<Observable<Int>?>(nil)
    /// The places at which another thread had to wait.
    let waited = Recorder<String>()
    private let state = Locked((visited: Set<String>(), isBusy: false))
    private let actions = Locked<[@Sendable () -> Void]>([])

    /// At the first visit of a place, lets another thread in. What that visits counts as not visited.
    func visit(_ place: String) {
      let isNew = state.withLock { state in
        if state.isBusy || !state.visited.insert(place).inserted { return false }
        state.isBusy = true
        return true
      }
      guard isNew else { return }
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [self] in
        for subject in subjects { subject.onNext(8) }
        fire()
        chain.withLock { $0 }?.subscribe(onError: { _ in }).dispose()
        done.signal()
      }
      if done.wait(timeout: .now() + 10) == .timedOut { waited.record(place) }
      state.withLock { $0.isBusy = false }
    }

    /// `value`, from a closure of the user.
    func closure<Value>(_ value: Value) -> Value {
      visit("closure")
      return value
    }

    func source(_ index: Int) -> Observable<Int> {
      .create { [self] observer in
        visit("subscription to \(index)")
        let subscription = subjects[index].subscribe(observer)
        return Disposables.create { [self] in
          visit("teardown of \(index)")
          subscription.dispose()
        }
      }
    }

    var now: RxTime { Date(timeIntervalSince1970: 0) }

    func schedule<State: Sendable>(
      _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
      visit("scheduling")
      let disposable = SingleAssignmentDisposable()
      actions.withLock { $0.append { if !disposable.isDisposed { disposable.setDisposable(action(state)) } } }
      return Disposables.create { [self] in
        visit("cancelling")
        disposable.dispose()
      }
    }

    func scheduleRelative<State: Sendable>(
      _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
      schedule(state, action: action)
    }

    func fire() {
      let due = actions.withLock { actions in
        defer { actions = [] }
        return actions
      }
      for action in due { action() }
    }
  }
}

private let second = RxTimeInterval.seconds(1)

enum Chain: CaseIterable {
  case amb, buffer, `catch`, catchSequence, combineLatest, combineLatestOfMany, concat, concatMap, create, debounce,
    deferred, delay, delaySubscription, `do`, flatMap, flatMapFirst, flatMapLatest, groupBy, ifEmpty, interval,
    materialize, merge, mergeOneAtATime, multicastSelector, multicast, observe, publish, replay, retry, retryWhen,
    sample, share, shareReplay, shareReplayForever, shareForever, skipFor, skipUntil, stages, subscribe, switchLatest,
    takeFor, takeUntil, throttle, timeout, timer, using, window, withLatestFrom, withLatestFromReversed, zip, zipOfMany

  fileprivate func observable(_ p: UnlockedTests.Probe) -> Observable<Int> {
    switch self {
    case .amb: .amb([p.source(0), p.source(1)])
    case .buffer: p.source(0).buffer(timeSpan: second, count: 2, scheduler: p).map(\.count)
    case .catch: p.source(0).catch { _ in p.closure(p.source(1)) }
    case .catchSequence: .catch(sequence: [p.source(0), p.source(1)])
    case .combineLatest: .combineLatest(p.source(0), p.source(1)) { p.closure($0 + $1) }
    case .combineLatestOfMany: .combineLatest((0..<3).map(p.source)) { p.closure($0.count) }
    case .concat: .concat([p.source(0), p.source(1), p.source(2)])
    case .concatMap: p.source(0).concatMap { _ in p.closure(p.source(1).take(2)) }
    case .create: p.source(0)
    case .debounce: p.source(0).debounce(second, scheduler: p)
    case .deferred: .deferred { p.closure(p.source(0)) }
    case .delay: p.source(0).delay(second, scheduler: p)
    case .delaySubscription: p.source(0).delaySubscription(second, scheduler: p)
    case .do:
      p.source(0).do(
        onNext: { _ in p.visit("on") }, afterNext: { _ in p.visit("after") }, onError: { _ in p.visit("on error") },
        afterError: { _ in p.visit("after error") }, onCompleted: { p.visit("on completion") },
        afterCompleted: { p.visit("after completion") }, onSubscribe: { p.visit("on subscription") },
        onSubscribed: { p.visit("after subscription") }, onDispose: { p.visit("on disposal") })
    case .flatMap: p.source(0).flatMap { p.closure(p.source($0 % 2 + 1)) }
    case .flatMapFirst: p.source(0).flatMapFirst { p.closure(p.source($0 % 2 + 1)) }
    case .flatMapLatest: p.source(0).flatMapLatest { p.closure(p.source($0 % 2 + 1)) }
    case .groupBy: p.source(0).groupBy { p.closure($0 % 2) }.flatMap { $0 }
    case .ifEmpty: p.source(0).filter { $0 > 9 }.ifEmpty(switchTo: p.source(1))
    case .interval: .interval(second, scheduler: p)
    case .materialize: p.source(0).materialize().dematerialize()
    case .merge: .merge(p.source(0), p.source(1), p.source(2))
    case .mergeOneAtATime: p.source(0).map { p.source($0 % 2 + 1).take(2) }.merge(maxConcurrent: 1)
    case .multicastSelector:
      p.source(0).multicast {
        p.closure(PublishSubject())
      } selector: {
        p.closure(.merge($0, p.source(1)))
      }
    case .multicast: p.source(0).multicast { p.closure(PublishSubject<Int>()) }.refCount()
    case .observe: p.source(0).observe(on: p)
    case .publish: p.source(0).publish().refCount()
    case .replay: p.source(0).replay(1).refCount()
    case .retry: p.source(0).retry(2)
    case .retryWhen:
      p.source(0).retry { (errors: Observable<any Error>) in errors.flatMap { _ in p.source(1).take(1) } }
    case .sample: p.source(0).sample(p.source(1))
    case .share: p.source(0).share()
    case .shareReplay: p.source(0).share(replay: 1)
    case .shareReplayForever: p.source(0).share(replay: 1, scope: .forever)
    case .shareForever: p.source(0).share(scope: .forever)
    case .skipFor: p.source(0).skip(second, scheduler: p)
    case .skipUntil: p.source(0).skip(until: p.source(1))
    case .stages:
      p.source(0).map { (element: Int) in p.closure(element) }.filter { _ in p.closure(true) }
        .distinctUntilChanged { (_, _) in p.closure(false) }.take(while: { _ in p.closure(true) })
        .scan(0) { (sum: Int, element: Int) in p.closure(sum + element) }
    case .subscribe: p.source(0).subscribe(on: p)
    case .switchLatest: p.source(0).map { p.source($0 % 2 + 1) }.switchLatest()
    case .takeFor: p.source(0).take(for: second, scheduler: p)
    case .takeUntil: p.source(0).take(until: p.source(1).skip(1))
    case .throttle: p.source(0).throttle(second, scheduler: p)
    case .timeout: p.source(0).timeout(second, other: p.source(1), scheduler: p)
    case .timer: .timer(second, scheduler: p)
    case .using:
      .using {
        p.closure(CompositeDisposable(disposables: [Disposables.create { p.visit("disposal") }]))
      } observableFactory: { _ in
        p.closure(p.source(0))
      }
    case .window: p.source(0).window(timeSpan: second, count: 2, scheduler: p).flatMap { $0 }
    case .withLatestFrom: p.source(0).withLatestFrom(p.source(1)) { p.closure($0 + $1) }
    case .withLatestFromReversed: p.source(1).withLatestFrom(p.source(0)) { p.closure($0 + $1) }
    case .zip: .zip(p.source(0), p.source(1)) { p.closure($0 + $1) }
    case .zipOfMany: .zip((0..<3).map(p.source)) { p.closure($0.count) }
    }
  }
}
