/// The trait of sequences of one element, of none, or an error (RxSwift).
public enum MaybeTrait: ElementTrait {}

/// A sequence of one element, of none, or an error: a question that may have no answer (RxSwift).
public typealias Maybe<Element: Sendable> = PrimitiveSequence<MaybeTrait, Element>

/// What a maybe says, once (RxSwift).
@frozen
public enum MaybeEvent<Element: Sendable>: Sendable {
  /// There is an element.
  case success(Element)
  /// The sequence failed.
  case error(any Swift.Error)
  /// There is no element.
  case completed

  /// The first event of a maybe that says this.
  package var event: Event<Element> {
    switch self {
    case .success(let element): .next(element)
    case .error(let error): .error(error)
    case .completed: .completed
    }
  }
}

extension PrimitiveSequence where Trait == MaybeTrait {
  /// Receives what a maybe says.
  public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

  /// A maybe that `subscribe` answers, anew for every subscription (RxSwift). The result of `subscribe` is disposed of
  /// with the subscription. Of several calls of the observer the first counts.
  public static func create(
    subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
  ) -> Maybe<Element> {
    .answering { observer in subscribe { observer($0.event) } }
  }

  /// A maybe without an element (RxSwift).
  public static func empty() -> Maybe<Element> { PrimitiveSequence(raw: .empty()) }

  /// Calls `observer` with what the maybe says.
  public func subscribe(_ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable {
    subscribeToFirst { event in
      switch event {
      case .next(let element): observer(.success(element))
      case .error(let error): observer(.error(error))
      case .completed: observer(.completed)
      }
    }
  }

  /// Calls a closure for each kind of event. Without `onError` the error goes to ``Hooks/defaultErrorHandler``.
  /// `onCompleted` is called without an element. `onDisposed` is called once, however it ends.
  public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onError: (@Sendable (any Swift.Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    subscribeToFirst(onDisposed: onDisposed) { event in
      switch event {
      case .next(let element): onSuccess?(element)
      case .error(let error): if let onError { onError(error) } else { Hooks.unhandledError(error) }
      case .completed: onCompleted?()
      }
    }
  }

  /// Calls a closure for each kind of event with `object`, which is held weakly, while it exists.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
    onError: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onSuccess: weakly(object, onSuccess), onError: weakly(object, onError), onCompleted: weakly(object, onCompleted),
      onDisposed: weakly(object, onDisposed))
  }

  /// This maybe, with side effects; an error of a closure is its error (RxSwift). `onCompleted` is called after an
  /// element, too. See `do` of ``ObservableType``.
  public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Maybe<Element> {
    PrimitiveSequence(
      raw: source.do(
        onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError, onCompleted: onCompleted,
        afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// A single of the element, or of `default` without one (RxSwift).
  public func ifEmpty(default: Element) -> Single<Element> { Single(raw: source.ifEmpty(default: `default`)) }

  /// This maybe, or `other` if it has no element (RxSwift).
  public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
    Maybe(raw: source.ifEmpty(switchTo: other.source))
  }

  /// A single of the element, or `other` without one (RxSwift).
  public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
    Single(raw: source.ifEmpty(switchTo: other.source))
  }
}
