import Synchronization

/// The end of a chain: lets nothing through after a terminal event or disposal, and disposes the chain on a terminal
/// event.
class EndSink<Element: Sendable>: Sink<Element>, @unchecked Sendable {
  private let stopped = Atomic<Bool>(false)

  /// Whether an element may still be delivered.
  final var isLive: Bool {
    !stopped.load(ordering: .relaxed) && !isDisposed
  }

  /// Whether this is the first terminal event, and one that may be delivered.
  final func stop() -> Bool {
    !isDisposed && !stopped.exchange(true, ordering: .relaxed)
  }
}

/// The end of a chain that passes everything to observers.
final class ObserverSink<Element: Sendable>: EndSink<Element>, @unchecked Sendable {
  private let observer: Sink<Element>

  init(_ observer: AnyObserver<Element>) {
    self.observer = observer.sink
  }

  override func next(_ element: Element) {
    if isLive { observer.next(element) }
  }

  override func error(_ error: any Error) {
    guard stop() else { return }
    observer.error(error)
    dispose()
  }

  override func completed() {
    guard stop() else { return }
    observer.completed()
    dispose()
  }
}

/// The end of a chain that calls one closure for every event.
final class EventSink<Element: Sendable>: EndSink<Element>, @unchecked Sendable {
  private let handler: @Sendable (Event<Element>) -> Void

  init(_ handler: @escaping @Sendable (Event<Element>) -> Void) {
    self.handler = handler
  }

  override func next(_ element: Element) {
    if isLive { handler(.next(element)) }
  }

  override func error(_ error: any Error) {
    guard stop() else { return }
    handler(.error(error))
    dispose()
  }

  override func completed() {
    guard stop() else { return }
    handler(.completed)
    dispose()
  }
}

/// The end of a chain that calls a closure a kind of event.
final class CallbackSink<Element: Sendable>: EndSink<Element>, @unchecked Sendable {
  private let onNext: (@Sendable (Element) -> Void)?
  private let onError: (@Sendable (any Error) -> Void)?
  private let onCompleted: (@Sendable () -> Void)?
  private let onDisposed: (@Sendable () -> Void)?
  private let disposedOnce = Atomic<Bool>(false)

  init(
    onNext: (@Sendable (Element) -> Void)?,
    onError: (@Sendable (any Error) -> Void)?,
    onCompleted: (@Sendable () -> Void)?,
    onDisposed: (@Sendable () -> Void)?
  ) {
    self.onNext = onNext
    self.onError = onError
    self.onCompleted = onCompleted
    self.onDisposed = onDisposed
  }

  override func next(_ element: Element) {
    if isLive { onNext?(element) }
  }

  override func error(_ error: any Error) {
    guard stop() else { return }
    if let onError {
      onError(error)
    } else {
      Hooks.unhandledError(error)
    }
    didDispose()
    dispose()
  }

  override func completed() {
    guard stop() else { return }
    onCompleted?()
    didDispose()
    dispose()
  }

  // RxSwift calls onDisposed right after a terminal event, before the chain is disposed, and after it otherwise.
  override func didDispose() {
    guard let onDisposed, !disposedOnce.exchange(true, ordering: .relaxed) else { return }
    onDisposed()
  }
}
