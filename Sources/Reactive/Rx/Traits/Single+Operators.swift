import Synchronization

extension ObservableType {
  /// This sequence as a single: it fails with ``RxError/noElements`` or ``RxError/moreThanOneElement`` if there is not
  /// exactly one element (RxSwift's `asSingle`).
  public func asSingle() -> Single<Element> {
    PrimitiveSequence(
      raw: stage(
        Element?.none,
        atEnd: { stage in
          guard let element = stage.state else { throw RxError.noElements }
          stage.send(element)
        },
        step: { stage, element in
          guard stage.state == nil else { throw RxError.moreThanOneElement }
          stage.state = element
        }))
  }
}

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
  ///   - onDispose: Called when the subscription has ended, however it did.
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

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// A single of what `resultSelector` makes of the elements, when they are there (RxSwift's `zip`).
  public static func zip<each Input: Sendable>(
    _ source: repeat PrimitiveSequence<Trait, each Input>,
    resultSelector: @escaping @Sendable (repeat each Input) throws -> Element
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .join(.sameIndex, repeat each source, resultSelector: resultSelector))
  }

  /// A single of what `resultSelector` makes of all elements, when they are there (RxSwift's `zip`). Of no singles it is
  /// made at once.
  public static func zip<Singles: Collection, Result: Sendable>(
    _ collection: Singles, resultSelector: @escaping @Sendable ([Element]) throws -> Result
  ) -> PrimitiveSequence<Trait, Result> where Singles.Element == PrimitiveSequence<Trait, Element> {
    if collection.isEmpty {
      return PrimitiveSequence<Trait, Result>.deferred {
        PrimitiveSequence<Trait, Result>(raw: .just(try resultSelector([])))
      }
    }
    return PrimitiveSequence<Trait, Result>(
      raw: .zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// A single of all elements, when they are there (RxSwift's `zip`). Of no singles it is `[]`.
  public static func zip<Singles: Collection>(
    _ collection: Singles
  ) -> PrimitiveSequence<Trait, [Element]> where Singles.Element == PrimitiveSequence<Trait, Element> {
    zip(collection) { $0 }
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element == any Sendable {
  /// A single of the elements as a tuple, when they are there (RxSwift's `zip`).
  public static func zip<each Input: Sendable>(
    _ source: repeat PrimitiveSequence<Trait, each Input>
  ) -> PrimitiveSequence<Trait, (repeat each Input)> {
    PrimitiveSequence<Trait, (repeat each Input)>(
      raw: .join(.sameIndex, repeat each source) { (element: repeat each Input) in (repeat each element) })
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// What the single says, awaited; subscribes anew each time (RxSwift's `value`).
  ///
  /// Throws the single's error, or `CancellationError` when the task is cancelled first; the subscription ends then.
  public var value: Element {
    get async throws {
      let subscription = SingleAssignmentDisposable()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let answer = Answer(continuation)
          subscription.setDisposable(
            subscribe(
              onSuccess: { answer.resume(with: .success($0)) },
              onFailure: { answer.resume(with: .failure($0)) },
              onDisposed: { answer.resume(with: .failure(CancellationError())) }))
        }
      } onCancel: {
        subscription.dispose()
      }
    }
  }
}

/// Resumes a continuation with the first of several results.
private final class Answer<Element: Sendable>: Sendable {
  private let continuation: CheckedContinuation<Element, any Error>
  private let isResumed = Atomic<Bool>(false)

  init(_ continuation: CheckedContinuation<Element, any Error>) {
    self.continuation = continuation
  }

  func resume(with result: Result<Element, any Error>) {
    if !isResumed.exchange(true, ordering: .relaxed) { continuation.resume(with: result) }
  }
}
