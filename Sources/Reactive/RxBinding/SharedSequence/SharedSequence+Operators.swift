import Rx

// What an operator makes of a shared sequence is shared, too: each works on the ordinary sequence and shares the
// result. None of them can fail, and none leaves the main actor, which all closures belong to.
extension SharedSequenceConvertibleType {
  // MARK: Elements

  /// The elements, each turned into what `selector` makes of it.
  public func map<Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence(source.map(onMainActor(selector)))
  }

  /// The elements, each turned into what `selector` makes of it; those for which that is `nil` are left out.
  public func compactMap<Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> Result?
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence(source.compactMap(onMainActor(selector)))
  }

  /// The elements that `predicate` accepts.
  public func filter(
    _ predicate: @escaping @MainActor (Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(source.filter(onMainActor(predicate)))
  }

  /// The elements but the first `count`.
  public func skip(_ count: Int) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(source.skip(count))
  }

  /// What `accumulator` makes of its last result and each element, beginning with `seed`.
  public func scan<Accumulated: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @MainActor (Accumulated, Element) -> Accumulated
  ) -> SharedSequence<SharingStrategy, Accumulated> {
    SharedSequence(source.scan(seed, accumulator: onMainActor(accumulator)))
  }

  /// `element`, then the elements of this sequence.
  public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(source.startWith(element))
  }

  // MARK: Inner sequences

  /// The elements of all sequences that `selector` makes, merged.
  public func flatMap<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMap(onMainActor(selector)))
  }

  /// The elements of the sequence that `selector` made last; the one before it is unsubscribed from.
  public func flatMapLatest<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapLatest(onMainActor(selector)))
  }

  /// The elements of the sequences that `selector` makes, one at a time: what arrives while one is running is ignored.
  public func flatMapFirst<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapFirst(onMainActor(selector)))
  }

  // MARK: Time

  /// The elements with at least `dueTime` between them: the first of a burst at once and, if `latest`, its last one when
  /// the time is up.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(source.throttle(dueTime, latest: latest, scheduler: SharingStrategy.scheduler))
  }

  /// The elements after which nothing came for `dueTime`.
  public func debounce(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(source.debounce(dueTime, scheduler: SharingStrategy.scheduler))
  }

  /// The elements, each `dueTime` later.
  public func delay(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(source.delay(dueTime, scheduler: SharingStrategy.scheduler))
  }

  // MARK: Side effects

  /// The same elements; the closures are called on the main actor as they pass, once for all subscribers.
  ///
  /// - Parameters:
  ///   - onNext: Called with each element before the subscribers get it.
  ///   - afterNext: Called with each element after the subscribers have got it.
  ///   - onCompleted: Called before the subscribers get the completion.
  ///   - afterCompleted: Called after the subscribers have got the completion.
  ///   - onSubscribe: Called before the source is subscribed to.
  ///   - onSubscribed: Called after the source was subscribed to.
  ///   - onDispose: Called when the subscription to the source has ended. If it was disposed of on another thread, the
  ///     call comes a little later.
  public func `do`(
    onNext: (@MainActor (Element) -> Void)? = nil,
    afterNext: (@MainActor (Element) -> Void)? = nil,
    onCompleted: (@MainActor () -> Void)? = nil,
    afterCompleted: (@MainActor () -> Void)? = nil,
    onSubscribe: (@MainActor () -> Void)? = nil,
    onSubscribed: (@MainActor () -> Void)? = nil,
    onDispose: (@MainActor () -> Void)? = nil
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(
      source.do(
        onNext: onNext.map { onMainActor($0) }, afterNext: afterNext.map { onMainActor($0) },
        onCompleted: onCompleted.map { onMainActor($0) }, afterCompleted: afterCompleted.map { onMainActor($0) },
        onSubscribe: onMainQueue(onSubscribe), onSubscribed: onMainQueue(onSubscribed),
        onDispose: onMainQueue(onDispose)))
  }

  /// The same elements; every event, subscription and disposal is printed on standard output.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(
      source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}

extension SharedSequenceConvertibleType where Element: Equatable {
  /// The elements that differ from the one before them.
  public func distinctUntilChanged() -> SharedSequence<SharingStrategy, Element> {
    distinctUntilChanged { $0 == $1 }
  }
}

extension SharedSequenceConvertibleType {
  /// The elements whose key differs from that of the one before them.
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @MainActor (Element) -> Key
  ) -> SharedSequence<SharingStrategy, Element> {
    distinctUntilChanged(keySelector) { $0 == $1 }
  }

  /// The elements that `comparer` does not find equal to the one before them.
  public func distinctUntilChanged(
    _ comparer: @escaping @MainActor (Element, Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    distinctUntilChanged({ $0 }, comparer: comparer)
  }

  /// The elements whose key `comparer` does not find equal to that of the one before them.
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @MainActor (Element) -> Key, comparer: @escaping @MainActor (Key, Key) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(source.distinctUntilChanged(onMainActor(keySelector), comparer: onMainActor(comparer)))
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// What `resultSelector` makes of `object`, which is held weakly, and each element; completes with the first element
  /// after the object has gone.
  public func withUnretained<Object: AnyObject & Sendable, Result: Sendable>(
    _ object: Object, resultSelector: @escaping @MainActor (Object, Element) -> Result
  ) -> Signal<Result> {
    Signal(
      source.withUnretained(object) { object, element in
        MainActor.assumeIsolated { resultSelector(object, element) }
      })
  }

  /// `object`, which is held weakly, with each element; completes with the first element after the object has gone.
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Signal<(Object, Element)> {
    withUnretained(object) { ($0, $1) }
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// Not for drivers: the element that a driver keeps for replay would keep the object alive.
  @available(*, unavailable, message: "a Driver would keep the object alive; use drive(with:onNext:) instead")
  public func withUnretained<Object: AnyObject & Sendable, Result: Sendable>(
    _ object: Object, resultSelector: @escaping @MainActor (Object, Element) -> Result
  ) -> Driver<Result> {
    Driver.empty()
  }

  /// Not for drivers: the element that a driver keeps for replay would keep the object alive.
  @available(*, unavailable, message: "a Driver would keep the object alive; use drive(with:onNext:) instead")
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Driver<(Object, Element)> {
    Driver.empty()
  }
}
