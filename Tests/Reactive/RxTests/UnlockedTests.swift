import Foundation
import Rx
import RxTest
import RxTestSupport
import Testing

/// No operator holds a lock while other code runs: a receiver, a closure, a subscribe function, a teardown, a scheduler,
/// the end of an element that is let go of. Otherwise two threads, of which each holds a lock and waits for the other
/// one's, stop for ever.
@Suite(.inTurn) struct UnlockedTests {
  enum End: CaseIterable {
    case completion, completionFromTheLast, error, errorOfTheLast, disposal
  }

  /// Each place from which an operator calls other code lets another thread use the same operator, and waits for it.
  @Test(arguments: Chain.allCases, End.allCases)
  func otherThreadsGoOn(chain: Chain, end: End) {
    go(chain, end, Probe(entersOnThisThread: false))
  }

  /// The same thread comes back where an element ends, or a key is compared.
  @Test(arguments: Chain.allCases, End.allCases)
  func theEndOfAnElementMayLeadToTheNext(chain: Chain, end: End) {
    go(chain, end, Probe(entersOnThisThread: true))
  }

  @Test func virtualTimeHoldsNoLockWhileItConvertsTime() {
    let log = Recorder<Int>()
    let converter = AskingConverter()
    let scheduler = VirtualTimeScheduler(initialClock: Date(timeIntervalSince1970: 0), converter: converter)
    converter.ask.withLock { $0 = { log.record(Int(scheduler.clock.timeIntervalSince1970)) } }
    _ = Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(3).subscribe(onNext: { log.record(100 + $0) })
    scheduler.sleep(0)
    scheduler.start()
    converter.ask.withLock { $0 = nil }
    #expect(log.values.filter { $0 >= 100 } == [100, 101, 102])
    #expect(log.values.count > 3)
  }

  private func go(_ chain: Chain, _ end: End, _ probe: Probe) {
    let observable = chain.observable(probe)
    probe.chain.withLock { $0 = observable }
    defer { probe.chain.withLock { $0 = nil } }
    let subscription = observable.subscribe(
      onNext: { _ in probe.visit("next") }, onError: { _ in probe.visit("error") },
      onCompleted: { probe.visit("completed") }, onDisposed: { probe.visit("disposed") })
    for element in 1...3 {
      for subject in probe.subjects { subject.onNext(Token(element, probe)) }
      probe.fire()
    }
    for subject in end == .completion || end == .error ? probe.subjects : probe.subjects.reversed() {
      switch end {
      case .completion, .completionFromTheLast: subject.onCompleted()
      case .error, .errorOfTheLast: subject.onError(Token(9, probe))
      case .disposal: subscription.dispose()
      }
      probe.fire()
    }
    subscription.dispose()
    #expect(probe.waited.values == [])
  }

  /// An element, or an error, whose end is foreign code, too.
  final class Token: Error {
    let number: Int
    private weak let probe: Probe?

    init(_ number: Int, _ probe: Probe) {
      self.number = number
      self.probe = probe
    }

    deinit { probe?.visitAgain() }
  }

  /// A key whose comparison is foreign code.
  struct Key: Hashable, Sendable {
    let number: Int
    let probe: Probe

    static func == (left: Key, right: Key) -> Bool {
      left.probe.visitAgain()
      return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {
      probe.visitAgain()
      hasher.combine(number)
    }
  }

  /// What a chain is made of. As a scheduler it runs what is scheduled when it is told to, whenever that is due.
  final class Probe: SchedulerType {
    let subjects = (0..<3).map { _ in PublishSubject<Token>() }
    let chain = Locked<Observable<Token>?>(nil)
    /// The places at which another thread had to wait.
    let waited = Recorder<String>()
    private let entersOnThisThread: Bool
    private let state = Locked((visited: Set<String>(), ends: 0, isBusy: false))
    private let actions = Locked<[@Sendable () -> Void]>([])

    init(entersOnThisThread: Bool) { self.entersOnThisThread = entersOnThisThread }

    /// At the first visit of a place, lets another thread in. What that visits counts as not visited.
    func visit(_ place: String) {
      if !entersOnThisThread, state.withLock({ !$0.isBusy && $0.visited.insert(place).inserted }) { enter(place) }
    }

    /// Lets a thread in where an element ends or is compared, twenty times: a sequence may go on because of it.
    func visitAgain() {
      let isAllowed = state.withLock { state in
        if !state.isBusy { state.ends += 1 }
        return !state.isBusy && state.ends <= 20
      }
      if isAllowed { enter("element") }
    }

    private func enter(_ place: String) {
      let wasBusy = state.withLock { state in
        defer { state.isBusy = true }
        return state.isBusy
      }
      if wasBusy { return }
      if entersOnThisThread {
        use()
      } else {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          self.use()
          done.signal()
        }
        if done.wait(timeout: .now() + 10) == .timedOut { waited.record(place) }
      }
      state.withLock { $0.isBusy = false }
    }

    private func use() {
      for subject in subjects { subject.onNext(Token(8, self)) }
      fire()
      chain.withLock { $0 }?.subscribe(onError: { _ in }).dispose()
    }

    /// An element that a closure makes.
    func token(_ number: Int) -> Token { Token(number, self) }

    /// `value`, from a closure of the user.
    func closure<Value>(_ value: Value) -> Value {
      visit("closure")
      return value
    }

    func source(_ index: Int) -> Observable<Token> {
      .create { [self] observer in
        visit("subscription to \(index)")
        let subscription = subjects[index].subscribe(observer)
        return Disposables.create { [self] in
          visit("teardown of \(index)")
          subscription.dispose()
        }
      }
    }

