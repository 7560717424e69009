/// The trait of sequences of exactly one element, or an error (RxSwift).
public enum SingleTrait: ElementTrait {}

/// A sequence of exactly one element, or an error: a question with one answer (RxSwift).
public typealias Single<Element: Sendable> = PrimitiveSequence<SingleTrait, Element>

/// What a single says, once (RxSwift).
public typealias SingleEvent<Element: Sendable> = Result<Element, any Swift.Error>

extension PrimitiveSequence where Trait == SingleTrait {
  /// Receives what a single says.
  public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

  /// A single that `subscribe` answers, anew for every subscription (RxSwift). The result of `subscribe` is disposed of
  /// with the subscription. Of several calls of the observer the first counts.
  public static func create(
    subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
  ) -> Single<Element> {
    .answering { observer in subscribe { observer($0.event) } }
  }

  /// Calls `observer` with what the single says.
  ///
  /// A sequence that has broken its promise, and completed without an element, is reported as ``RxError/noElements``
  /// (RxSwift says nothing, and traps in a debug build).
  public func subscribe(_ observer: @escaping @Sendable (SingleEvent<Element>) -> Void) -> any Disposable {
    subscribeToFirst { observer($0.singleEvent) }
  }

  /// Calls a closure for each kind of event. Without `onFailure` the error goes to ``Hooks/defaultErrorHandler``.
  /// `onDisposed` is called once, however it ends.
  public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onFailure: (@Sendable (any Swift.Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    subscribeToFirst(onDisposed: onDisposed) { event in
      switch event.singleEvent {
      case .success(let element): onSuccess?(element)
      case .failure(let error): if let onFailure { onFailure(error) } else { Hooks.unhandledError(error) }
      }
    }
  }

  /// Calls a closure for each kind of event with `object`, which is held weakly, while it exists.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
    onFailure: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onSuccess: weakly(object, onSuccess), onFailure: weakly(object, onFailure), onDisposed: weakly(object, onDisposed)
    )
  }

  /// This single, with side effects, whose errors are its error (RxSwift). See `do` of ``ObservableType``.
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
      raw: source.do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}

extension ObservableType {
  /// A single of the first element, `nil` without one (RxSwift).
  public func first() -> Single<Element?> {
    Single(
      raw: stage(atEnd: { $0.send(nil) }) { stage, element in
        stage.send(element)
        stage.finish()
      })
  }
}

extension Result where Success: Sendable, Failure == any Swift.Error {
  /// The first event of a single that says this.
  package var event: Event<Success> {
    switch self {
    case .success(let element): .next(element)
    case .failure(let error): .error(error)
    }
  }
}

extension Event {
  /// What a single says with this, its first event.
  fileprivate var singleEvent: SingleEvent<Element> {
    switch self {
    case .next(let element): .success(element)
    case .error(let error): .failure(error)
    case .completed: .failure(RxError.noElements)
    }
  }
}
