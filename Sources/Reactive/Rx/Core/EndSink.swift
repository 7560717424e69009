/// The last sink of a chain: lets nothing through after a terminal event or disposal, and ends the subscription after a
/// terminal event.
///
/// `@unchecked Sendable`: it stores its handle only, which has a lock of its own. Its subclasses add closures and
/// observers, which are `Sendable` and never change.
class EndSink<Element: Sendable>: Sink<Element>, @unchecked Sendable {
  final let handle: SubscriptionHandle

  init(onDisposed: (@Sendable () -> Void)? = nil) {
    handle = SubscriptionHandle(onDisposed: onDisposed)
  }

  override func sourceGone() {
    handle.release()
  }

  /// Subscribes to `source`.
  final func connect(_ source: Observable<Element>) -> any Disposable {
    handle.setUpstream(source.subscribe(self))
    return handle
  }

  /// Calls `send`, which sends a terminal event, and ends the subscription after that or, if `endsFirst`, before it.
  final func end(endsFirst: Bool = false, _ send: () -> Void) {
    guard handle.stop() else { return }
    if endsFirst { handle.end() }
    send()
    handle.end()
  }
}

/// The end of a chain that passes everything to an observer.
///
/// `@unchecked Sendable`: its properties never change.
final class ObserverSink<Element: Sendable>: EndSink<Element>, @unchecked Sendable {
  private let observer: Sink<Element>
  private let endsFirst: Bool

  /// - Parameters:
  ///   - observer: The observer.
  ///   - endsFirst: Whether the subscription ends before the observer receives a terminal event, not after it.
  ///   - onDisposed: Called once, when the subscription has ended.
  init(_ observer: AnyObserver<Element>, endsFirst: Bool = false, onDisposed: (@Sendable () -> Void)? = nil) {
    self.observer = observer.sink
    self.endsFirst = endsFirst
    super.init(onDisposed: onDisposed)
  }

  override func next(_ element: Element) {
    if handle.isLive { observer.next(element) }
  }

  // The observer may be a stage of a longer chain, as it is in `subscribe(on:)`.
  override func sourceGone() {
    observer.sourceGone()
    super.sourceGone()
  }

  override func error(_ error: any Error) {
    end(endsFirst: endsFirst) { observer.error(error) }
  }

  override func completed() {
    end(endsFirst: endsFirst) { observer.completed() }
  }
}

/// The end of a chain that calls a closure for each kind of event.
///
/// `@unchecked Sendable`: the closures are `@Sendable` and never change.
final class CallbackSink<Element: Sendable>: EndSink<Element>, @unchecked Sendable {
  private let onNext: (@Sendable (Element) -> Void)?
  private let onError: (@Sendable (any Error) -> Void)?
  private let onCompleted: (@Sendable () -> Void)?

  init(
    onNext: (@Sendable (Element) -> Void)?,
    onError: (@Sendable (any Error) -> Void)?,
    onCompleted: (@Sendable () -> Void)?,
    onDisposed: (@Sendable () -> Void)?
  ) {
    self.onNext = onNext
    self.onError = onError
    self.onCompleted = onCompleted
    super.init(onDisposed: onDisposed)
  }

  override func next(_ element: Element) {
    if handle.isLive { onNext?(element) }
  }

  override func error(_ error: any Error) {
    end {
      if let onError { onError(error) } else { Hooks.unhandledError(error) }
    }
  }

  override func completed() {
    end { onCompleted?() }
  }
}