    var now: RxTime {
      visit("now")
      return Date(timeIntervalSince1970: 0)
    }

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

/// A converter that asks its scheduler for the time.
private final class AskingConverter: VirtualTimeConverterType {
  let ask = Locked<(@Sendable () -> Void)?>(nil)

  func convertFromVirtualTime(_ virtualTime: RxTime) -> RxTime { virtualTime }
  func convertToVirtualTime(_ time: RxTime) -> RxTime { time }
  func convertFromVirtualTimeInterval(_ interval: TimeInterval) -> TimeInterval { interval }
  func convertToVirtualTimeInterval(_ interval: TimeInterval) -> TimeInterval { interval }

  func offsetVirtualTime(_ time: RxTime, offset: TimeInterval) -> RxTime {
    ask.withLock { $0 }?()
    return time.addingTimeInterval(offset)
  }

  func compareVirtualTime(_ lhs: RxTime, _ rhs: RxTime) -> VirtualTimeComparison {
    ask.withLock { $0 }?()
    if lhs < rhs { return .lessThan }
    return lhs > rhs ? .greaterThan : .equal
  }
}

private let second = RxTimeInterval.seconds(1)

enum Chain: CaseIterable {
  case amb, buffer, `catch`, catchSequence, combineLatest, combineLatestOfMany, concat, concatMap, create, debounce,
    deferred, delay, delaySubscription, `do`, flatMap, flatMapFirst, flatMapLatest, groupBy, ifEmpty, interval,
    materialize, merge, mergeOneAtATime, multicastSelector, multicast, observe, publish, reduce, replay, retry,
    retryWhen, sample, share, shareReplay, shareReplayForever, shareForever, skipFor, skipUntil, stages, subscribe,
    switchLatest, takeFor, takeUntil, throttle, timeout, timer, using, window, withLatestFrom, withLatestFromReversed,
    zip, zipOfMany

  fileprivate func observable(_ p: UnlockedTests.Probe) -> Observable<UnlockedTests.Token> {
    switch self {
    case .amb: .amb([p.source(0), p.source(1)])
    case .buffer: p.source(0).buffer(timeSpan: second, count: 2, scheduler: p).compactMap(\.first)
    case .catch: p.source(0).catch { _ in p.closure(p.source(1)) }
    case .catchSequence: .catch(sequence: [p.source(0), p.source(1)])
    case .combineLatest: .combineLatest(p.source(0), p.source(1)) { p.closure(p.token($0.number + $1.number)) }
    case .combineLatestOfMany: .combineLatest((0..<3).map(p.source)) { p.closure(p.token($0.count)) }
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
    case .flatMap: p.source(0).flatMap { p.closure(p.source($0.number % 2 + 1)) }
    case .flatMapFirst: p.source(0).flatMapFirst { p.closure(p.source($0.number % 2 + 1)) }
    case .flatMapLatest: p.source(0).flatMapLatest { p.closure(p.source($0.number % 2 + 1)) }
    case .groupBy: p.source(0).groupBy { UnlockedTests.Key(number: $0.number % 2, probe: p) }.flatMap { $0 }
    case .ifEmpty: p.source(0).filter { $0.number > 9 }.ifEmpty(switchTo: p.source(1))
    case .interval: Observable<Int>.interval(second, scheduler: p).map { p.token($0) }
    case .materialize: p.source(0).materialize().dematerialize()
    case .merge: .merge(p.source(0), p.source(1), p.source(2))
    case .mergeOneAtATime: p.source(0).map { p.source($0.number % 2 + 1).take(2) }.merge(maxConcurrent: 1)
    case .multicastSelector:
      p.source(0).multicast {
        p.closure(PublishSubject<UnlockedTests.Token>())
      } selector: {
        p.closure(.merge($0, p.source(1)))
      }
    case .multicast: p.source(0).multicast { p.closure(PublishSubject<UnlockedTests.Token>()) }.refCount()
    case .observe: p.source(0).observe(on: p)
    case .publish: p.source(0).publish().refCount()
    case .reduce: p.source(0).reduce(p.token(0)) { sum, element in p.closure(p.token(sum.number + element.number)) }
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
      p.source(0).map { p.closure($0) }.filter { _ in p.closure(true) }
        .distinctUntilChanged { (_, _) in p.closure(false) }.take(while: { _ in p.closure(true) })
        .scan(p.token(0)) { sum, element in p.closure(p.token(sum.number + element.number)) }
    case .subscribe: p.source(0).subscribe(on: p)
    case .switchLatest: p.source(0).map { p.source($0.number % 2 + 1) }.switchLatest()
    case .takeFor: p.source(0).take(for: second, scheduler: p)
    case .takeUntil: p.source(0).take(until: p.source(1).skip(1))
    case .throttle: p.source(0).throttle(second, scheduler: p)
    case .timeout: p.source(0).timeout(second, other: p.source(1), scheduler: p)
    case .timer: Observable<Int>.timer(second, scheduler: p).map { p.token($0) }
    case .using:
      .using {
        p.closure(CompositeDisposable(disposables: [Disposables.create { p.visit("disposal") }]))
      } observableFactory: { _ in
        p.closure(p.source(0))
      }
    case .window: p.source(0).window(timeSpan: second, count: 2, scheduler: p).flatMap { $0 }
    case .withLatestFrom: p.source(0).withLatestFrom(p.source(1)) { p.closure(p.token($0.number + $1.number)) }
    case .withLatestFromReversed: p.source(1).withLatestFrom(p.source(0)) { p.closure(p.token($0.number + $1.number)) }
    case .zip: .zip(p.source(0), p.source(1)) { p.closure(p.token($0.number + $1.number)) }
    case .zipOfMany: .zip((0..<3).map(p.source)) { p.closure(p.token($0.count)) }
    }
  }
}
