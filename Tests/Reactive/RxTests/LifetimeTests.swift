import RxTest
import RxTestSupport
import Synchronization
import Testing

@testable import Rx

/// What a subscription captures goes when it has ended or was disposed of, though its handle is still held, and when
/// its subject goes, though nobody disposes of it.
@Suite(.leavesNoResources, .inTurn) struct LifetimeTests {
  // MARK: Ways to subscribe

  private static let ways: [@Sendable (Observable<Int>, @escaping @Sendable () -> Void) -> any Disposable] = [
    { source, touch in source.subscribe { _ in touch() } },
    { source, touch in source.subscribe(onNext: { _ in touch() }, onError: { _ in }) },
    { source, touch in source.subscribe(onError: { _ in touch() }) },
    { source, touch in source.subscribe(onError: { _ in }, onCompleted: touch) },
    { source, touch in source.subscribe(onError: { _ in }, onDisposed: touch) },
    { source, touch in source.subscribe(AnyObserver { _ in touch() }) },
    { source, touch in source.map { _ in touch() }.subscribe(onError: { _ in }) },
    { source, touch in source.map { _ in touch() }.publish().connect() },
    { source, touch in source.bind(to: AnyObserver { _ in touch() }) },
    { source, touch in source.catchAndReturn(1).bind(onNext: { _ in touch() }) },
    { source, touch in source.asSingle().subscribe(onSuccess: { _ in touch() }, onFailure: { _ in touch() }) },
    { source, touch in source.asSingle().subscribe(onFailure: { _ in }, onDisposed: touch) },
    { source, touch in
      source.asMaybe().subscribe(onSuccess: { _ in touch() }, onError: { _ in touch() }, onDisposed: touch)
    },
    { source, touch in
      source.ignoreElements().asCompletable()
        .subscribe(onCompleted: touch, onError: { _ in touch() }, onDisposed: touch)
    },
    { source, touch in
      source.asInfallible(onErrorJustReturn: 0)
        .subscribe(onNext: { _ in touch() }, onCompleted: touch, onDisposed: touch)
    },
  ]

  @Test(arguments: ["just", "create", "subject", "take", "error"])
  func aSubscriptionThatHasEndedFreesItsClosures(source: String) async {
    let subject = PublishSubject<Int>()
    let ends: [String: Observable<Int>] = [
      "just": .just(1), "subject": subject.asObservable(), "take": subject.take(1), "error": .error(TestError.first),
      "create": .create { observer in
        observer.onNext(1)
        observer.onCompleted()
        return Disposables.create()
      },
    ]
    guard let observable = ends[source] else { return }
    for (index, way) in Self.ways.enumerated() {
      let isFreed = await frees { object, bag in
        way(observable) { object.touch() }.disposed(by: bag)
        if source == "subject" || source == "take" {
          subject.onNext(1)
          if source == "subject" { subject.onCompleted() }
        }
      }
      #expect(isFreed, "\(source), way \(index)")
    }
  }

  @Test func aSubscriptionThatWasDisposedOfFreesItsClosures() async {
    let subject = PublishSubject<Int>()
    let sources: [String: Observable<Int>] = [
      "subject": subject.asObservable(), "never": .never(), "refCount": subject.publish().refCount(),
      "share": subject.share(replay: 1), "timer": .timer(.seconds(3600), scheduler: MainScheduler.instance),
      "interval": .interval(.seconds(3600), scheduler: background),
    ]
    for (name, source) in sources {
      for (index, way) in Self.ways.enumerated() {
        let isFreed = await frees { object, bag in
          let disposable = way(source) { object.touch() }
          disposable.disposed(by: bag)
          disposable.dispose()
        }
        #expect(isFreed, "\(name), way \(index)")
      }
    }
  }

  // MARK: Inner subscriptions

