public import Rx

// The operators that all sequences of the main actor have. Each works on the ordinary sequence, and the strategy shares
// the result. A closure may throw where the sequence may fail; its error ends the sequence.
extension MainSequenceType {
  // MARK: Elements

  /// The elements, each turned into what `transform` makes of it.
  public func map<Result: Sendable>(
    _ transform: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Result
  ) -> MainSequence<SharingStrategy, Result> {
    MainSequence(source.map(onMainActor(transform)))
  }

  /// The elements, each turned into what `transform` makes of it; those for which that is `nil` are left out.
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Result?
  ) -> MainSequence<SharingStrategy, Result> {
    MainSequence(source.compactMap(onMainActor(transform)))
  }

  /// The elements that `predicate` accepts.
  public func filter(
    _ predicate: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Bool
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.filter(onMainActor(predicate)))
  }

  /// The results of `accumulator` for `seed` and the elements so far.
  public func scan<Accumulated: Sendable>(
    _ seed: Accumulated,
    accumulator: @escaping @MainActor (Accumulated, Element) throws(SharingStrategy.Failure) -> Accumulated
  ) -> MainSequence<SharingStrategy, Accumulated> {
    MainSequence(source.scan(seed, accumulator: onMainActor(accumulator)))
  }

  /// The elements but the first `count`.
  public func skip(_ count: Int) -> MainSequence<SharingStrategy, Element> { MainSequence(source.skip(count)) }

  /// `elements`, then the elements of this sequence.
  public func startWith(_ elements: Element...) -> MainSequence<SharingStrategy, Element> {
    MainSequence(elements.reversed().reduce(source) { $0.startWith($1) })
  }

  /// The same elements; every event, subscription and disposal is printed on standard output.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }

  /// The same elements; the closures are called on the main actor as they pass, once for all subscribers if the sequence is
  /// shared. `onDispose` is called a little later if the subscription was disposed of on another thread. See `do` of
  /// `ObservableType`.
  public func `do`(
    onNext: (@MainActor (Element) throws(SharingStrategy.Failure) -> Void)? = nil,
    afterNext: (@MainActor (Element) throws(SharingStrategy.Failure) -> Void)? = nil,
    onError: (@MainActor (SharingStrategy.Failure) throws(SharingStrategy.Failure) -> Void)? = nil,
    afterError: (@MainActor (SharingStrategy.Failure) throws(SharingStrategy.Failure) -> Void)? = nil,
    onCompleted: (@MainActor () throws(SharingStrategy.Failure) -> Void)? = nil,
    afterCompleted: (@MainActor () throws(SharingStrategy.Failure) -> Void)? = nil,
    onSubscribe: (@MainActor () -> Void)? = nil,
    onSubscribed: (@MainActor () -> Void)? = nil,
    onDispose: (@MainActor () -> Void)? = nil
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(
      source.do(
        onNext: onMainActor(onNext), afterNext: onMainActor(afterNext), onError: onFailure(onError),
        afterError: onFailure(afterError), onCompleted: onMainActor(onCompleted),
        afterCompleted: onMainActor(afterCompleted),
        onSubscribe: onMainQueue(onSubscribe), onSubscribed: onMainQueue(onSubscribed),
        onDispose: onMainQueue(onDispose)))
  }

  // MARK: Time, on `scheduler` or on the main one

  /// The elements at least `dueTime` apart: the first of a burst at once and, if `latest`, its last one later.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: (any SchedulerType)? = nil
  ) -> MainSequence<SharingStrategy, Element> {
    timed(by: scheduler) { source.throttle(dueTime, latest: latest, scheduler: $0) }
  }

  /// The elements after which nothing came for `dueTime`.
  public func debounce(
    _ dueTime: RxTimeInterval, scheduler: (any SchedulerType)? = nil
  ) -> MainSequence<SharingStrategy, Element> {
    timed(by: scheduler) { source.debounce(dueTime, scheduler: $0) }
  }

  /// The elements, each `dueTime` later.
  public func delay(
    _ dueTime: RxTimeInterval, scheduler: (any SchedulerType)? = nil
  ) -> MainSequence<SharingStrategy, Element> {
    timed(by: scheduler) { source.delay(dueTime, scheduler: $0) }
  }

  /// What `operation` makes of the elements with a timer. Only the strategy's own scheduler delivers on the main queue.
  func timed<Result: Sendable>(
    by scheduler: (any SchedulerType)?, _ operation: (any SchedulerType) -> Observable<Result>
  ) -> MainSequence<SharingStrategy, Result> {
    guard let scheduler else { return MainSequence(operation(SharingStrategy.scheduler)) }
    return MainSequence(moving: operation(scheduler))
  }

  // MARK: Repetitions

  /// The elements whose key differs from that of the one before them.
  @_disfavoredOverload
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Key
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.distinctUntilChanged(onMainActor(keySelector)))
  }

  /// The elements that `comparer` does not find equal to the one before them.
  public func distinctUntilChanged(
    _ comparer: @escaping @MainActor (Element, Element) throws(SharingStrategy.Failure) -> Bool
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.distinctUntilChanged(onMainActor(comparer)))
  }

  /// The elements whose key `comparer` finds different from that of the one before them.
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Key,
    comparer: @escaping @MainActor (Key, Key) throws(SharingStrategy.Failure) -> Bool
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.distinctUntilChanged(onMainActor(keySelector), comparer: onMainActor(comparer)))
  }
}

extension MainSequenceType where Element: Equatable {
  /// The elements that differ from the one before them.
  public func distinctUntilChanged() -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.distinctUntilChanged())
  }
}

extension MainSequenceType where SharingStrategy: TransientStrategy {
  /// The results of `resultSelector` for `object`, held weakly, and each element; completes after the object's end.
  public func withUnretained<Object: AnyObject & Sendable, Result: Sendable>(
    _ object: Object, resultSelector: @escaping @MainActor (Object, Element) -> Result
  ) -> MainSequence<SharingStrategy, Result> {
    MainSequence(
      source.withUnretained(object) { object, element in
        MainActor.assumeIsolated { resultSelector(object, element) }
      })
  }

  /// `object`, held weakly, with each element; completes with the first element after the object's end.
  public func withUnretained<Object: AnyObject & Sendable>(
    _ object: Object
  ) -> MainSequence<SharingStrategy, (Object, Element)> {
    withUnretained(object) { ($0, $1) }
  }
}
