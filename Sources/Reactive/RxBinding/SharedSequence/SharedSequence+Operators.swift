import Rx

// The operators that only shared sequences have. None of them can fail, and none leaves the main actor, which all
// closures belong to.
extension SharedSequenceConvertibleType {
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

  /// The elements at least `dueTime` apart: the first of a burst at once and, if `latest`, its last one later.
  public func throttle(_ dueTime: RxTimeInterval, latest: Bool = true) -> SharedSequence<SharingStrategy, Element> {
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

  /// The same elements; the closures are called on the main actor as they pass, once for all subscribers. `onDispose`
  /// is called a little later if the subscription was disposed of on another thread. See `do` of `ObservableType`.
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
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// The results of `resultSelector` for `object`, held weakly, and each element; completes after the object's end.
  public func withUnretained<Object: AnyObject & Sendable, Result: Sendable>(
    _ object: Object, resultSelector: @escaping @MainActor (Object, Element) -> Result
  ) -> Signal<Result> {
    Signal(
      source.withUnretained(object) { object, element in
        MainActor.assumeIsolated { resultSelector(object, element) }
      })
  }

  /// `object`, held weakly, with each element; completes with the first element after the object's end.
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