  /// Operators that hold subscriptions of their own. `trigger` sends 1 and completes.
  private static let operators:
    [(name: String, apply: @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>)] = [
      ("flatMap", { source, other in source.flatMap { _ in other } }),
      ("flatMapFirst", { source, other in source.flatMapFirst { _ in other } }),
      ("flatMapLatest", { source, other in source.flatMapLatest { _ in other } }),
      ("concatMap", { source, other in source.concatMap { _ in other } }),
      ("concat", { $0.concat($1) }),
      ("merge", { .merge($0, $1) }),
      ("merge(maxConcurrent:)", { Observable.of($0, $1).merge(maxConcurrent: 1) }),
      ("switchLatest", { Observable.of($0, $1).switchLatest() }),
      ("catch", { source, other in source.concat(Observable.error(TestError.first)).catch { _ in other } }),
      ("catch(sequence:)", { .catch(sequence: [$0.concat(Observable<Int>.error(TestError.first)), $1]) }),
      ("retry", { source, other in .merge(source, other).retry(2) }),
      ("retry(when:)", { source, other in source.retry { (_: Observable<any Error>) in other } }),
      ("share", { .merge($0.share(), $1) }),
      ("share(replay:)", { .merge($0, $1).share(replay: 1) }),
      ("share(forever)", { .merge($0, $1).share(replay: 1, scope: .forever) }),
      ("refCount", { .merge($0, $1).publish().refCount() }),
      ("replay", { .merge($0, $1).replay(2).refCount() }),
      ("combineLatest", { .combineLatest($0, $1) { $0 + $1 } }),
      ("zip", { .zip($0, $1) { $0 + $1 } }),
      ("withLatestFrom", { source, other in source.withLatestFrom(other.startWith(1)) { $0 + $1 } }),
      ("sample", { $0.sample($1) }),
      ("take(until:)", { source, other in source.take(until: other) }),
      ("skip(until:)", { source, other in source.skip(until: other.startWith(0)) }),
      ("ifEmpty", { source, other in source.filter { _ in false }.ifEmpty(switchTo: other) }),
      ("startWith", { .merge($0.startWith(0), $1) }),
      ("do", { source, other in .merge(source, other).do(onNext: { _ in }) }),
      ("debug", { .merge($0, $1).debug("lifetime") }),
      ("asSingle", { .merge($0, $1).asSingle().asObservable().catchAndReturn(0) }),
      ("observe(on:)", { .merge($0, $1).observe(on: MainScheduler.instance) }),
      ("subscribe(on:)", { .merge($0, $1).subscribe(on: ConcurrentDispatchQueueScheduler(qos: .default)) }),
      ("debounce", { .merge($0, $1).debounce(.milliseconds(1), scheduler: background) }),
      ("throttle", { .merge($0, $1).throttle(.milliseconds(1), scheduler: background) }),
      ("delay", { .merge($0, $1).delay(.milliseconds(1), scheduler: background) }),
      ("timeout", { .merge($0, $1).timeout(.seconds(3600), scheduler: background) }),
      ("buffer", { .merge($0, $1).buffer(timeSpan: .seconds(3600), count: 2, scheduler: background).map(\.count) }),
      ("materialize", { .merge($0, $1).materialize().dematerialize() }),
      ("amb", { $0.amb($1) }),
      ("element(at:)", { .merge($0, $1).element(at: 5) }),
      ("single", { .merge($0, $1).single { $0 == 2 } }),
      ("ignoreElements", { .merge($0, $1).ignoreElements().asCompletable().andThen(Observable<Int>.empty()) }),
      (
        "using", { source, other in .using({ BooleanDisposable() }, observableFactory: { _ in .merge(source, other) }) }
      ),
      ("delaySubscription", { .merge($0, $1).delaySubscription(.milliseconds(1), scheduler: background) }),
      ("groupBy", { .merge($0, $1).groupBy { $0 }.flatMap { $0 } }),
      ("groupBy, groups held", { .merge($0, $1).groupBy { $0 }.scan([]) { $0 + [$1] }.map(\.count) }),
      ("window", { .merge($0, $1).window(timeSpan: .seconds(3600), count: 2, scheduler: background).merge() }),
      ("asMaybe", { .merge($0, $1).asMaybe().asObservable().catchAndReturn(0) }),
      ("asInfallible", { .merge($0, $1).asInfallible(onErrorFallbackTo: .just(0)).asObservable() }),
      ("andThen", { $0.ignoreElements().asCompletable().andThen($1) }),
      (
        "zip of completables",
        { Completable.zip($0.ignoreElements().asCompletable(), $1.ignoreElements().asCompletable()).andThen(.just(1)) }
      ),
      ("range", { .merge(.range(start: 1, count: 5), $0, $1) }),
      ("generate", { .merge(.generate(initialState: 1, condition: { $0 < 5 }, iterate: { $0 + 1 }), $0, $1) }),
      ("take(for:)", { .merge($0, $1).take(for: .seconds(3600), scheduler: background) }),
    ]

