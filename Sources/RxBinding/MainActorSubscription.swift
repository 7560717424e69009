import Rx

extension Observable {
  /// Subscribes with closures that belong to the main actor: called at once for what comes on the main queue, and a
  /// little later, in order, for what does not (a disposal on another thread, a scheduler that a test put there).
  func subscribeOnMainActor(
    onNext: (@MainActor (Element) -> Void)?,
    onCompleted: (@MainActor () -> Void)?,
    onDisposed: (@MainActor () -> Void)?
  ) -> any Disposable {
    subscribe(
      onNext: onNext.map(onMainActor), onError: nil, onCompleted: onCompleted.map(onMainActor),
      onDisposed: onDisposed.map(onMainActor))
  }

  /// Subscribes with closures that belong to the main actor and get `object`, which is held weakly; when it is gone,
  /// nothing is called.
  func subscribeOnMainActor<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@MainActor (Object, Element) -> Void)?,
    onCompleted: (@MainActor (Object) -> Void)?,
    onDisposed: (@MainActor (Object) -> Void)?
  ) -> any Disposable {
    subscribeOnMainActor(
      onNext: { [weak object] element in
        if let object { onNext?(object, element) }
      },
      onCompleted: { [weak object] in
        if let object { onCompleted?(object) }
      },
      onDisposed: { [weak object] in
        if let object { onDisposed?(object) }
      }
    )
  }
}

/// `action` for any thread: called at once on the main queue, otherwise sent there. Allocates nothing in the first case.
private func onMainActor<Value: Sendable>(
  _ action: @escaping @MainActor (Value) -> Void
) -> @Sendable (Value) -> Void {
  { value in
    if MainQueue.isCurrent {
      MainActor.assumeIsolated { action(value) }
    } else {
      MainQueue.runLater { action(value) }
    }
  }
}

private func onMainActor(_ action: @escaping @MainActor () -> Void) -> @Sendable () -> Void {
  {
    if MainQueue.isCurrent {
      MainActor.assumeIsolated(action)
    } else {
      MainQueue.runLater(action)
    }
  }
}
