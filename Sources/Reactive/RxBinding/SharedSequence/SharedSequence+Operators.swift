import Rx

// What a shared sequence of one source becomes is shared, too: each operator works on the ordinary sequence and shares the
// result. None of them can fail, and none leaves the strategy's scheduler.
extension SharedSequenceConvertibleType {
  // MARK: Elements

  /// The elements, each turned into what `selector` makes of it.
  public func map<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence(asObservable().map(selector))
  }

  /// The elements, each turned into what `selector` makes of it; those for which that is `nil` are left out.
  public func compactMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result?
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence(asObservable().compactMap(selector))
  }

  /// The elements that `predicate` accepts.
  public func filter(
    _ predicate: @escaping @Sendable (Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().filter(predicate))
  }

  /// The elements but the first `count`.
  public func skip(_ count: Int) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().skip(count))
  }

  /// What `accumulator` makes of its last result and each element, beginning with `seed`.
  public func scan<Accumulated: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) -> Accumulated
  ) -> SharedSequence<SharingStrategy, Accumulated> {
    SharedSequence(asObservable().scan(seed, accumulator: accumulator))
  }

  /// `element`, then the elements of this sequence.
  public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().startWith(element))
  }

  // MARK: Inner sequences

  /// The elements of all sequences that `selector` makes, merged.
  public func flatMap<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(asObservable().flatMap(selector))
  }

  /// The elements of the sequence that `selector` made last; the one before it is unsubscribed from.
  public func flatMapLatest<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(asObservable().flatMapLatest(selector))
  }

  /// The elements of the sequences that `selector` makes, one at a time: what arrives while one is running is ignored.
  public func flatMapFirst<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(asObservable().flatMapFirst(selector))
  }

  // MARK: Time

  /// The elements with at least `dueTime` between them: the first of a burst at once and, if `latest`, its last one when
  /// the time is up.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().throttle(dueTime, latest: latest, scheduler: SharingStrategy.scheduler))
  }

  /// The elements after which nothing came for `dueTime`.
  public func debounce(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().debounce(dueTime, scheduler: SharingStrategy.scheduler))
  }

  /// The elements, each `dueTime` later.
  public func delay(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().delay(dueTime, scheduler: SharingStrategy.scheduler))
  }

  // MARK: Side effects

  /// The same elements; the closures are called as they pass, once for all subscribers.
  ///
  /// - Parameters:
  ///   - onNext: Called with each element before the subscribers get it, on the main scheduler.
  ///   - afterNext: Called with each element after the subscribers have got it.
  ///   - onCompleted: Called before the subscribers get the completion.
  ///   - afterCompleted: Called after the subscribers have got the completion.
  ///   - onSubscribe: Called before the source is subscribed to, on the thread of the first subscriber.
  ///   - onSubscribed: Called after the source was subscribed to.
  ///   - onDispose: Called when the subscription to the source has ended, on the thread that ended it.
  public func `do`(
    onNext: (@Sendable (Element) -> Void)? = nil,
    afterNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    afterCompleted: (@Sendable () -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(
      asObservable().do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// The same elements; every event, subscription and disposal is printed on standard output.
  ///
  /// - Parameters:
  ///   - identifier: What begins each line; by default the place in the source.
  ///   - trimOutput: Whether long elements are printed in part.
  ///   - file: The file that is printed when there is no `identifier`.
  ///   - line: The line that is printed when there is no `identifier`.
  ///   - function: The function that is printed when there is no `identifier`.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(
      asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
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
    _ keySelector: @escaping @Sendable (Element) -> Key
  ) -> SharedSequence<SharingStrategy, Element> {
    distinctUntilChanged(keySelector) { $0 == $1 }
  }

  /// The elements that `comparer` does not find equal to the one before them.
  public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    distinctUntilChanged({ $0 }, comparer: comparer)
  }

  /// The elements whose key `comparer` does not find equal to that of the one before them.
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key, comparer: @escaping @Sendable (Key, Key) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// What `resultSelector` makes of `object`, which is held weakly, and each element; completes with the first element
  /// after the object has gone.
  public func withUnretained<Object: AnyObject & Sendable, Result: Sendable>(
    _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
  ) -> Signal<Result> {
    Signal(asObservable().withUnretained(object, resultSelector: resultSelector))
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
    _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
  ) -> Driver<Result> {
    Driver.empty()
  }

  /// Not for drivers: the element that a driver keeps for replay would keep the object alive.
  @available(*, unavailable, message: "a Driver would keep the object alive; use drive(with:onNext:) instead")
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Driver<(Object, Element)> {
    Driver.empty()
  }
}