  @Test(arguments: operators.indices)
  func anOperatorFreesWhatItHoldsAtItsEnd(index: Int) async {
    let (name, apply) = Self.operators[index]
    let isFreed = await frees { object, bag in
      let first = Observable.just(1).do(onNext: { _ in object.touch() })
      let second = Observable.just(2).do(onNext: { _ in object.touch() })
      apply(first, second).subscribe { _ in object.touch() }.disposed(by: bag)
    }
    #expect(isFreed, "\(name)")
  }

  @Test(arguments: operators.indices)
  func anOperatorFreesWhatItHoldsWhenItIsDisposedOf(index: Int) async {
    let (name, apply) = Self.operators[index]
    let first = PublishSubject<Int>()
    let second = PublishSubject<Int>()
    let isFreed = await frees { object, bag in
      let subscription = apply(
        first.do(onNext: { _ in object.touch() }), second.do(onNext: { _ in object.touch() })
      ).subscribe { _ in object.touch() }
      subscription.disposed(by: bag)
      first.onNext(1)
      second.onNext(2)
      subscription.dispose()
    }
    #expect(isFreed, "\(name)")
    #expect(await eventually { !first.hasObservers && !second.hasObservers }, "\(name)")
  }

  @Test(arguments: ["share", "share(replay:)", "combineLatest", "zip", "withLatestFrom", "take(until:)"])
  func anOperatorFreesWhatItHoldsWhenItsSubjectsAreLetGo(name: String) async {
    let isFreed = await frees { object, bag in
      let first = PublishSubject<Int>()
      let second = PublishSubject<Int>()
      let (xs, ys) = (first.map { (object.touch(), $0).1 }, second.map { (object.touch(), $0).1 })
      let sources: [String: Observable<Int>] = [
        "share": xs.share(), "share(replay:)": ys.share(replay: 1), "combineLatest": .combineLatest(xs, ys) { $0 + $1 },
        "zip": .zip(xs, ys) { $0 + $1 }, "withLatestFrom": xs.withLatestFrom(ys),
        "take(until:)": xs.take(until: ys),
      ]
      sources[name]?.filter { $0 > 0 }.subscribe { _ in object.touch() }.disposed(by: bag)
      first.onNext(1)
      second.onNext(2)
    }
    #expect(isFreed)
  }

  @Test(arguments: ["merge", "flatMap", "flatMapLatest", "combineLatest", "withLatestFrom", "create"])
  func anOperatorGoesOnWhileOneOfItsSourcesDoes(name: String) {
    let log = Recorder<Int>()
    let live = PublishSubject<Int>()
    var subscription: (any Disposable)?
    do {
      let other = PublishSubject<Int>()
      let operators: [String: Observable<Int>] = [
        "merge": .merge(other, live), "flatMap": other.flatMap { _ in live },
        "flatMapLatest": other.flatMapLatest { _ in live }, "combineLatest": .combineLatest(other, live) { $1 },
        "withLatestFrom": live.withLatestFrom(other) { element, _ in element },
        "create": .create { [weak other] observer in
          Disposables.create(other?.subscribe(observer) ?? Disposables.create(), live.subscribe(observer))
        },
      ]
      subscription = operators[name]?.subscribe(onNext: { log.record($0) })
      other.onNext(1)
    }
    live.onNext(2)
    #expect(log.values.last == 2)
    subscription?.dispose()
  }

