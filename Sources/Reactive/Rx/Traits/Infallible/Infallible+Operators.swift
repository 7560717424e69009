// Each operator is that of ``ObservableType``, and RxSwift's, of the same name. A closure that cannot throw keeps the
// promise.
extension InfallibleType {
  /// The elements that satisfy `predicate`.
  public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
    Infallible(source.filter(predicate))
  }

  /// The results of `transform` for the elements.
  public func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<Result> {
    Infallible(source.map(transform))
  }

  /// The results of `transform` for the elements, without the `nil`s.
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result?
  ) -> Infallible<Result> {
    Infallible(source.compactMap(transform))
  }

  /// The results of `accumulator` for `seed` and the elements so far.
  public func scan<Seed: Sendable>(
    into seed: Seed, accumulator: @escaping @Sendable (inout Seed, Element) -> Void
  ) -> Infallible<Seed> {
    Infallible(source.scan(into: seed, accumulator: accumulator))
  }

  /// The results of `accumulator` for `seed` and the elements so far.
  public func scan<Seed: Sendable>(
    _ seed: Seed, accumulator: @escaping @Sendable (Seed, Element) -> Seed
  ) -> Infallible<Seed> {
    Infallible(source.scan(seed, accumulator: accumulator))
  }

  /// `elements`, sent on subscription, and then this sequence.
  public func startWith(_ elements: Element...) -> Infallible<Element> { Infallible(.concat(.from(elements), source)) }

  /// The elements whose key differs from that of the one before.
  @_disfavoredOverload
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key
  ) -> Infallible<Element> {
    Infallible(source.distinctUntilChanged(keySelector))
  }

  /// The elements that `comparer` finds different from the last one that passed.
  public func distinctUntilChanged(_ comparer: @escaping @Sendable (Element, Element) -> Bool) -> Infallible<Element> {
    Infallible(source.distinctUntilChanged(comparer))
  }

  /// The elements whose key `comparer` finds different from that of the last one that passed.
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key, comparer: @escaping @Sendable (Key, Key) -> Bool
  ) -> Infallible<Element> {
    Infallible(source.distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// The elements whose property at `keyPath` differs from that of the one before.
  @_disfavoredOverload
  public func distinctUntilChanged<Property: Equatable & Sendable>(
    at keyPath: any KeyPath<Element, Property> & Sendable
  ) -> Infallible<Element> {
    Infallible(source.distinctUntilChanged(at: { $0[keyPath: keyPath] }))
  }

  /// The elements that no other one follows within `dueTime`.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(source.debounce(dueTime, scheduler: scheduler))
  }

  /// At most one element each `dueTime`.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Infallible<Element> {
    Infallible(source.throttle(dueTime, latest: latest, scheduler: scheduler))
  }

  /// The elements and the completion `dueTime` later.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(source.delay(dueTime, scheduler: scheduler))
  }

  /// Merges the sequences that `selector` makes of the elements.
  public func flatMap<Source: InfallibleType>(
    _ selector: @escaping @Sendable (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(source.flatMap(selector))
  }

  /// The elements of the sequence that `selector` makes of the latest element.
  public func flatMapLatest<Source: InfallibleType>(
    _ selector: @escaping @Sendable (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(source.flatMapLatest(selector))
  }

  /// Like `flatMap`, but ignores elements while the sequence of an earlier one goes on.
  public func flatMapFirst<Source: InfallibleType>(
    _ selector: @escaping @Sendable (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(source.flatMapFirst(selector))
  }

  /// Like `flatMap`, but one after the other.
  public func concatMap<Source: InfallibleType>(
    _ selector: @escaping @Sendable (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(source.concatMap(selector))
  }

  /// This sequence, and when it has completed, `second`.
  public func concat(_ second: some InfallibleType<Element>) -> Infallible<Element> {
    Infallible(source.concat(second))
  }

  /// This sequence, with side effects. See `do` of ``ObservableType``.
  public func `do`(
    onNext: (@Sendable (Element) -> Void)? = nil,
    afterNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    afterCompleted: (@Sendable () -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Infallible<Element> {
    Infallible(
      source.do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// The elements up to the first element of `other`.
  public func take(until other: some InfallibleType) -> Infallible<Element> { Infallible(source.take(until: other)) }

  /// The elements up to the first element of `other`, whose error ends the result (RxSwift, which hides that).
  public func take(until other: some ObservableType) -> Observable<Element> { source.take(until: other) }

  /// The elements up to the first that satisfies `predicate`.
  public func take(
    until predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(source.take(until: predicate, behavior: behavior))
  }

  /// The elements up to the first that does not satisfy `predicate`.
  public func take(
    while predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(source.take(while: predicate, behavior: behavior))
  }

  /// The first `count` elements.
  public func take(_ count: Int) -> Infallible<Element> { Infallible(source.take(count)) }

  /// The elements that come within `duration` of the subscription.
  public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(source.take(for: duration, scheduler: scheduler))
  }

  /// All elements but the first `count`.
  public func skip(_ count: Int) -> Infallible<Element> { Infallible(source.skip(count)) }

  /// All elements from the first that does not satisfy `predicate`.
  public func skip(while predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
    Infallible(source.skip(while: predicate))
  }

  /// The elements that come after the first element of `other`.
  public func skip(until other: some InfallibleType) -> Infallible<Element> { Infallible(source.skip(until: other)) }

  /// This sequence with one subscription to it for all subscribers.
  public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<Element> {
    Infallible(source.share(replay: replay, scope: scope))
  }

  /// The results of `resultSelector` for `object`, which is held weakly, and each element.
  public func withUnretained<Object: AnyObject & Sendable, Output: Sendable>(
    _ object: Object, resultSelector: @escaping @Sendable ((Object, Element)) -> Output
  ) -> Infallible<Output> {
    Infallible(source.withUnretained(object, resultSelector: resultSelector))
  }

  /// `object`, which is held weakly, and each element.
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Infallible<(Object, Element)> {
    withUnretained(object) { $0 }
  }

  /// The results of `resultSelector` for each element and the latest one of `second`.
  public func withLatestFrom<Source: InfallibleType, Result: Sendable>(
    _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) -> Result
  ) -> Infallible<Result> {
    Infallible(source.withLatestFrom(second, resultSelector: resultSelector))
  }

  /// The latest element of `second` at each element of this sequence.
  public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
    withLatestFrom(second) { $1 }
  }

  /// This sequence, its events delivered on `scheduler`.
  public func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
    Infallible(source.observe(on: scheduler))
  }

  /// This sequence, subscribed to and disposed on `scheduler`.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
    Infallible(source.subscribe(on: scheduler))
  }

  /// This sequence, its events printed on standard output.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Infallible<Element> {
    Infallible(source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}

extension InfallibleType where Element: Equatable {
  /// The elements that differ from the one before.
  public func distinctUntilChanged() -> Infallible<Element> { Infallible(source.distinctUntilChanged()) }
}
