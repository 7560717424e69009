extension ObservableType {
  /// Calls `on` with every event.
  public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
    EventSink(on).connect(asObservable())
  }

  /// Calls a closure for each kind of event.
  ///
  /// - Parameters:
  ///   - onNext: Called with each element.
  ///   - onError: Called with the error that ended the sequence; without it the error goes to
  ///     ``Hooks/defaultErrorHandler``.
  ///   - onCompleted: Called when the sequence completed.
  ///   - onDisposed: Called once, when the subscription ended in whatever way.
  public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onError: (@Sendable (any Swift.Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    CallbackSink(onNext: onNext, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
      .connect(asObservable())
  }

  /// Calls a closure for each kind of event with `object`, which is held weakly; when it is gone, nothing is called.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@Sendable (Object, Element) -> Void)? = nil,
    onError: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: { [weak object] element in
        guard let object else { return }
        onNext?(object, element)
      },
      onError: { [weak object] error in
        guard let object else { return }
        onError?(object, error)
      },
      onCompleted: { [weak object] in
        guard let object else { return }
        onCompleted?(object)
      },
      onDisposed: { [weak object] in
        guard let object else { return }
        onDisposed?(object)
      }
    )
  }
}