  @Test func anOperatorThatWaitsForItsTimerFreesItsSource() async {
    let operators: [(String, @Sendable (Observable<Int>) -> Observable<Int>)] = [
      ("throttle", { $0.throttle(.seconds(3600), scheduler: background) }),
      ("delay", { $0.delay(.seconds(3600), scheduler: background) }),
    ]
    for (name, apply) in operators {
      let isFreed = await frees { object, bag in
        let subject = PublishSubject<Int>()
        let source = subject.map { element in
          object.touch()
          return element
        }
        apply(source).subscribe { _ in }.disposed(by: bag)
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
      }
      #expect(isFreed, "\(name)")
    }
  }

  @Test func theFirstCompletableGoesWhenTheSecondBegins() async {
    let isFreed = await frees { object, bag in
      let first = Completable.create { completable in
        object.touch()
        completable(.completed)
        return Disposables.create()
      }
      first.andThen(Observable<Int>.never()).subscribe().disposed(by: bag)
      first.andThen(Single<Int>.never()).subscribe().disposed(by: bag)
    }
    #expect(isFreed)
  }

  // MARK: The end of a subject

  @Test(arguments: subjects.indices) func aSubjectThatIsLetGoFreesItsSubscriptions(index: Int) async {
    let (name, subscribe) = Self.subjects[index]
    #expect(await frees { object, bag in subscribe(object).forEach { $0.disposed(by: bag) } }, "\(name)")
  }

  @Test func aSubjectThatIsLetGoFreesTheSubscriptionsToItsParts() async {
    let isFreed = await frees { object, bag in
      let (subject, parts) = (PublishSubject<Int>(), CompositeDisposable())
      let windows = subject.window(timeSpan: .seconds(3600), count: 9, scheduler: background)
      parts.disposed(by: bag)
      subject.groupBy { $0 }.subscribe(onNext: { _ = parts.insert($0.subscribe { _ in object.touch() }) })
        .disposed(by: bag)
      windows.subscribe(onNext: { _ = parts.insert($0.subscribe { _ in object.touch() }) }).disposed(by: bag)
      subject.onNext(1)
    }
    #expect(isFreed)
  }

  private static let subjects: [(name: String, subscribe: @Sendable (Captured) -> [any Disposable])] = [
    ("PublishSubject", { object in [PublishSubject<Int>().subscribe { _ in object.touch() }] }),
    ("BehaviorSubject", { object in [BehaviorSubject(value: 1).subscribe { _ in object.touch() }] }),
    ("ReplaySubject", { object in [ReplaySubject<Int>.create(bufferSize: 2).subscribe { _ in object.touch() }] }),
    ("PublishRelay", { object in [PublishRelay<Int>().subscribe(onNext: { _ in object.touch() })] }),
    ("BehaviorRelay", { object in [BehaviorRelay(value: 1).subscribe(onNext: { _ in object.touch() })] }),
    ("ReplayRelay", { object in [ReplayRelay<Int>.createUnbound().subscribe(onNext: { _ in object.touch() })] }),
    (
      "AsyncSubject",
      { object in
        let subject = AsyncSubject<Int>()
        defer { subject.onNext(1) }
        return [subject.subscribe { _ in object.touch() }]
      }
    ),
    (
      "amb",
      { object in
        let subject = PublishSubject<Int>()
        defer { subject.onNext(1) }
        return [subject.amb(subject.materialize().dematerialize()).subscribe { _ in object.touch() }]
      }
    ),
    (
      "a chain from a relay",
      { object in
        [PublishRelay<Int>().map { _ in object.touch() }.filter { true }.subscribe(onNext: { object.touch() })]
      }
    ),
    (
      "a chain from a relay, on a scheduler",
      { object in
        let relay = BehaviorRelay(value: 1)
        return [
          relay.subscribe(on: MainScheduler.instance).observe(on: background).subscribe(onNext: { _ in object.touch() })
        ]
      }
    ),
    (
      "elements",
      { object in
        let subject = ReplaySubject<Captured>.createUnbounded()
        subject.onNext(object)
        return [subject.subscribe { _ in }]
      }
    ),
  ]
}

private let background = ConcurrentDispatchQueueScheduler(qos: .default)
