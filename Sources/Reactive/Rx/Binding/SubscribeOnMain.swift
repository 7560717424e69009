// A plain sequence sends wherever its source does, and its closures are `@Sendable`. The closures in this file belong
// to the main actor, as the names of the methods show.

extension ObservableType {
  /// Calls a closure, on the main actor, for each kind of event: at once for an event sent on the main queue when no
  /// event is waiting, otherwise later and in order.
  ///
  ///     positions.subscribeOnMain(onNext: { position in self.label.text = "\(position)" })
  ///
  /// Without `onError` the error goes to ``Hooks/defaultErrorHandler``. `onDisposed` is called once, however it ends;
  /// later if that was on another thread.
  public func subscribeOnMain(
    onNext: (@MainActor (Element) -> Void)? = nil,
    onError: (@MainActor (any Swift.Error) -> Void)? = nil,
    onCompleted: (@MainActor () -> Void)? = nil,
    onDisposed: (@MainActor () -> Void)? = nil
  ) -> any Disposable {
    let gate = MainQueueGate(nests: true)
    let handle = SubscriptionHandle {
      guard let onDisposed else { return }
      if gate.runNow({ MainActor.assumeIsolated(onDisposed) }) == nil { gate.runLater(onDisposed) }
    }
    let sink = EndSink<Element>(handle) { element in
      guard let onNext else { return }
      if gate.runNow({ MainActor.assumeIsolated { onNext(element) } }) == nil {
        gate.runLater { if !handle.isDisposed { onNext(element) } }
      }
    } onEnd: { error in
      guard handle.stop() else { return }
      let end: @MainActor @Sendable () -> Void = {
        guard let error else { onCompleted?(); return }
        if let onError { onError(error) } else { Hooks.unhandledError(error) }
      }
      if gate.runNow({ MainActor.assumeIsolated(end) }) != nil { return handle.end() }
      gate.runLater {
        if !handle.isDisposed { end() }
        handle.end()
      }
    }
    return sink.connect(asObservable())
  }

  /// Calls a closure on the main actor for each kind of event with `object`, which is held weakly, while it exists.
  public func subscribeOnMain<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@MainActor (Object, Element) -> Void)? = nil,
    onError: (@MainActor (Object, any Swift.Error) -> Void)? = nil,
    onCompleted: (@MainActor (Object) -> Void)? = nil,
    onDisposed: (@MainActor (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribeOnMain(
      onNext: { [weak object] element in if let object { onNext?(object, element) } },
      onError: { [weak object] error in if let object { onError?(object, error) } },
      onCompleted: { [weak object] in if let object { onCompleted?(object) } },
      onDisposed: { [weak object] in if let object { onDisposed?(object) } })
  }

  /// Calls `onNext` on the main actor with every element. An error is a programmer's fault.
  public func bindOnMain(onNext: @escaping @MainActor (Element) -> Void) -> any Disposable {
    subscribeOnMain(onNext: onNext, onError: { BindingError.raise($0) })
  }

  /// Calls `onNext` on the main actor with `object`, held weakly, and each element. An error is a programmer's fault.
  public func bindOnMain<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @MainActor (Object, Element) -> Void
  ) -> any Disposable {
    subscribeOnMain(with: object, onNext: onNext, onError: { BindingError.raise($1) })
  }

  /// A sequence that `subscribe` produces on the main actor, anew for every subscription.
  ///
  ///     Observable.createOnMain { observer in
  ///       let alert = Alert { answer in observer.onNext(answer) }
  ///       return Disposables.createOnMain { alert.dismiss() }
  ///     }
  ///
  /// It may be subscribed to anywhere; off the main thread the closure is called later. Any thread may call the
  /// observer. The result of `subscribe` is disposed of on the main actor with the subscription.
  public static func createOnMain(
    _ subscribe: @escaping @MainActor (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    Observable.create { observer in
      MainActor.assumeIsolated { subscribe(observer) }
    }
    .subscribe(on: ConcurrentMainScheduler.instance)
  }
}

extension Disposables {
  /// A disposable that calls `dispose` on the main actor, once. It may be disposed of on any thread: on another one
  /// than the main one the call comes a little later.
  public static func createOnMain(with dispose: @escaping @MainActor () -> Void) -> any Cancelable {
    Disposables.create { MainQueue.run(dispose) }
  }
}
