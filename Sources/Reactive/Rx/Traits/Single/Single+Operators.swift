extension PrimitiveSequenceType where Trait == SingleTrait {
  /// A single of `element` (RxSwift's `just`).
  public static func just(_ element: Element) -> Single<Element> {
    PrimitiveSequence(raw: .just(element))
  }

  /// A single of `element`, sent on `scheduler` (RxSwift's `just`).
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<Element> {
    PrimitiveSequence(raw: .just(element, scheduler: scheduler))
  }

  /// A single that fails with `error` (RxSwift's `error`).
  public static func error(_ error: any Swift.Error) -> Single<Element> {
    PrimitiveSequence(raw: .error(error))
  }

  /// A single that never says anything (RxSwift's `never`).
  public static func never() -> Single<Element> {
    PrimitiveSequence(raw: .never())
  }

  /// This single, with something done at its events; what `onSuccess` or `onError` throws is its error (RxSwift's
  /// `do`).
  ///
  /// - Parameters:
  ///   - onSuccess: Called with the element, before it is passed on.
  ///   - afterSuccess: Called with the element, after it was passed on.
  ///   - onError: Called with the error, before it is passed on.
  ///   - afterError: Called with the error, after it was passed on.
  ///   - onSubscribe: Called before the subscription.
  ///   - onSubscribed: Called after the subscription.
  ///   - onDispose: Called when the subscription has ended in whatever way.
  public func `do`(
    onSuccess: (@Sendable (Element) throws -> Void)? = nil,
    afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Single<Element> {
    PrimitiveSequence(
      raw: primitiveSequence.source.do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// A single of what `transform` makes of the element; what it throws is its error (RxSwift's `map`).
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Single<Result> {
    PrimitiveSequence<SingleTrait, Result>(raw: primitiveSequence.source.map(transform))
  }

  /// The single that `selector` makes of the element; what it throws is the result's error (RxSwift's `flatMap`).
  public func flatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Single<Result>
  ) -> Single<Result> {
    PrimitiveSequence<SingleTrait, Result>(raw: primitiveSequence.source.flatMap(selector))
  }

  /// This single, and if it fails, `element` instead (RxSwift's `catchAndReturn`).
  public func catchAndReturn(_ element: Element) -> Single<Element> {
    PrimitiveSequence(raw: primitiveSequence.source.catchAndReturn(element))
  }

  /// This single (RxSwift's `asSingle`).
  public func asSingle() -> Single<Element> {
    primitiveSequence
  }
}
