/// A sequence that never fails (RxSwift). Unlike a driver it does not promise where it delivers, nor to be shared.
///
/// It is not an `ObservableType`: subscribing to its errors does not compile. ``asObservable()`` gives up the promise.
public struct Infallible<Element: Sendable>: InfallibleType {
  let source: Observable<Element>

  /// A sequence that takes it for granted that `source` never fails.
  package init(_ source: Observable<Element>) { self.source = source }

  /// The same sequence, its promise forgotten.
  public func asObservable() -> Observable<Element> { source }

  /// This sequence.
  public func asInfallible() -> Infallible<Element> { self }
}

/// What is, or stands for, an ``Infallible`` (RxSwift).
public protocol InfallibleType<Element>: BindableType where Bound == Infallible<Element> {
  /// The sequence that never fails.
  func asInfallible() -> Infallible<Element>
}

extension InfallibleType {
  /// The sequence that never fails.
  public var bound: Infallible<Element> { asInfallible() }

  /// What the operators work on.
  var source: Observable<Element> { asObservable() }
}

/// What an infallible sequence says (RxSwift).
public enum InfallibleEvent<Element: Sendable>: Sendable {
  /// The sequence produced an element.
  case next(Element)
  /// The sequence ended; nothing follows.
  case completed
}

extension InfallibleEvent: EventConvertible {
  /// The same event of a sequence that may fail.
  public var event: Event<Element> {
    switch self {
    case .next(let element): .next(element)
    case .completed: .completed
    }
  }
}

extension InfallibleType {
  /// Receives what an infallible sequence says.
  public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

  /// A sequence that `subscribe` produces, anew for every subscription (RxSwift). The result of `subscribe` is disposed
  /// of with the subscription.
  public static func create(
    subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
  ) -> Infallible<Element> {
    Infallible(.create { observer in subscribe { observer.on($0.event) } })
  }

  /// Calls `on` with every event.
  public func subscribe(_ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void) -> any Disposable {
    subscribe(onNext: { on(.next($0)) }, onCompleted: { on(.completed) })
  }

  /// Calls a closure for each kind of event. See `subscribe` of ``ObservableType``.
  public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    source.subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Calls a closure for each kind of event with `object`, which is held weakly, while it exists.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@Sendable (Object, Element) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    source.subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Calls `onNext` with every element.
  public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable { subscribe(onNext: onNext) }

  /// Calls `onNext` with `object`, which is held weakly, and every element.
  public func bind<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
  ) -> any Disposable {
    subscribe(with: object, onNext: onNext)
  }

  /// The elements for a `for await` loop, which ends with the sequence; its end ends the subscription (RxSwift).
  public var values: AsyncStream<Element> { AsyncStream(source) }

  /// As ``values``; of the elements that wait to be taken, only the newest `count` are kept.
  public func values(bufferingNewest count: Int) -> AsyncStream<Element> {
    AsyncStream(source, .bufferingNewest(count))
  }

  /// As ``values``; of the elements that wait to be taken, only the oldest `count` are kept.
  public func values(bufferingOldest count: Int) -> AsyncStream<Element> {
    AsyncStream(source, .bufferingOldest(count))
  }
}

extension ObservableConvertibleType {
  /// This sequence as one that ends with `element` instead of an error (RxSwift).
  public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
    Infallible(asObservable().catchAndReturn(element))
  }

  /// This sequence as one that goes on with `infallible` after an error (RxSwift).
  public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
    asInfallible { _ in infallible }
  }

  /// This sequence, followed after an error by the one that `onErrorRecover` returns (RxSwift).
  public func asInfallible(
    onErrorRecover: @escaping @Sendable (any Swift.Error) -> Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(asObservable().catch { onErrorRecover($0).source })
  }
}

extension RelayType {
  /// This relay, which never fails, as an infallible sequence (RxRelay).
  public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }
}
