/// The trait of sequences without elements (RxSwift).
public enum CompletableTrait {}

/// A sequence without elements, which completes or fails: something to be done (RxSwift).
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// What a completable says, once (RxSwift).
@frozen
public enum CompletableEvent: Sendable {
  /// It failed.
  case error(any Swift.Error)
  /// It is done.
  case completed

  /// The end of a completable that says this.
  package var event: Event<Never> {
    switch self {
    case .error(let error): .error(error)
    case .completed: .completed
    }
  }
}

extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
  /// Receives what a completable says.
  public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

  /// A completable that `subscribe` ends, anew for every subscription (RxSwift). The result of `subscribe` is disposed
  /// of with the subscription. Of several calls of the observer the first counts.
  public static func create(
    subscribe: @escaping @Sendable (@escaping CompletableObserver) -> any Disposable
  ) -> Completable {
    .answering { observer in subscribe { observer($0.event) } }
  }

  /// A completable that is done at once (RxSwift).
  public static func empty() -> Completable { PrimitiveSequence(raw: .empty()) }

  /// Calls `observer` with what the completable says.
  public func subscribe(_ observer: @escaping @Sendable (CompletableEvent) -> Void) -> any Disposable {
    subscribeToFirst { event in
      switch event {
      case .error(let error): observer(.error(error))
      case .completed: observer(.completed)
      }
    }
  }

  /// Calls a closure for each kind of event. Without `onError` the error goes to ``Hooks/defaultErrorHandler``.
  /// `onDisposed` is called once, however it ends.
  public func subscribe(
    onCompleted: (@Sendable () -> Void)? = nil,
    onError: (@Sendable (any Swift.Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    asMaybe().subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Calls a closure for each kind of event with `object`, which is held weakly, while it exists.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onError: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onCompleted: weakly(object, onCompleted), onError: weakly(object, onError), onDisposed: weakly(object, onDisposed)
    )
  }

  /// This completable, with side effects; an error of a closure is its error (RxSwift). See `do` of ``ObservableType``.
  public func `do`(
    onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Completable {
    PrimitiveSequence(
      raw: source.do(
        onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
