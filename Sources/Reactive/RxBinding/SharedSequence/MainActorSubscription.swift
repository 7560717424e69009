import Rx

extension Observable {
  /// Subscribes with closures that belong to the main actor: called at once for what comes on the main queue, and a
  /// little later, in order, for what does not (a disposal on another thread, a scheduler that a test put there).
  func subscribeOnMainActor(
    onNext: (@MainActor (Element) -> Void)?,
    onCompleted: (@MainActor () -> Void)?,
    onDisposed: (@MainActor () -> Void)?
  ) -> any Disposable {
    let gate = MainQueueGate(nests: true)
    return subscribe(
      onNext: onNext.map { gate.forAnyThread($0) }, onError: nil,
      onCompleted: onCompleted.map { gate.forAnyThread($0) },
      onDisposed: onDisposed.map { gate.forAnyThread($0) })
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

extension MainQueueGate {
  /// `action` for any thread.
  fileprivate func forAnyThread<Value: Sendable>(
    _ action: @escaping @MainActor (Value) -> Void
  ) -> @Sendable (Value) -> Void {
    { value in
      if self.runNow({ MainActor.assumeIsolated { action(value) } }) == nil { self.runLater { action(value) } }
    }
  }

  /// `action` for any thread.
  fileprivate func forAnyThread(_ action: @escaping @MainActor () -> Void) -> @Sendable () -> Void {
    let action = forAnyThread { (_: Void) in action() }
    return { action(()) }
  }
}

/// Hands each element to all of `relays` in turn.
func forEach<Relay: Sendable, Element>(
  of relays: [Relay], _ accept: @escaping @Sendable (Relay, Element) -> Void
) -> @MainActor (Element) -> Void {
  { element in
    for relay in relays { accept(relay, element) }
  }
}
