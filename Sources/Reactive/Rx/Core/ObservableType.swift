/// Something that can be turned into an observable sequence (RxSwift).
public protocol ObservableConvertibleType<Element>: Sendable {
  /// The type of the elements in the sequence.
  associatedtype Element: Sendable

  /// The sequence.
  func asObservable() -> Observable<Element>
}

/// A sequence of events that can be subscribed to (RxSwift).
public protocol ObservableType<Element>: BindableType where Bound == Observable<Element> {
  /// Subscribes `observer` to the events of this sequence.
  ///
  /// Nothing is sent to `observer` after an `error` or `completed`, nor after the returned disposable was disposed, and
  /// its `on` is never called twice at the same time.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
  /// This sequence with its type erased.
  public func asObservable() -> Observable<Element> { Observable.create { self.subscribe($0) } }

  /// Calls `on` with every event.
  public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
    EndSink(AnyObserver(eventHandler: on)).connect(asObservable())
  }

  /// Calls a closure for each kind of event. Without `onError` the error goes to ``Hooks/defaultErrorHandler``.
  /// `onDisposed` is called once, however it ends.
  public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onError: (@Sendable (any Swift.Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let handle = SubscriptionHandle(onDisposed: onDisposed)
    let sink = EndSink(handle, onNext: onNext) { error in
      handle.end {
        guard let error else { onCompleted?(); return }
        if let onError { onError(error) } else { Hooks.unhandledError(error) }
      }
    }
    return sink.connect(asObservable())
  }

  /// Calls a closure for each kind of event with `object`, which is held weakly, while it exists.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@Sendable (Object, Element) -> Void)? = nil,
    onError: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: weakly(object, onNext), onError: weakly(object, onError), onCompleted: weakly(object, onCompleted),
      onDisposed: weakly(object, onDisposed))
  }
}

/// `closure`, if there is one, with `object`, which is held weakly; when it is gone, nothing is called.
func weakly<Object: AnyObject & Sendable>(
  _ object: Object, _ closure: (@Sendable (Object) -> Void)?
) -> @Sendable () -> Void {
  { [weak object] in if let object { closure?(object) } }
}

/// `closure`, if there is one, with `object`, which is held weakly; when it is gone, nothing is called.
func weakly<Object: AnyObject & Sendable, Value>(
  _ object: Object, _ closure: (@Sendable (Object, Value) -> Void)?
) -> @Sendable (Value) -> Void {
  { [weak object] value in if let object { closure?(object, value) } }
}
